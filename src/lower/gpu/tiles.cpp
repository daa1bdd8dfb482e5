#include "lower/gpu/tiles.h"

#include <algorithm>
#include <unordered_map>

#include "soac/rename.h"
#include "walk/control.h"
#include "walk/points.h"

namespace fulgurite::lower::gpu {

namespace {

constexpr int side_of_tile = 32;  // a warp reads and writes a row of it
constexpr int threads_of_tile = 256;

bool is_crosswise(scalar::Arena& arena, Expr read, Var outer, Var inner) {
  const auto affine = scalar::affine_in(arena, read.args().back(), outer);
  if (!affine || !affine->coefficient.is_constant(1) || mentions(affine->base, inner)) return false;
  bool has_inner = false;
  for (Expr index : read.args().subspan(1)) {
    has_inner |= mentions(index, inner);
    bool reads = false;
    scalar::for_each_node(std::span(&index, 1), [&](Expr e) { reads |= e.op() == Op::index; });
    if (reads) return false;
  }
  return has_inner;
}

class Tiles {
 public:
  Tiles(Frame& frame, std::span<const Expr> reads)
      : at_(frame), arena_(frame.arena), reads_(reads), s_(frame.s) {
    auto& body = std::get<soac::Soac>(s_.op).body;
    std::unordered_map<std::uint32_t, Expr> names;
    for (Expr read : reads_)
      names.emplace(read.id(), names_.emplace_back(arena_.fresh(read.type(), "staged")));
    scalar::Substitution substitute(arena_, [&](Expr e) {
      const auto found = names.find(e.id());
      return found == names.end() ? Expr() : found->second;
    });
    soac::substitute_in(body, substitute);
  }

  void operator()() {
    const std::vector<Expr>& dims = at_.op.dims;
    const std::span outer(dims.data(), dims.size() - 2);
    const Expr across = at_.launches.ceil_div(dims.back(), i64(side_of_tile));
    const Expr down = at_.launches.ceil_div(dims[dims.size() - 2], i64(side_of_tile));
    const Expr tiles = arena_.mul(down, across);
    at_.phase(arena_.mul(at_.launches.product(outer), tiles), threads_of_tile,
              [&](const Emitter& e, const Block& block) {
                dims_ = e.lower(at_.op.dims);
                first_column_ = e.lower(arena_.mul(arena_.rem(block.task, across), i64(side_of_tile)));
                Expr left = e.lower(arena_.div(block.task, across));
                first_row_ = e.lower(arena_.mul(arena_.rem(left, down), i64(side_of_tile)));
                left = e.lower(arena_.div(left, down));
                outer_.assign(outer.size(), {});
                for (std::size_t d = outer.size(); d-- > 0; left = e.lower(arena_.div(left, outer[d])))
                  outer_[d] = d == 0 ? left : e.lower(arena_.rem(left, outer[d]));
                for (Expr read : reads_)
                  buffers_.push_back(
                      e.allocate_shared(read.kind(), std::int64_t{side_of_tile} * (side_of_tile + 1)));
                par(e, block, [&](const Emitter& of_thread, Expr t) { read(of_thread, t); });
                sync(e);
                par(e, block, [&](const Emitter& of_thread, Expr t) { write(of_thread, t); });
              });
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  // body(slow, fast) for the places of the tile; threads that are neighbours have neighbouring `fast`.
  void for_places(const Emitter& e, Expr t, const std::function<void(Expr slow, Expr fast)>& body) {
    const Expr fast = e.bind(arena_.rem(t, i64(side_of_tile)), "fast");
    const Expr first = e.bind(arena_.div(t, i64(side_of_tile)), "first");
    e.for_loop(first, i64(side_of_tile), i64(threads_of_tile / side_of_tile), "slow",
               [&](Expr slow) { body(slow, fast); });
  }
  Expr place(const Emitter& e, Expr column, Expr row) {
    return e.bind(arena_.add(arena_.mul(column, i64(side_of_tile + 1)), row), "place");
  }
  // body(e, indices, number) where the tile's place is one of the space.
  using AtPoint = std::function<void(const Emitter&, const std::vector<Expr>& indices, Expr number)>;
  void at_point(const Emitter& e, Expr row_in_tile, Expr column_in_tile, const AtPoint& body) {
    const Expr row = e.bind(arena_.add(first_row_, row_in_tile), "row");
    const Expr column = e.bind(arena_.add(first_column_, column_in_tile), "column");
    const Expr is_column = arena_.lt(column, dims_.back()), is_row = arena_.lt(row, dims_[dims_.size() - 2]);
    const Expr inside = arena_.logical_and(is_row, is_column);
    e.if_then(e.bind(inside, "inside"), [&] {
      std::vector<Expr> indices = outer_;
      indices.push_back(row);
      indices.push_back(column);
      const Expr number = e.bind(linear(e, indices, dims_), "number");
      body(e.at_element(number), indices, number);
    });
  }

  void read(const Emitter& of_thread, Expr t) {
    for_places(of_thread, t, [&](Expr column, Expr row) {
      at_point(of_thread, row, column, [&](const Emitter& e, const std::vector<Expr>& indices, Expr) {
        const std::vector<Expr> values =
            apply(e, {at_.op.body.params, {}, {reads_.begin(), reads_.end()}}, indices);
        const Expr at = place(e, column, row);
        for (std::size_t k = 0; k < values.size(); ++k) e.store_plain(buffers_[k], at, values[k]);
      });
    });
  }

  void write(const Emitter& of_thread, Expr t) {
    for_places(of_thread, t, [&](Expr row, Expr column) {
      at_point(of_thread, row, column, [&](const Emitter& e, const std::vector<Expr>& indices, Expr number) {
        const Expr at = place(e, column, row);
        for (std::size_t k = 0; k < names_.size(); ++k)
          e.bind_name(names_[k].var(), e.load_plain(buffers_[k], at, "staged"));
        point(e, s_, indices, number, {});
      });
    });
  }

  Frame& at_;
  scalar::Arena& arena_;
  const std::span<const Expr> reads_;
  soac::Stm s_;  // with names for what is read
  std::vector<Expr> names_;
  std::vector<Expr> dims_;
  Expr first_row_, first_column_;
  std::vector<Expr> outer_;
  std::vector<Var> buffers_;
};

}  // namespace

std::vector<Expr> crosswise_reads(scalar::Arena& arena, const soac::Soac& op, const Target& target) {
  const std::size_t n_axes = op.dims.size();
  const bool is_map = op.reductions.empty() && op.scatters.empty() && op.partitions.empty();
  if (n_axes < 2 || !is_map || !op.body.body.empty()) return {};
  for (Expr result : op.body.results)
    if (result.type().rank > 0) return {};
  const Var outer = op.body.params[n_axes - 2], inner = op.body.params[n_axes - 1];
  std::vector<Expr> found;
  std::int64_t bytes = 0;
  scalar::for_each_node(op.body.results, [&](Expr e) {
    if (e.op() != Op::index || !is_crosswise(arena, e, outer, inner)) return;
    const auto more = static_cast<std::int64_t>(size_of(e.kind())) * side_of_tile * (side_of_tile + 1);
    if (bytes + more > most_of_tiles(target)) return;
    bytes += more;
    found.push_back(e);
  });
  return found;
}

void map_by_tiles(Frame& frame, std::span<const Expr> reads) {
  Tiles(frame, reads)();
}

}  // namespace fulgurite::lower::gpu
