// Index transforms: each is an array whose elements are another array's at computed indices, which are in
// range by the checks made here.
#include <fmt/format.h>

#include <algorithm>

#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

// The number of indices of a slice that fits its array of `size`. All strides that are longer than arrays
// give one index; they are replaced by one for which no sum below wraps around. Where the direction is not
// known the result says that it is at most `size`, which follows from the check of the direction otherwise.
Expr slice_size(Arena& arena, Expr start, Expr stop, Expr given_stride, Expr size) {
  const Expr longest = arena.i64(most_elements + 1);
  const Expr at_most = scalar::min(given_stride, longest), at_least = arena.i64(-most_elements - 1);
  const Expr stride = scalar::max(at_most, at_least);
  const Expr up = stop - start, down = start - stop, one = arena.i64(1);
  const bool is_known = stride.is_constant();
  const bool is_up = is_known && static_cast<std::int64_t>(stride.bits()) > 0;
  const Expr distance = !is_known ? scalar::max(up, down) : is_up ? up : down;
  const Expr step = scalar::max(arena.apply(Op::abs, {stride}), one);
  const Expr count = (distance + (step - one)) / step;
  return is_known ? count : scalar::min(count, size);
}

Expr slice_fits(Arena& arena, Expr start, Expr stop, Expr stride, Expr size) {
  const Expr zero = arena.i64(0), minus_one = arena.i64(-1);
  const Expr stops_inside = stop <= size, ascends = start <= stop;
  const Expr up_to_size = ascends & stops_inside;
  const Expr up = (zero <= start) & up_to_size;
  const Expr starts_inside = start < size, descends = stop <= start;
  const Expr down_from_size = descends & starts_inside;
  const Expr down = (minus_one <= stop) & down_from_size;
  return scalar::select(zero < stride, up, (stride < zero) & down);
}

// The array with other indices along one axis: of extent `size`, index i of the result is start + i * stride.
Expr along(Tracer& t, Expr array, std::size_t axis, Expr size, Expr start, Expr stride, const char* origin,
           const Here& where) {
  Exprs shape(t.shape(array).begin(), t.shape(array).end());
  shape[axis] = size;
  return tabulate(t, std::move(shape), origin, origin, where, [&](std::span<const Expr> indices) {
    Exprs from(indices.begin(), indices.end());
    from[axis] = start + from[axis] * stride;
    return element(t, array, from);
  });
}

}  // namespace

std::size_t axis_of(Expr array, int axis, const char* what, const Here& where) {
  const int rank = array.type().rank;
  if (axis < -rank || axis >= rank)
    throw ShapeError(fmt::format("{}: {}", what, detail::no_such_axis(axis, rank)), where);
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Value slice(Value array, std::span<const Bounds> axes, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Expr from = t.expr(array, where);
  Exprs shape, starts, strides;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const Expr start = t.settled(axes[k].start, where), stop = t.settled(axes[k].stop, where),
               stride = t.settled(axes[k].stride, where);
    const Expr size = t.shape(from)[k];
    const std::string axis = axes.size() == 1 ? "an array of {3}" : fmt::format("{{3}} along axis {}", k);
    const std::string rule = stride.is_constant(1) ? "needs 0 <= start <= stop <= size"
                             : stride.is_constant(0)
                                 ? "needs a stride that is not 0"
                                 : "needs 0 <= start <= stop <= size, for a negative stride -1 <= stop <= "
                                   "start < size, and a stride that is not 0";
    t.check(slice_fits(arena, start, stop, stride, size),
            fmt::format("slice({{0}}, {{1}}{}) of {} {}", stride.is_constant(1) ? "" : ", {2}", axis, rule),
            {start, stop, stride, size}, where);
    shape.push_back(slice_size(arena, start, stop, stride, size));
    starts.push_back(start);
    strides.push_back(stride);
  }
  return t.value(tabulate(t, std::move(shape), "slice", "slice", where, [&](std::span<const Expr> indices) {
    Exprs source;
    for (std::size_t k = 0; k < indices.size(); ++k) source.push_back(starts[k] + indices[k] * strides[k]);
    return element(t, from, source);
  }));
}

Value take(Value array, Value n, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Expr from = t.expr(array, where), count = t.settled(n, where);
  const std::size_t k = axis_of(from, axis, "take", where);
  const Expr size = t.shape(from)[k];
  const Expr fits = count <= size, is_size = 0 <= count;
  t.check(is_size & fits, "take({0}) of {1} elements needs 0 <= n <= size", {count, size}, where);
  return t.value(along(t, from, k, count, arena.i64(0), arena.i64(1), "take", where));
}

Value drop(Value array, Value n, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Expr from = t.expr(array, where), count = t.settled(n, where);
  const std::size_t k = axis_of(from, axis, "drop", where);
  const Expr size = t.shape(from)[k];
  const Expr fits = count <= size, is_size = 0 <= count;
  t.check(is_size & fits, "drop({0}) of {1} elements needs 0 <= n <= size", {count, size}, where);
  return t.value(along(t, from, k, size - count, count, arena.i64(1), "drop", where));
}

Value reverse(Value array, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Expr from = t.expr(array, where);
  const std::size_t k = axis_of(from, axis, "reverse", where);
  const Expr size = t.shape(from)[k];
  return t.value(along(t, from, k, size, size - 1, arena.i64(-1), "reverse", where));
}

Value transpose(Value array, std::span<const int> axes, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr from = t.expr(array, where);
  std::vector<std::size_t> order;
  Exprs shape;
  for (int axis : axes) {
    const std::size_t k = axis_of(from, axis, "transpose", where);
    if (std::ranges::find(order, k) != order.end())
      throw ShapeError(fmt::format("transpose names axis {} twice", k), where);
    order.push_back(k);
    shape.push_back(t.shape(from)[k]);
  }
  return t.value(
      tabulate(t, std::move(shape), "transpose", "transpose", where, [&](std::span<const Expr> indices) {
        Exprs source(indices.size());
        for (std::size_t k = 0; k < indices.size(); ++k) source[order[k]] = indices[k];
        return element(t, from, source);
      }));
}

Value replicate(Value array, Value n, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr from = t.expr(array, where), count = t.settled(n, where);
  const int rank = from.type().rank + 1;
  if (axis < -rank || axis >= rank)
    throw ShapeError(fmt::format("replicate: {}", detail::no_such_axis(axis, rank)), where);
  const std::ptrdiff_t new_axis = axis < 0 ? axis + rank : axis;
  check_sizes(t, "replicate", {&count, 1}, where);
  Exprs shape(t.shape(from).begin(), t.shape(from).end());
  shape.insert(shape.begin() + new_axis, count);
  return t.value(
      tabulate(t, std::move(shape), "replicate", "replicate", where, [&](std::span<const Expr> indices) {
        Exprs source(indices.begin(), indices.end());
        source.erase(source.begin() + new_axis);
        return element(t, from, source);
      }));
}

Value reshape(Value array, std::span<const Value> extents, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Expr from = t.expr(array, where);
  const Exprs old_shape(t.shape(from).begin(), t.shape(from).end());
  Exprs shape = t.settled(extents, where);
  if (shape.size() > 1)
    check_sizes(t, "reshape", shape, where);  // one size is right if it is the number of elements
  const Expr held = product(arena, old_shape), wanted = product(arena, shape);
  t.check(equal(held, wanted), "reshape of {0} elements to a shape of {1}", {held, wanted}, where);
  const Exprs new_shape = shape;
  return t.value(
      tabulate(t, std::move(shape), "reshape", "reshape", where, [&](std::span<const Expr> indices) {
        Expr position = arena.i64(0);
        for (std::size_t k = 0; k < indices.size(); ++k) position = position * new_shape[k] + indices[k];
        Exprs source(old_shape.size());
        for (std::size_t k = old_shape.size(); k-- > 1;) {
          // Where there is an element to find, no extent is 0.
          source[k] = position % old_shape[k];
          position = position / old_shape[k];
        }
        source[0] = position;
        return element(t, from, source);
      }));
}

}  // namespace fulgurite::detail
