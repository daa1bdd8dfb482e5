// Elements, or rows, chosen or sorted by what a function says of each; their order stays. How many there are
// is known when the program runs: xs.size() of the result is staged as any other size, and shapes that have
// to fit it are checked then. Costs one or two readings of the elements, and one writing of what is chosen.
#pragma once

#include <fulgurite/slices.h>
#include <fulgurite/staged_combinators.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

/// A function of one element as the tracer calls it. Refers to `f`.
template <class T, class F>
struct FunctionOf {
  static_assert(std::is_invocable_v<const F&, Exp<T>>,
                "the function takes one Exp of the array's element type");
  const F& f;

  Values operator()(std::span<const Value> element) const {
    return flattened(f(unflattened<Exp<T>>(element)));
  }
};
template <class F, class T>
using ElementResult = typename ResultOf<ReturnedBy<F, Exp<T>>>::Element;

// The axis along which slices are taken: only rows of matrices, as rows of other arrays lie along several
// axes.
template <class T>
int sliced_axis(const Rows<T, 2>&) {
  return 0;
}
template <class T, int N>
int sliced_axis(const Slices<T, N>& xs) {
  return xs.axis;
}

}  // namespace detail

/// The elements for which p holds.
template <class P, class T>
  requires(!detail::Staged<P>)
Vec<T> filter(const P& p, const Vec<T>& xs, detail::Here where = detail::Here::current()) {
  const detail::FunctionOf<T, P> body{p};
  static_assert(std::same_as<detail::ElementResult<P, T>, bool>, "the function returns an Exp<bool>");
  return detail::unflattened<Vec<T>>(detail::filter(detail::Body(body), xs.parts(), where));
}

/// filter(mask, xs): the elements where the mask holds; of an array of higher rank the rows x[0], x[1] ...,
/// or what has one index on the axis given. Raises ShapeError unless the mask is as long as the axis.
template <class T, int N>
Acc<T, N> filter(const Vec<bool>& mask, const Acc<T, N>& xs, Axis axis = {0},
                 detail::Here where = detail::Here::current()) {
  return detail::unflattened<Acc<T, N>>(detail::filter(mask.value(), xs.parts(), axis.number, where));
}
/// filter(p, fg::rows(m)), also of fg::columns and fg::slices: an array like m with the slices for which p
/// holds.
template <class P, detail::Sliced X>
  requires requires(const X& xs) { detail::sliced_axis(xs); }
auto filter(const P& p, const X& xs, detail::Here where = detail::Here::current()) {
  using Slice = typename detail::MapOperand<X>::Argument;
  static_assert(std::is_invocable_v<const P&, Slice>, "the function takes one array, as it is cut from xs");
  static_assert(std::is_convertible_v<detail::ReturnedBy<P, Slice>, Exp<bool>>,
                "the function returns an Exp<bool>");
  const auto holds = [&p](const Slice& slice) { return Exp<bool>(p(slice)); };
  return filter(map(holds, xs, where), xs.array, Axis{detail::sliced_axis(xs)}, where);
}

/// std::tuple{the elements for which p holds, the others}.
template <class P, class T>
std::tuple<Vec<T>, Vec<T>> partition(const P& p, const Vec<T>& xs,
                                     detail::Here where = detail::Here::current()) {
  const detail::FunctionOf<T, P> body{p};
  static_assert(std::same_as<detail::ElementResult<P, T>, bool>, "the function returns an Exp<bool>");
  const detail::Values results = detail::partition(detail::Body(body), xs.parts(), where);
  detail::Unflatten values(results);
  return {values.next<Vec<T>>(), values.next<Vec<T>>()};
}

/// partition(k, class_of, xs): std::tuple{the elements of class 0, then the elements of class 1 ..., the k +
/// 1 places where classes begin and the last one ends}, as fg::offsets takes them. class_of gives an integer;
/// elements of classes outside 0 .. k - 1 are left out. Raises ShapeError unless 1 <= k <= 2^32.
template <class F, class T>
std::tuple<Vec<T>, Vec<i64>> partition(Index k, const F& class_of, const Vec<T>& xs,
                                       detail::Here where = detail::Here::current()) {
  const detail::FunctionOf<T, F> body{class_of};
  static_assert(detail::Integer<detail::ElementResult<F, T>>, "the function returns an Exp of an integer");
  const detail::Values results = detail::partition(k.value, detail::Body(body), xs.parts(), where);
  detail::Unflatten values(results);
  return {values.next<Vec<T>>(), values.next<Vec<i64>>()};
}

}  // namespace fulgurite

#pragma GCC visibility pop
