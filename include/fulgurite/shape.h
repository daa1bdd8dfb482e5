// The same elements under other indices: none of this becomes memory, consumers compute the indices. Slices
// are members of Acc. Costs nothing, but a consumer that reads along another axis than memory does may be
// slower: transposes go by square tiles.
#pragma once

#include <fulgurite/map.h>

#pragma GCC visibility push(default)

namespace fulgurite {

/// The first n elements; of a matrix, rows. Raises ShapeError unless 0 <= n <= size.
template <class T, int N>
Acc<T, N> take(const Acc<T, N>& x, Index n, Axis axis = {0}, detail::Here where = detail::Here::current()) {
  return Acc<T, N>(detail::each_part<T>(
      x.parts(), [&](const detail::Value& part) { return detail::take(part, n.value, axis.number, where); }));
}
/// All but the first n elements; of a matrix, rows. Raises ShapeError unless 0 <= n <= size.
template <class T, int N>
Acc<T, N> drop(const Acc<T, N>& x, Index n, Axis axis = {0}, detail::Here where = detail::Here::current()) {
  return Acc<T, N>(detail::each_part<T>(
      x.parts(), [&](const detail::Value& part) { return detail::drop(part, n.value, axis.number, where); }));
}
/// Last first, along the outermost axis or the one given.
template <class T, int N>
Acc<T, N> reverse(const Acc<T, N>& x, Axis axis = {0}, detail::Here where = detail::Here::current()) {
  return Acc<T, N>(detail::each_part<T>(
      x.parts(), [&](const detail::Value& part) { return detail::reverse(part, axis.number, where); }));
}
/// Rows become columns.
template <class T>
Mat<T> transpose(const Mat<T>& x, detail::Here where = detail::Here::current()) {
  const int swapped[] = {1, 0};
  return Mat<T>(detail::each_part<T>(
      x.parts(), [&](const detail::Value& part) { return detail::transpose(part, swapped, where); }));
}
/// The axes in another order: axis k of fg::transpose(x, {2, 0, 1}) is axis 2, 0 or 1 of x. Raises ShapeError
/// unless each axis of x is named once, from 0 on or from -1.
template <class T, int N, std::size_t M>
Acc<T, N> transpose(const Acc<T, N>& x, const int (&axes)[M], detail::Here where = detail::Here::current()) {
  static_assert(M == N,
                "transpose names each axis of the array once: fg::transpose(x, {2, 0, 1}) for rank 3");
  return Acc<T, N>(detail::each_part<T>(
      x.parts(), [&](const detail::Value& part) { return detail::transpose(part, axes, where); }));
}

/// replicate(n, x, fg::axis(k)): x n times along a new axis, which is axis k of the result: of a vector,
/// axis(0) makes it every row and axis(1) every column. Raises ShapeError for a negative or absurd n.
template <class T, int N>
Acc<T, N + 1> replicate(Index n, const Acc<T, N>& x, Axis axis,
                        detail::Here where = detail::Here::current()) {
  return Acc<T, N + 1>(detail::each_part<T>(x.parts(), [&](const detail::Value& part) {
    return detail::replicate(part, n.value, axis.number, where);
  }));
}

/// The same elements in row-major order under another shape: fg::reshape(x, {r, c}). Raises ShapeError if
/// that holds another number of elements.
template <class T, int N, std::size_t M>
Acc<T, static_cast<int>(M)> reshape(const Acc<T, N>& x, const Index (&extents)[M],
                                    detail::Here where = detail::Here::current()) {
  const auto values = detail::extents_of(extents);
  return Acc<T, static_cast<int>(M)>(detail::each_part<T>(
      x.parts(), [&](const detail::Value& part) { return detail::reshape(part, values, where); }));
}
/// All elements in row-major order.
template <class T, int N>
Vec<T> flatten(const Acc<T, N>& x, detail::Here where = detail::Here::current()) {
  return reshape(x, {x.size(where)}, where);
}

namespace detail {
template <int N, class... Ts>
Acc<std::tuple<Ts...>, N> zip(Here where, const Acc<Ts, N>&... xs) {
  const Operand operands[] = {MapOperand<Acc<Ts, N>>::operand(xs)...};
  require_equal_shapes("zip", operands, where);
  const Values values = flattened(std::tie(xs...));
  return unflattened<Acc<std::tuple<Ts...>, N>>(values);
}
}  // namespace detail

/// An array of tuples, from up to four arrays of equal shapes (else ShapeError). Costs nothing.
template <int N, class A, class B>
Acc<std::tuple<A, B>, N> zip(const Acc<A, N>& a, const Acc<B, N>& b,
                             detail::Here where = detail::Here::current()) {
  return detail::zip<N, A, B>(where, a, b);
}
template <int N, class A, class B, class C>
Acc<std::tuple<A, B, C>, N> zip(const Acc<A, N>& a, const Acc<B, N>& b, const Acc<C, N>& c,
                                detail::Here where = detail::Here::current()) {
  return detail::zip<N, A, B, C>(where, a, b, c);
}
template <int N, class A, class B, class C, class D>
Acc<std::tuple<A, B, C, D>, N> zip(const Acc<A, N>& a, const Acc<B, N>& b, const Acc<C, N>& c,
                                   const Acc<D, N>& d, detail::Here where = detail::Here::current()) {
  return detail::zip<N, A, B, C, D>(where, a, b, c, d);
}

/// The fields of an array of composites, as a std::tuple of arrays. Costs nothing.
template <class T, int N>
  requires(!detail::Scalar<T>)
auto unzip(const Acc<T, N>& x) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    detail::Unflatten values(x.parts());
    return std::tuple<Acc<detail::Field<T, i>, N>...>{values.next<Acc<detail::Field<T, i>, N>>()...};
  }(std::make_index_sequence<detail::n_fields<T>>());
}

}  // namespace fulgurite

#pragma GCC visibility pop
