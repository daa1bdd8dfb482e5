// Folds of arrays. An operator is a function of two staged elements that returns one, associative up to
// rounding; it is called once, while tracing. The compiler knows that plus, times, min, max, bit_and, bit_or,
// bit_xor and tuples of them are commutative, however they are written; reduce_comm says it of other
// operators. A fold costs one reading of the elements, which are not stored where the fold is all that needs
// them; each thread folds pieces of fixed bounds, whose results are combined in order, so that the bits do
// not depend on the number of threads.
#pragma once

#include <fulgurite/results.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

template <class T, class Op>
Values reduce_with(const Fold& fold, const Op& op, std::span<const Value> parts, Here where) {
  const OperatorOn<T, Op> body{op};
  return reduce(fold, Body(body), parts, where);
}

}  // namespace detail

/// reduce(op, neutral, xs): x0 op x1 op ... over all elements in row-major order; of none, neutral, which
/// must be neutral: op(neutral, x) == x == op(x, neutral).
template <class Op, class T, int N>
Exp<T> reduce(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Acc<T, N>& xs,
              detail::Here where = detail::Here::current()) {
  return detail::unflattened<Exp<T>>(detail::reduce_with<T>(
      {.origin = "reduce", .neutral = neutral.parts(), .initial = {}}, op, xs.parts(), where));
}
/// Without a neutral element. Raises ShapeError for an empty array.
template <class Op, class T, int N>
Exp<T> reduce(const Op& op, const Acc<T, N>& xs, detail::Here where = detail::Here::current()) {
  return detail::unflattened<Exp<T>>(
      detail::reduce_with<T>({.origin = "reduce", .neutral = {}, .initial = {}}, op, xs.parts(), where));
}
/// Along one axis: the array of the reductions, with that axis gone.
template <class Op, class T, int N>
  requires(N > 1)
Acc<T, N - 1> reduce(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Acc<T, N>& xs,
                     Axis axis, detail::Here where = detail::Here::current()) {
  return detail::unflattened<Acc<T, N - 1>>(detail::reduce_with<T>(
      {.origin = "reduce", .neutral = neutral.parts(), .initial = {}, .axis = axis.number}, op, xs.parts(),
      where));
}

/// Along one axis without a neutral element. Raises ShapeError if the axis is empty and there is an element
/// of the result to compute.
template <class Op, class T, int N>
  requires(N > 1)
Acc<T, N - 1> reduce(const Op& op, const Acc<T, N>& xs, Axis axis,
                     detail::Here where = detail::Here::current()) {
  return detail::unflattened<Acc<T, N - 1>>(detail::reduce_with<T>(
      {.origin = "reduce", .neutral = {}, .initial = {}, .axis = axis.number}, op, xs.parts(), where));
}

/// As reduce, for an operator that is commutative as well: elements may be combined in any order (the same
/// one on every run).
template <class Op, class T, int N>
Exp<T> reduce_comm(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Acc<T, N>& xs,
                   detail::Here where = detail::Here::current()) {
  return detail::unflattened<Exp<T>>(detail::reduce_with<T>(
      {.origin = "reduce_comm", .commutative = true, .neutral = neutral.parts(), .initial = {}}, op,
      xs.parts(), where));
}
/// Without a neutral element: ShapeError for none.
template <class Op, class T, int N>
Exp<T> reduce_comm(const Op& op, const Acc<T, N>& xs, detail::Here where = detail::Here::current()) {
  return detail::unflattened<Exp<T>>(detail::reduce_with<T>(
      {.origin = "reduce_comm", .commutative = true, .neutral = {}, .initial = {}}, op, xs.parts(), where));
}

/// reduce_comm() along one axis of an array.
template <class Op, class T, int N>
  requires(N > 1)
Acc<T, N - 1> reduce_comm(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Acc<T, N>& xs,
                          Axis axis, detail::Here where = detail::Here::current()) {
  return detail::unflattened<Acc<T, N - 1>>(detail::reduce_with<T>({.origin = "reduce_comm",
                                                                    .commutative = true,
                                                                    .neutral = neutral.parts(),
                                                                    .initial = {},
                                                                    .axis = axis.number},
                                                                   op, xs.parts(), where));
}
template <class Op, class T, int N>
  requires(N > 1)
Acc<T, N - 1> reduce_comm(const Op& op, const Acc<T, N>& xs, Axis axis,
                          detail::Here where = detail::Here::current()) {
  return detail::unflattened<Acc<T, N - 1>>(detail::reduce_with<T>(
      {.origin = "reduce_comm", .commutative = true, .neutral = {}, .initial = {}, .axis = axis.number}, op,
      xs.parts(), where));
}

/// fold(op, initial, xs): initial op x0 op x1 ...; initial is any value, combined once, leftmost (Barracuda's
/// areduce).
template <class Op, class T, int N>
Exp<T> fold(const Op& op, const std::type_identity_t<Exp<T>>& initial, const Acc<T, N>& xs,
            detail::Here where = detail::Here::current()) {
  return detail::unflattened<Exp<T>>(detail::reduce_with<T>(
      {.origin = "fold", .neutral = {}, .initial = initial.parts()}, op, xs.parts(), where));
}

/// Along one axis: every element of the result begins with initial.
template <class Op, class T, int N>
  requires(N > 1)
Acc<T, N - 1> fold(const Op& op, const std::type_identity_t<Exp<T>>& initial, const Acc<T, N>& xs, Axis axis,
                   detail::Here where = detail::Here::current()) {
  return detail::unflattened<Acc<T, N - 1>>(detail::reduce_with<T>(
      {.origin = "fold", .neutral = {}, .initial = initial.parts(), .axis = axis.number}, op, xs.parts(),
      where));
}

/// The sum of all elements; of none 0. Float sums are within the bound that docs/semantics.md states.
template <detail::Number T, int N>
Exp<T> sum(const Acc<T, N>& xs, detail::Here where = detail::Here::current()) {
  return Exp<T>(detail::Parts<T>{detail::reduce("add", "sum", xs.value(), {}, where)});
}
/// Along one axis: fg::sum(m, fg::axis(0)) is the vector of the columns' sums.
template <detail::Number T, int N>
  requires(N > 1)
Acc<T, N - 1> sum(const Acc<T, N>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  return Acc<T, N - 1>(detail::Parts<T>{detail::reduce("add", "sum", xs.value(), axis.number, where)});
}

/// The product of all elements; of none 1.
template <detail::Number T, int N>
Exp<T> product(const Acc<T, N>& xs, detail::Here where = detail::Here::current()) {
  return Exp<T>(detail::Parts<T>{detail::reduce("mul", "product", xs.value(), {}, where)});
}
template <detail::Number T, int N>
  requires(N > 1)
Acc<T, N - 1> product(const Acc<T, N>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  return Acc<T, N - 1>(detail::Parts<T>{detail::reduce("mul", "product", xs.value(), axis.number, where)});
}

/// Whether all elements hold; of none, true.
template <int N>
Exp<bool> all(const Acc<bool, N>& xs, detail::Here where = detail::Here::current()) {
  return Exp<bool>(detail::Parts<bool>{detail::reduce("bit_and", "all", xs.value(), {}, where)});
}
template <int N>
  requires(N > 1)
Acc<bool, N - 1> all(const Acc<bool, N>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  return Acc<bool, N - 1>(
      detail::Parts<bool>{detail::reduce("bit_and", "all", xs.value(), axis.number, where)});
}

/// Whether some element holds; of none, false.
template <int N>
Exp<bool> any(const Acc<bool, N>& xs, detail::Here where = detail::Here::current()) {
  return Exp<bool>(detail::Parts<bool>{detail::reduce("bit_or", "any", xs.value(), {}, where)});
}
template <int N>
  requires(N > 1)
Acc<bool, N - 1> any(const Acc<bool, N>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  return Acc<bool, N - 1>(
      detail::Parts<bool>{detail::reduce("bit_or", "any", xs.value(), axis.number, where)});
}

/// How many elements hold.
template <int N>
Exp<i64> count(const Acc<bool, N>& xs, detail::Here where = detail::Here::current()) {
  const detail::Value ones = detail::cast(xs.value(), detail::Kind::i64, where);
  return Exp<i64>(detail::Parts<i64>{detail::reduce("add", "count", ones, {}, where)});
}

/// Along one axis.
template <int N>
  requires(N > 1)
Acc<i64, N - 1> count(const Acc<bool, N>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  const detail::Value ones = detail::cast(xs.value(), detail::Kind::i64, where);
  return Acc<i64, N - 1>(detail::Parts<i64>{detail::reduce("add", "count", ones, axis.number, where)});
}

/// The index of the first least, or greatest, element; NaNs are passed over (of NaNs only: 0). Raises
/// ShapeError for none.
template <detail::Number T>
Exp<i64> argmin(const Vec<T>& xs, detail::Here where = detail::Here::current()) {
  return Exp<i64>(detail::Parts<i64>{detail::arg_reduce("lt", "argmin", xs.value(), 0, where)});
}
template <detail::Number T>
Exp<i64> argmax(const Vec<T>& xs, detail::Here where = detail::Here::current()) {
  return Exp<i64>(detail::Parts<i64>{detail::arg_reduce("gt", "argmax", xs.value(), 0, where)});
}
/// Along one axis: the indices on it.
template <detail::Number T, int N>
  requires(N > 1)
Acc<i64, N - 1> argmin(const Acc<T, N>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  return Acc<i64, N - 1>(
      detail::Parts<i64>{detail::arg_reduce("lt", "argmin", xs.value(), axis.number, where)});
}
template <detail::Number T, int N>
  requires(N > 1)
Acc<i64, N - 1> argmax(const Acc<T, N>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  return Acc<i64, N - 1>(
      detail::Parts<i64>{detail::arg_reduce("gt", "argmax", xs.value(), axis.number, where)});
}

}  // namespace fulgurite

#pragma GCC visibility pop
