// Arrays with some elements replaced. The old array stays what it was; where nothing reads it any more, its
// memory becomes the new one's and nothing is copied. Costs the elements replaced where nothing is copied,
// else a copy.
#pragma once

#include <fulgurite/acc.h>
#include <fulgurite/results.h>
#include <fulgurite/staged_combinators.h>

#pragma GCC visibility push(default)
// The number of dimensions is an int. As the length of a std::array, g++ takes it for one that may be
// negative.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace fulgurite {
namespace detail {

template <class T, int N, std::size_t n>
Acc<T, N> with_element(const Acc<T, N>& xs, const Index (&indices)[n], const Exp<T>& x, Here where) {
  std::array<Value, n> values;
  for (std::size_t k = 0; k < n; ++k) values[k] = indices[k].value;
  return unflattened<Acc<T, N>>(with(xs.parts(), std::span<const Value>(values), x.parts(), where));
}
template <class T, int N, std::size_t n>
Acc<T, N> with_slice(const Acc<T, N>& xs, const Range (&axes)[n], const Acc<T, N>& ys, Here where) {
  std::array<Bounds, n> bounds;
  for (std::size_t k = 0; k < n; ++k)
    bounds[k] = {axes[k].start.value, axes[k].stop.value, axes[k].stride.value};
  return unflattened<Acc<T, N>>(with(xs.parts(), std::span<const Bounds>(bounds), ys.parts(), where));
}

}  // namespace detail

/// xs with x at index i; m with x at {i, j}. Raises IndexError when outside.
template <class T>
[[nodiscard("with gives another array: x = fg::with(x, i, v)")]] Vec<T> with(
    const Vec<T>& xs, Index i, const std::type_identity_t<Exp<T>>& x,
    detail::Here where = detail::Here::current()) {
  return detail::with_element(xs, {i}, x, where);
}
template <class T, int N>
  requires(N > 1)
[[nodiscard("with gives another array: x = fg::with(x, i, v)")]] Acc<T, N> with(
    const Acc<T, N>& xs, const Index (&indices)[N], const std::type_identity_t<Exp<T>>& x,
    detail::Here where = detail::Here::current()) {
  return detail::with_element(xs, indices, x, where);
}

/// xs with the elements of a slice replaced: with(xs, fg::Range{start, stop}, ys), with(m, {rows, columns},
/// block). Raises ShapeError where slice does, and unless ys has the slice's shape.
template <class T>
[[nodiscard("with gives another array: x = fg::with(x, range, ys)")]] Vec<T> with(
    const Vec<T>& xs, const Range& range, const std::type_identity_t<Vec<T>>& ys,
    detail::Here where = detail::Here::current()) {
  return detail::with_slice(xs, {range}, ys, where);
}
template <class T, int N>
  requires(N > 1)
[[nodiscard("with gives another array: x = fg::with(x, range, ys)")]] Acc<T, N> with(
    const Acc<T, N>& xs, const Range (&axes)[N], const std::type_identity_t<Acc<T, N>>& ys,
    detail::Here where = detail::Here::current()) {
  return detail::with_slice(xs, axes, ys, where);
}

}  // namespace fulgurite

#pragma GCC diagnostic pop
#pragma GCC visibility pop
