// Expansion: from each element several, as many as its size says (Elsman, Henriksen, Serup: Data-parallel
// flattening by expansion, 2019; Futhark's package segmented). The work is split by elements, not by what
// they come from: one item may have a million among a hundred thousand of three. Functions are called once,
// while tracing; sizes are integers from 0 on, else ShapeError.
#pragma once

#include <fulgurite/ragged.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

/// What size_of and element_of are for the tracer. Refers to the functions.
template <class T, class Size>
auto sizes_of(const Size& size_of) {
  static_assert(std::is_invocable_v<const Size&, Exp<T>>,
                "size_of takes one Exp of the array's element type");
  static_assert(std::is_constructible_v<Index, const ReturnedBy<Size, Exp<T>>&>,
                "size_of returns an integer, how many elements there are of one");
  return [&size_of](std::span<const Value> item) {
    return Values{Index(size_of(unflattened<Exp<T>>(item))).value};
  };
}
template <class Element, class T>
using ExpandedFrom = typename ResultOf<ReturnedBy<Element, Exp<T>, Exp<i64>>>::Element;
template <class T, class Element>
auto elements_of(const Element& element_of) {
  static_assert(
      std::is_invocable_v<const Element&, Exp<T>, Exp<i64>>,
      "element_of takes an Exp of the array's element type, and an Exp<fg::i64> that counts from 0");
  static_assert(!ResultOf<ReturnedBy<Element, Exp<T>, Exp<i64>>>::has_arrays,
                "element_of returns an element, not an array");
  return [&element_of](std::span<const Value> arguments) {
    Unflatten values(arguments);
    const Exp<T> item = values.next<Exp<T>>();
    return flattened(Exp<ExpandedFrom<Element, T>>(element_of(item, values.next<Exp<i64>>())));
  };
}

}  // namespace detail

/// expand_rows(size_of, element_of, xs): a ragged array whose row i is element_of(xs[i], 0),
/// element_of(xs[i], 1) ... , size_of(xs[i]) elements. Takes time proportional to the number of items and of
/// elements: a scan of the sizes, a scatter, and a scan of the elements that says which item each belongs to.
template <class Size, class Element, class T>
auto expand_rows(const Size& size_of, const Element& element_of, const Vec<T>& xs,
                 detail::Here where = detail::Here::current()) {
  using R = detail::ExpandedFrom<Element, T>;
  const auto sizes = detail::sizes_of<T>(size_of);
  const auto elements = detail::elements_of<T>(element_of);
  const detail::Values results =
      detail::expand(detail::Body(sizes), detail::Body(elements), xs.parts(), "expand", where);
  return detail::unflattened<Ragged<R>>(results);
}

/// expand(size_of, element_of, xs): these elements one after the other, as a vector.
template <class Size, class Element, class T>
auto expand(const Size& size_of, const Element& element_of, const Vec<T>& xs,
            detail::Here where = detail::Here::current()) {
  return expand_rows(size_of, element_of, xs, where).values();
}

/// expand_reduce(size_of, element_of, op, neutral, xs): the fold of the elements of each item, of none
/// neutral; the elements themselves never become memory. As many results as items.
template <class Size, class Element, class Op, class T>
auto expand_reduce(const Size& size_of, const Element& element_of, const Op& op,
                   const Exp<detail::ExpandedFrom<Element, T>>& neutral, const Vec<T>& xs,
                   detail::Here where = detail::Here::current()) {
  using R = detail::ExpandedFrom<Element, T>;
  const auto sizes = detail::sizes_of<T>(size_of);
  const auto elements = detail::elements_of<T>(element_of);
  const detail::OperatorOn<R, Op> combine{op};
  return detail::unflattened<Vec<R>>(detail::expand_reduce(
      {.origin = "expand_reduce", .neutral = neutral.parts(), .initial = {}}, detail::Body(combine),
      detail::Body(sizes), detail::Body(elements), xs.parts(), where));
}

/// replicate(fg::lengths(ls), xs): element i of xs ls[i] times; also by offsets, flags or one length for all.
/// Raises ShapeError unless there is a segment for each element.
template <class T>
Vec<T> replicate(const detail::Segments& segments, const Vec<T>& xs,
                 detail::Here where = detail::Here::current()) {
  return detail::unflattened<Vec<T>>(detail::replicate(segments, xs.parts(), where));
}

/// gather(rows, indices): rows indices[0], indices[1] ... , each copied. Raises IndexError for one outside.
template <class T, detail::Integer I>
Ragged<T> gather(const Ragged<T>& xs, const Vec<I>& indices, detail::Here where = detail::Here::current()) {
  return expand_rows([&](const Exp<I>& i) { return xs.row({i, where}).size(where); },
                     [&](const Exp<I>& i, const Exp<i64>& k) { return xs.row({i, where})[{k, where}]; },
                     indices, where);
}
/// filter(p, fg::rows(xs)): the rows for which p, a function of a Vec, holds.
template <class P, class T>
Ragged<T> filter(const P& p, const detail::RaggedRows<T>& xs, detail::Here where = detail::Here::current()) {
  const auto holds = [&p](const Vec<T>& row) { return Exp<bool>(p(row)); };
  const Vec<bool> kept = detail::map(where, holds, xs);
  return gather(xs.rows, filter(kept, iota(xs.rows.size(where), where), {0}, where), where);
}

}  // namespace fulgurite

#pragma GCC visibility pop
