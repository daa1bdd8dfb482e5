// Scans: running folds of arrays along their innermost axis, each row by itself, or along the axis given. An
// operator is a function of two staged elements that returns one, associative up to rounding; it need not be
// commutative. Results have the shape of xs. All raise TraceError where a staged value is used out of place;
// shapes always fit. Costs one reading and one writing of the elements on a CPU's thread, and two readings
// where threads share a scan.
#pragma once

#include <fulgurite/reduce.h>
#include <fulgurite/staged_combinators.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

template <class T, int N, class Op>
Values scan_with(const Scanning& how, const Op& op, const Acc<T, N>& xs, Here where) {
  const OperatorOn<T, Op> body{op};
  return scan(how, Body(body), xs.parts(), where);
}
template <class T, int N, class Op>
Acc<T, N> scanned(const Scanning& how, const Op& op, const Acc<T, N>& xs, Here where) {
  return unflattened<Acc<T, N>>(scan_with(how, op, xs, where));
}
template <class T, int N, class Op>
auto scanned_with_total(const Scanning& how, const Op& op, const Acc<T, N>& xs, Here where) {
  const Values results = scan_with(how, op, xs, where);
  Unflatten values(results);
  using Total = StagedOf<T, N - 1>;
  return std::tuple<Acc<T, N>, Total>{values.next<Acc<T, N>>(), values.next<Total>()};
}

}  // namespace detail

/// scan(op, neutral, xs): x0, x0 op x1, x0 op x1 op x2 ... The neutral element must be neutral.
template <class Op, class T, int N>
Acc<T, N> scan(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Acc<T, N>& xs,
               Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::scanned({.origin = "scan", .neutral = neutral.parts(), .initial = {}, .axis = axis.number},
                         op, xs, where);
}
/// Without a neutral element; of none, none.
template <class Op, class T, int N>
Acc<T, N> scan(const Op& op, const Acc<T, N>& xs, Axis axis = {-1},
               detail::Here where = detail::Here::current()) {
  return detail::scanned({.origin = "scan", .neutral = {}, .initial = {}, .axis = axis.number}, op, xs,
                         where);
}
/// exclusive_scan(op, initial, xs): initial, initial op x0, initial op x0 op x1 ... without the last element;
/// initial is any value.
template <class Op, class T, int N>
Acc<T, N> exclusive_scan(const Op& op, const std::type_identity_t<Exp<T>>& initial, const Acc<T, N>& xs,
                         Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::scanned({.origin = "exclusive_scan",
                          .inclusive = false,
                          .neutral = {},
                          .initial = initial.parts(),
                          .axis = axis.number},
                         op, xs, where);
}

/// scan_right(op, neutral, xs): element i is xi op x(i+1) ... op the last one.
template <class Op, class T, int N>
Acc<T, N> scan_right(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Acc<T, N>& xs,
                     Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::scanned({.origin = "scan_right",
                          .from_right = true,
                          .neutral = neutral.parts(),
                          .initial = {},
                          .axis = axis.number},
                         op, xs, where);
}
template <class Op, class T, int N>
Acc<T, N> scan_right(const Op& op, const Acc<T, N>& xs, Axis axis = {-1},
                     detail::Here where = detail::Here::current()) {
  return detail::scanned(
      {.origin = "scan_right", .from_right = true, .neutral = {}, .initial = {}, .axis = axis.number}, op, xs,
      where);
}
/// exclusive_scan_right(op, initial, xs): element i is x(i+1) op ... op the last one op initial; the last is
/// initial, any value.
template <class Op, class T, int N>
Acc<T, N> exclusive_scan_right(const Op& op, const std::type_identity_t<Exp<T>>& initial, const Acc<T, N>& xs,
                               Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::scanned({.origin = "exclusive_scan_right",
                          .inclusive = false,
                          .from_right = true,
                          .neutral = {},
                          .initial = initial.parts(),
                          .axis = axis.number},
                         op, xs, where);
}

/// The exclusive scan from the neutral element, and the fold of all: std::tuple{prefixes, total}. The total
/// is an Exp, of arrays of higher rank an array with the axis gone.
template <class Op, class T, int N>
auto scan_with_total(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Acc<T, N>& xs,
                     Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::scanned_with_total({.origin = "scan_with_total",
                                     .inclusive = false,
                                     .totals = true,
                                     .neutral = neutral.parts(),
                                     .initial = {},
                                     .axis = axis.number},
                                    op, xs, where);
}
/// scan_with_total() from the right.
template <class Op, class T, int N>
auto scan_right_with_total(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Acc<T, N>& xs,
                           Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::scanned_with_total({.origin = "scan_right_with_total",
                                     .inclusive = false,
                                     .from_right = true,
                                     .totals = true,
                                     .neutral = neutral.parts(),
                                     .initial = {},
                                     .axis = axis.number},
                                    op, xs, where);
}

}  // namespace fulgurite

#pragma GCC visibility pop
