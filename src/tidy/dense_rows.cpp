#include "tidy/dense_rows.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace fulgurite::tidy {

using namespace kernel;
using scalar::Op;

void Sum::add(Expr e, std::int64_t times, const std::map<Var, Expr>& definitions) {
  if (e.is_constant()) {
    constant += times * static_cast<std::int64_t>(e.bits());
    return;
  }
  if (e.is_name())
    if (const auto found = definitions.find(e.var()); found != definitions.end())
      return add(found->second, times, definitions);
  if (e.op() == Op::add || e.op() == Op::sub) {
    add(e.arg(0), times, definitions);
    return add(e.arg(1), e.op() == Op::add ? times : -times, definitions);
  }
  for (std::size_t k : {0u, 1u})
    if (e.op() == Op::mul && e.arg(k).is_constant())
      return add(e.arg(1 - k), times * static_cast<std::int64_t>(e.arg(k).bits()), definitions);
  auto& [term, factor] = terms[e.id()];
  term = e;
  factor += times;
  if (factor == 0) terms.erase(e.id());
}

Expr index_of(Arena& arena, const Sum& sum, std::int64_t constant) {
  Expr index;
  for (const auto& [id, term] : sum.terms) {
    const Expr each = term.first * term.second;
    index = index ? index + each : each;
  }
  return index ? index + constant : arena.i64(constant);
}

namespace {

// Longer rows take more Permutes than they are worth.
constexpr std::int64_t longest_dense = 8;
// Rows of this many bytes and more transpose quicker, if they have a power of two of elements.
constexpr std::int64_t least_transposed_bytes = 32;

// Lanes of masks are bytes in memory, and while they are permuted.
Expr as_numbers(Expr lanes) {
  return lanes.kind() == Kind::boolean ? cast(lanes, Kind::u8) : lanes;
}
Expr as_kind(Expr numbers, Kind kind) {
  return kind == Kind::boolean ? cast(numbers, kind) : numbers;
}
Expr named(Arena& arena, Expr value, const char* name, Block& out) {
  const Expr lanes = arena.fresh(value.type(), name);
  out.push_back({Let{lanes.var(), value}});
  return lanes;
}

// A vector of the row's buffer from this element on.
Expr loaded(Arena& arena, const Row& row, Type type, std::int64_t element, const char* name, Block& out) {
  const Expr lanes = arena.fresh(type, arena.info(row.buffer).name + name);
  out.push_back({Load{lanes.var(), {row.buffer, index_of(arena, row.index, element), arena.i64(1), {}}}});
  return type.kind == Kind::boolean ? named(arena, as_numbers(lanes), "bytes", out) : lanes;
}
// Loads at these places are what has been loaded already.
void replace_loads(const std::vector<std::size_t>& places, Expr numbers, Kind kind, Block& out) {
  for (std::size_t place : places)
    out[place].op = Let{std::get<Load>(out[place].op).name, as_kind(numbers, kind)};
}

// The lanes that are chosen from the elements of several vectors side by side: (vector, lane).
Expr gathered(Arena& arena, const std::vector<Expr>& vectors,
              const std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t)>& from,
              const std::string& name, Block& out) {
  const Type type = vectors[0].type();
  Expr all = vectors[0];
  for (std::size_t k = 1; k < vectors.size(); ++k) {
    Permute permute{arena.fresh(type, name).var(), all, vectors[k], {}};
    for (std::int64_t l = 0; l < type.lanes; ++l) {
      const auto [vector, lane] = from(l);
      std::int64_t chosen = k == 1 ? lane : l;
      if (vector == static_cast<std::int64_t>(k)) chosen = type.lanes + lane;
      permute.lanes.push_back(static_cast<std::int32_t>(chosen));
    }
    all = arena.name(permute.name);
    out.push_back({std::move(permute)});
  }
  return all;
}

}  // namespace

bool is_dense(const Arena& arena, const Row& row) {
  const auto stride = static_cast<std::int64_t>(row.stride.bits());
  if (stride > longest_dense) return false;
  const std::int64_t span = row.places.rbegin()->first - row.places.begin()->first + 1;
  const auto size = static_cast<std::int64_t>(scalar::size_of(arena.info(row.buffer).type.kind));
  const bool is_transposed = stride * size >= least_transposed_bytes && (stride & (stride - 1)) == 0;
  return !is_transposed && span == stride && std::ssize(row.places) == stride;
}

void load_dense(Arena& arena, const Row& row, Block& out, std::vector<Change>& changes) {
  std::size_t first = out.size();
  for (const auto& [element, places] : row.places) first = std::min(first, places.front());
  const Type type = arena.info(std::get<Load>(out[first].op).name).type;
  const std::int64_t lanes = type.lanes, n = std::ssize(row.places), begin = row.places.begin()->first;
  Block& before = changes[first].before;
  std::vector<Expr> vectors;
  for (std::int64_t k = 0; k < n; ++k)
    vectors.push_back(loaded(arena, row, type, begin + k * lanes, "_rows", before));
  for (const auto& [element, places] : row.places) {
    const auto from = [&, c = element - begin](std::int64_t l) {
      return std::pair((c + l * n) / lanes, (c + l * n) % lanes);
    };
    const Expr column = gathered(arena, vectors, from, arena.info(row.buffer).name + "_column", before);
    replace_loads(places, column, type.kind, out);
  }
}

bool is_close(const Row& row) {
  const auto stride = static_cast<std::int64_t>(row.stride.bits());
  return stride < least_stride || (stride == least_stride && row.places.size() == 1);
}

void load_close(Arena& arena, const Row& row, Block& out, std::vector<Change>& changes) {
  const auto stride = static_cast<std::int64_t>(row.stride.bits());
  for (const auto& [element, places] : row.places) {
    const Type type = arena.info(std::get<Load>(out[places.front()].op).name).type;
    const std::int64_t lanes = type.lanes, last = (lanes - 1) * stride;
    Block& before = changes[places.front()].before;
    std::vector<Expr> vectors;
    std::vector<std::int64_t> begins;
    // The last vector ends with the last lane.
    for (std::int64_t k = 0; k < stride; ++k) {
      begins.push_back(std::min(k * lanes, last + 1 - lanes));
      vectors.push_back(loaded(arena, row, type, element + begins.back(), "_close", before));
    }
    const auto from = [&](std::int64_t l) {
      const std::int64_t vector = l * stride / lanes;
      return std::pair(vector, l * stride - begins[static_cast<std::size_t>(vector)]);
    };
    const Expr chosen = gathered(arena, vectors, from, arena.info(row.buffer).name + "_lanes", before);
    replace_loads(places, chosen, type.kind, out);
  }
}

void store_dense(Arena& arena, const Row& row, const Block& out, std::vector<Change>& changes) {
  std::vector<Expr> columns;
  std::size_t last = 0;
  for (const auto& [element, places] : row.places) {
    if (places.size() != 1) return;  // which of the values is stored last counts
    last = std::max(last, places.front());
    columns.push_back(std::get<Store>(out[places.front()].op).value);
  }
  const std::int64_t lanes = columns[0].type().lanes, n = std::ssize(columns);
  const Kind kind = columns[0].kind();
  Block& to = changes[last].before;
  for (Expr& column : columns) column = named(arena, as_numbers(column), "column", to);
  for (std::int64_t k = 0; k < n; ++k) {
    const auto from = [&](std::int64_t l) { return std::pair((k * lanes + l) % n, (k * lanes + l) / n); };
    const Expr value = gathered(arena, columns, from, "rows", to);
    const Expr index = index_of(arena, row.index, row.places.begin()->first + k * lanes);
    to.push_back({Store{{row.buffer, index, arena.i64(1), {}}, as_kind(value, kind)}});
  }
  for (const auto& [element, places] : row.places) changes[places.front()].is_gone = true;
}

}  // namespace fulgurite::tidy
