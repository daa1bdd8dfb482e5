#include "tidy/rows.h"

#include <algorithm>
#include <map>

#include "base/match.h"
#include "kernel/traverse.h"
#include "tidy/dense_rows.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;
using scalar::Op;

// Few elements at a time, each group where it is needed: more of them would leave registers meanwhile. What
// is loaded together is a piece that a Transpose reads at once.
constexpr std::int64_t loaded_bytes = 16, stored_bytes = 32, most_together = 16;

class Rows {
 public:
  Rows(Arena& arena, std::int32_t width) : arena_(arena), width_(width) {}

  Block block(const Block& body) {
    Block mapped;
    for (const Stm& s : body) {
      Parts parts;
      parts.block = [&](const Block& inner) { return block(inner); };
      mapped.push_back(map_children(s, parts));
    }
    return straight(mapped);
  }

 private:
  Block straight(const Block& body) {
    // Most blocks have no such accesses.
    if (width_ < 2 || std::ranges::none_of(body, [&](const Stm& s) { return is_strided(s); })) return body;
    Block out = body;
    const Names names = names_of(body);
    std::vector<Change> changes(body.size());
    std::map<Var, Expr> definitions;
    std::vector<Row> loads, stores;
    for (std::size_t place = 0; place < body.size(); ++place) {
      if (const auto* let = std::get_if<Let>(&body[place].op); let && let->value.type() == Type{Kind::i64})
        definitions[let->name] = let->value;
      if (!is_strided(body[place])) continue;
      const auto* load = std::get_if<Load>(&body[place].op);
      const Access& access = load ? load->from : std::get<Store>(body[place].op).to;
      const std::set<Var>& others = load ? names.stores : names.reads;
      if (others.contains(access.buffer)) continue;
      Sum index;
      index.add(access.index, 1, definitions);
      const bool is_known_before = std::ranges::none_of(
          index.terms, [&](const auto& term) { return is_changed(names, term.second.first); });
      if (is_known_before) add(load ? loads : stores, access, std::move(index), place);
    }
    for (const Row& row : loads) {
      if (is_dense(arena_, row))
        load_dense(arena_, row, out, changes);
      else if (is_close(row))
        load_close(arena_, row, out, changes);
      else
        load(row, out, changes);
    }
    for (const Row& row : stores)
      is_dense(arena_, row) ? store_dense(arena_, row, out, changes) : store(row, out, changes);
    Block result;
    for (std::size_t place = 0; place < out.size(); ++place) {
      for (Stm& s : changes[place].before) result.push_back(std::move(s));
      if (!changes[place].is_gone) result.push_back(std::move(out[place]));
    }
    return result;
  }

  // A load or store of lanes that are a constant number of elements apart.
  bool is_strided(const Stm& s) const {
    const auto* load = std::get_if<Load>(&s.op);
    const auto* store = std::get_if<Store>(&s.op);
    if (!load && !store) return false;
    const Access& access = load ? load->from : store->to;
    const Type type = load ? arena_.info(load->name).type : store->value.type();
    if (type.lanes < 4 || access.mask || access.index.type().lanes > 1) return false;
    if (!access.stride || !access.stride.is_constant() || (store && store->streaming)) return false;
    return static_cast<std::int64_t>(access.stride.bits()) >= 2;
  }

  void add(std::vector<Row>& rows, const Access& access, Sum index, std::size_t place) {
    const std::int64_t constant = index.constant;
    index.constant = 0;
    auto row = std::ranges::find_if(rows, [&](const Row& r) {
      return r.buffer == access.buffer && r.stride == access.stride && r.index.terms == index.terms;
    });
    if (row == rows.end()) row = rows.insert(rows.end(), Row{access.buffer, access.stride, index, {}});
    row->places[constant].push_back(place);
  }

  bool is_mask(const Row& row) const { return arena_.info(row.buffer).type.kind == Kind::boolean; }

  std::int64_t elements_in(const Row& row, std::int64_t bytes) const {
    const auto size = static_cast<std::int64_t>(size_of(arena_.info(row.buffer).type.kind));
    return std::min(most_together, bytes / size);
  }

  // Neighbouring elements, as many as a power of two each time.
  struct Piece {
    std::int64_t first, n;
  };
  static std::vector<Piece> pieces(const Row& row, std::int64_t least, std::int64_t most) {
    std::vector<Piece> all;
    for (auto at = row.places.begin(); at != row.places.end();) {
      std::int64_t n = 1;
      for (auto next = std::next(at); next != row.places.end() && next->first == at->first + n; ++next) ++n;
      const std::int64_t run = n;
      std::int64_t taken = 0;
      while (run - taken >= least) {
        std::int64_t size = most;
        while (size > run - taken) size /= 2;
        all.push_back({at->first + taken, size});
        taken += size;
      }
      std::advance(at, run);
    }
    return all;
  }

  Var tile(Var buffer, Kind kind, std::int64_t size, Block& out) {
    const Expr elements = arena_.i64(size);
    const Var name = arena_.fresh_array(kind, {elements}, arena_.info(buffer).name + "_rows").var();
    out.push_back({Allocate{name, Space::thread, elements}});
    return name;
  }

  void load(const Row& row, Block& out, std::vector<Change>& changes) {
    if (is_mask(row)) return;
    for (const Piece& piece : pieces(row, 2, elements_in(row, loaded_bytes))) {
      std::size_t first = out.size();
      for (std::int64_t k = 0; k < piece.n; ++k)
        first = std::min(first, row.places.at(piece.first + k).front());
      const Type type = arena_.info(std::get<Load>(out[first].op).name).type;
      const std::int32_t lanes = type.lanes;
      Block& before = changes[first].before;
      const Var rows = tile(row.buffer, type.kind, piece.n * lanes, before);
      const Access from{row.buffer, index_of(arena_, row.index, piece.first), row.stride, {}};
      before.push_back(
          {Transpose{rows, from, lanes, std::min(lanes, width_), static_cast<std::int32_t>(piece.n), 0}});
      for (std::int64_t k = 0; k < piece.n; ++k)
        for (std::size_t place : row.places.at(piece.first + k))
          std::get<Load>(out[place].op).from = {rows, arena_.i64(k * lanes), arena_.i64(1), {}};
    }
  }

  // Rows that may overlap are left alone: which element is stored last counts.
  void store(const Row& row, const Block& out, std::vector<Change>& changes) {
    const auto stride = static_cast<std::int64_t>(row.stride.bits());
    if (stride < least_stride || is_mask(row)) return;
    const std::int64_t span = row.places.rbegin()->first - row.places.begin()->first + 1;
    const bool are_once =
        std::ranges::all_of(row.places, [](const auto& each) { return each.second.size() == 1; });
    if (span > stride || !are_once) return;
    for (const Piece& piece : pieces(row, 4, elements_in(row, stored_bytes))) {
      std::size_t last = 0;
      for (std::int64_t k = 0; k < piece.n; ++k)
        last = std::max(last, row.places.at(piece.first + k).front());
      const Type type = std::get<Store>(out[last].op).value.type();
      if (type.lanes > most_together) continue;
      const std::int64_t lanes = type.lanes;
      Block& to = changes[last].before;
      const Var columns = tile(row.buffer, type.kind, piece.n * lanes, to);
      for (std::int64_t k = 0; k < piece.n; ++k) {
        const std::size_t place = row.places.at(piece.first + k).front();
        to.push_back({Store{{columns, arena_.i64(k * lanes), arena_.i64(1), {}},
                            std::get<Store>(out[place].op).value}});
        changes[place].is_gone = true;
      }
      const Var rows = tile(row.buffer, type.kind, piece.n * lanes, to);
      const auto n = static_cast<std::int32_t>(piece.n);
      to.push_back({Transpose{rows,
                              {columns, arena_.i64(0), arena_.i64(lanes), {}},
                              n,
                              std::min(n, width_),
                              static_cast<std::int32_t>(lanes),
                              0}});
      // Rows that lie together are stored together.
      const bool is_dense = stride == piece.n;
      const std::int64_t size = is_dense ? lanes : piece.n;
      for (std::int64_t k = 0; k < piece.n * lanes / size; ++k) {
        const Type vector{type.kind, 0, static_cast<std::uint16_t>(size)};
        const Expr value = arena_.fresh(vector, "row");
        const Expr index = index_of(arena_, row.index, piece.first + k * (is_dense ? size : stride));
        to.push_back({Load{value.var(), {rows, arena_.i64(k * size), arena_.i64(1), {}}}});
        to.push_back({Store{{row.buffer, index, arena_.i64(1), {}}, value}});
      }
    }
  }

  Arena& arena_;
  std::int32_t width_;
};

}  // namespace

const kernel::Pass transpose_rows{
    .name = "transpose_rows",
    .description = "short rows that lanes read or store side by side are transposed as whole vectors",
    .run = kernel::on_body<[](Arena& arena, const Block& body, const PassOptions& options) {
      return Rows(arena, options.transposed_lanes).block(body);
    }>,
    .is_optional = true};

}  // namespace fulgurite::tidy
