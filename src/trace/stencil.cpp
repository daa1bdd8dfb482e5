// Stencils: a map whose body is a branch, on whether all neighbours of the point are inside the arrays. The
// user's function is traced for both sides: inside it reads plainly, and tells how far it reaches; near the
// edges every neighbour is looked for as the boundary says.
#include <fulgurite/staged_layout.h>

#include <algorithm>

#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

using detail::Edge;

// The point of the result that is being computed, and the arrays it may read.
struct Point {
  Tracer& t;
  const std::vector<Exprs>& arrays;
  Exprs indices;

  std::span<const Expr> shape() const { return t.shape(arrays[0][0]); }
  Expr moved(std::size_t axis, int offset) const { return indices[axis] + offset; }
};

// Reads of neighbours that are all inside.
class Inside final : public detail::Neighbours {
 public:
  explicit Inside(const Point& point)
      : point_(point), lowest_(point.indices.size(), 0), highest_(point.indices.size(), 0) {}

  Values read(std::size_t array, std::span<const int> offsets) override {
    Exprs at;
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      lowest_[k] = std::min(lowest_[k], offsets[k]);
      highest_[k] = std::max(highest_[k], offsets[k]);
      at.push_back(point_.moved(k, offsets[k]));
    }
    return point_.t.values(elements(point_.t, point_.arrays[array], at));
  }

  // Whether every neighbour that was read is inside.
  Expr holds() const {
    Arena& arena = point_.t.arena();
    Expr all = arena.boolean(true);
    for (std::size_t k = 0; k < lowest_.size(); ++k) {
      if (lowest_[k] < 0) all = all & (-std::int64_t{lowest_[k]} <= point_.indices[k]);
      if (highest_[k] > 0) all = all & (point_.indices[k] < point_.shape()[k] - highest_[k]);
    }
    return all;
  }

 private:
  const Point& point_;
  std::vector<int> lowest_, highest_;
};

// Reads of neighbours, some of which may be outside.
class Bordered final : public detail::Neighbours {
 public:
  Bordered(const Point& point, Edge edge, std::span<const detail::Body> outside, const Here& where)
      : point_(point), edge_(edge), outside_(outside), where_(where) {}

  Values read(std::size_t array, std::span<const int> offsets) override {
    Tracer& t = point_.t;
    Exprs at;
    for (std::size_t k = 0; k < offsets.size(); ++k)
      at.push_back(edge_ == Edge::outside ? point_.moved(k, offsets[k]) : found(k, offsets[k]));
    if (edge_ != Edge::outside) return t.values(elements(t, point_.arrays[array], at));
    const Expr condition = inside(offsets, at);
    if (condition.is_constant(1)) return t.values(elements(t, point_.arrays[array], at));
    return t.values(either(
        t, condition, "boundary", where_, [&] { return elements(t, point_.arrays[array], at); },
        [&] { return t.exprs(outside_[array](t.values(at)), where_); }));
  }

 private:
  Expr inside(std::span<const int> offsets, const Exprs& at) const {
    Arena& arena = point_.t.arena();
    Expr all = arena.boolean(true);
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      if (offsets[k] < 0) all = all & (0 <= at[k]);
      if (offsets[k] > 0) all = all & (at[k] < point_.shape()[k]);
    }
    return all;
  }

  // Where the neighbour along one axis is found.
  Expr found(std::size_t axis, int offset) const {
    Arena& arena = point_.t.arena();
    const Expr zero = arena.i64(0), one = arena.i64(1);
    const Expr size = point_.shape()[axis], last = size - one;
    const Expr at = point_.moved(axis, offset);
    if (offset == 0) return at;
    switch (edge_) {
      case Edge::clamp: return offset < 0 ? scalar::max(at, zero) : scalar::min(at, last);
      case Edge::wrap: {
        // The offset is reduced first, which is the same for all points: one comparison for each is left.
        const Expr moved = point_.indices[axis] + modulo(arena.i64(offset), scalar::max(size, one));
        return scalar::select(moved < size, moved, moved - size);
      }
      case Edge::mirror: {
        const Expr period = scalar::max(2 * last, one);
        const Expr within = modulo(at, period);
        return scalar::select(within < size, within, period - within);
      }
      case Edge::outside: break;
    }
    return at;
  }

  const Point& point_;
  const Edge edge_;
  const std::span<const detail::Body> outside_;
  const Here where_;
};

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values stencil(StencilBody f, Edge edge, std::span<const Body> outside, std::span<const Operand> operands,
               Here where) {
  Tracer& t = Tracer::current(where);
  require_equal_shapes("stencil", operands, where);
  std::vector<Exprs> arrays;
  for (const Operand& operand : operands) arrays.push_back(t.exprs(operand.parts, where));
  Exprs dims(t.shape(arrays[0][0]).begin(), t.shape(arrays[0][0]).end());
  return t.values(tabulate_all(t, std::move(dims), "stencil", where, [&](const Exprs& indices) {
    const Point point{t, arrays, indices};
    Inside inside(point);
    soac::Lambda plain = branch(t, "stencil", where, [&] { return t.exprs(f(inside), where); });
    Bordered bordered(point, edge, outside, where);
    soac::Lambda careful = branch(t, "stencil", where, [&] { return t.exprs(f(bordered), where); });
    Exprs names;
    for (Expr e : plain.results) names.push_back(t.fresh(e.kind(), "stencil"));
    t.add(names, soac::If{inside.holds(), std::move(plain), std::move(careful)}, "stencil", where);
    return names;
  }));
}

}  // namespace fulgurite::detail
