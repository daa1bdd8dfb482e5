// Expansion: from each element several, as many as its size says (Elsman, Henriksen, Serup: Data-parallel
// flattening by expansion, 2019; Futhark's package segmented). The work is split by elements, not by what
// they come from: one item may have a million among a hundred thousand of three. Functions are called once,
// while tracing; sizes are integers from 0 on, else ShapeError.
#pragma once

#include <fulgurite/ragged.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

/// What size_of and element_of are for the tracer.
template <class T, class Size, class Element>
struct Expansion {
  static_assert(std::is_invocable_v<const Size&, Exp<T>>,
                "size_of takes one Exp of the array's element type");
  static_assert(
      std::is_invocable_v<const Element&, Exp<T>, Exp<i64>>,
      "element_of takes an Exp of the array's element type, and an Exp<fg::i64> that counts from 0");
  using Returned = ReturnedBy<Element, Exp<T>, Exp<i64>>;
  static_assert(!ResultOf<Returned>::has_arrays, "element_of returns an element, not an array");
  using Result = typename ResultOf<Returned>::Element;

  struct SizeOf {
    const Size& f;
    Values operator()(std::span<const Value> item) const {
      static_assert(std::is_constructible_v<Index, const ReturnedBy<Size, Exp<T>>&>,
                    "size_of returns an integer, how many elements there are of one");
      return {Index(f(unflattened<Exp<T>>(item))).value};
    }
  };
  struct ElementOf {
    const Element& f;
    Values operator()(std::span<const Value> arguments) const {
      Unflatten values(arguments);
      const Exp<T> item = values.next<Exp<T>>();
      return flattened(Exp<Result>(f(item, values.next<Exp<i64>>())));
    }
  };
};

}  // namespace detail

/// expand_rows(size_of, element_of, xs): a ragged array whose row i is element_of(xs[i], 0),
/// element_of(xs[i], 1) ... , size_of(xs[i]) elements. Takes time proportional to the number of items and of
/// elements: a scan of the sizes, a scatter, and a scan of the elements that says which item each belongs to.
/// On CPUs, items of several elements are walked one after the other instead of the last two.
template <class Size, class Element, class T>
auto expand_rows(const Size& size_of, const Element& element_of, const Vec<T>& xs,
                 detail::Here where = detail::Here::current()) {
  using Expansion = detail::Expansion<T, Size, Element>;
  const typename Expansion::SizeOf sizes{size_of};
  const typename Expansion::ElementOf elements{element_of};
  const detail::Values results =
      detail::expand(detail::Body(sizes), detail::Body(elements), xs.parts(), "expand", where);
  return detail::unflattened<Ragged<typename Expansion::Result>>(results);
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
                   const Exp<typename detail::Expansion<T, Size, Element>::Result>& neutral, const Vec<T>& xs,
                   detail::Here where = detail::Here::current()) {
  using Expansion = detail::Expansion<T, Size, Element>;
  const typename Expansion::SizeOf sizes{size_of};
  const typename Expansion::ElementOf elements{element_of};
  using R = typename Expansion::Result;
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
