// Arrays that take their elements from one of several places, by a comparison of the index along one axis: a
// branch, not a selection, so that what is not taken is not read.
#include <fmt/format.h>
#include <fulgurite/staged_layout.h>

#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

Exprs shifted(Arena& arena, std::span<const Expr> indices, std::size_t axis, Expr by) {
  Exprs result(indices.begin(), indices.end());
  result[axis] = arena.add(result[axis], by);
  return result;
}

// The elements of the arrays from number k on, the first of which begins at `begin`.
Exprs piece(Tracer& t, const std::vector<Exprs>& arrays, std::size_t k, Expr begin, std::size_t axis,
            std::span<const Expr> indices, const Here& where) {
  Arena& arena = t.arena();
  const auto first = [&] {
    return elements(t, arrays[k], shifted(arena, indices, axis, arena.sub(arena.i64(0), begin)));
  };
  if (k + 1 == arrays.size()) return first();
  const Expr end = arena.add(begin, t.shape(arrays[k][0])[axis]);
  return either(t, arena.lt(indices[axis], end), "concat", where, first,
                [&] { return piece(t, arrays, k + 1, end, axis, indices, where); });
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values concat(std::span<const Operand> operands, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  std::vector<Exprs> arrays;
  for (const Operand& operand : operands) arrays.push_back(t.exprs(operand.parts, where));
  const std::size_t along = axis_of(arrays[0][0], axis, "concat", where);
  Exprs shape(t.shape(arrays[0][0]).begin(), t.shape(arrays[0][0]).end());
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    const std::span<const Expr> other = t.shape(arrays[i][0]);
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (k == along) {
        shape[k] = arena.add(shape[k], other[k]);
        continue;
      }
      t.check(arena.eq(shape[k], other[k]),
              fmt::format(
                  "concat along axis {} needs arrays that agree in the other extents: along axis {} array "
                  "1 has {{0}}{}, array {} has {{1}}{}",
                  along, k, t.argument_text(arrays[0][0]), i + 1, t.argument_text(arrays[i][0])),
              {shape[k], other[k]}, where);
    }
  }
  return t.values(tabulate_all(t, std::move(shape), "concat", where, [&](std::span<const Expr> indices) {
    return piece(t, arrays, 0, arena.i64(0), along, indices, where);
  }));
}

Values rotate(std::span<const Value> parts, Value by, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Exprs arrays = t.exprs(parts, where);
  const std::size_t along = axis_of(arrays[0], axis, "rotate", where);
  Exprs shape(t.shape(arrays[0]).begin(), t.shape(arrays[0]).end());
  const Expr size = shape[along], modulus = arena.max(size, arena.i64(1));
  const Expr shift = trace::modulo(arena, t.expr(by, where), modulus);  // 0 <= shift
                                                                        // < modulus
  const Expr n_first = arena.sub(size, shift);  // the elements that come before the wrap
  return t.values(tabulate_all(t, std::move(shape), "rotate", where, [&](std::span<const Expr> indices) {
    return either(
        t, arena.lt(indices[along], n_first), "rotate", where,
        [&] { return elements(t, arrays, shifted(arena, indices, along, shift)); },
        [&] {
          return elements(t, arrays, shifted(arena, indices, along, arena.sub(arena.i64(0), n_first)));
        });
  }));
}

}  // namespace fulgurite::detail
