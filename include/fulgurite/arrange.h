// The same elements in other places: arrays joined, and rotated. Neither becomes memory unless it is a result
// or read in many places: consumers read the originals. Costs nothing by itself where consumers read the
// originals, else one copy.
#pragma once

#include <fulgurite/shape.h>
#include <fulgurite/staged_layout.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

/// An axis and the line on which it stands, where a list of arrays follows.
struct LocatedAxis {
  int number;
  Here where;

  LocatedAxis(Axis axis, Here at = Here::current()) : number(axis.number), where(at) {}
};

template <class T, int N, class... Xs>
Acc<T, N> concat(int axis, Here where, const Acc<T, N>& x, const Xs&... xs) {
  const Operand operands[] = {{x.parts()}, {xs.parts()}...};
  return unflattened<Acc<T, N>>(concat(std::span<const Operand>(operands), axis, where));
}

}  // namespace detail

/// concat(axis(k), a, b, ...): arrays of one element type and rank, one after the other along an axis. Raises
/// ShapeError unless they agree in the other extents. Reads each element once, and of every array only what
/// is its own.
template <class T, int N, std::same_as<Acc<T, N>>... Xs>
Acc<T, N> concat(detail::LocatedAxis axis, const Acc<T, N>& a, const Xs&... more) {
  return detail::concat(axis.number, axis.where, a, more...);
}
/// concat(a, b, ...), of two to eight arrays: along the outermost axis.
template <class T, int N>
Acc<T, N> concat(const Acc<T, N>& a, const Acc<T, N>& b, detail::Here where = detail::Here::current()) {
  return detail::concat(0, where, a, b);
}
template <class T, int N>
Acc<T, N> concat(const Acc<T, N>& a, const Acc<T, N>& b, const Acc<T, N>& c,
                 detail::Here where = detail::Here::current()) {
  return detail::concat(0, where, a, b, c);
}
template <class T, int N>
Acc<T, N> concat(const Acc<T, N>& a, const Acc<T, N>& b, const Acc<T, N>& c, const Acc<T, N>& d,
                 detail::Here where = detail::Here::current()) {
  return detail::concat(0, where, a, b, c, d);
}
template <class T, int N>
Acc<T, N> concat(const Acc<T, N>& a, const Acc<T, N>& b, const Acc<T, N>& c, const Acc<T, N>& d,
                 const Acc<T, N>& e, detail::Here where = detail::Here::current()) {
  return detail::concat(0, where, a, b, c, d, e);
}
template <class T, int N>
Acc<T, N> concat(const Acc<T, N>& a, const Acc<T, N>& b, const Acc<T, N>& c, const Acc<T, N>& d,
                 const Acc<T, N>& e, const Acc<T, N>& f, detail::Here where = detail::Here::current()) {
  return detail::concat(0, where, a, b, c, d, e, f);
}
template <class T, int N>
Acc<T, N> concat(const Acc<T, N>& a, const Acc<T, N>& b, const Acc<T, N>& c, const Acc<T, N>& d,
                 const Acc<T, N>& e, const Acc<T, N>& f, const Acc<T, N>& g,
                 detail::Here where = detail::Here::current()) {
  return detail::concat(0, where, a, b, c, d, e, f, g);
}
template <class T, int N>
Acc<T, N> concat(const Acc<T, N>& a, const Acc<T, N>& b, const Acc<T, N>& c, const Acc<T, N>& d,
                 const Acc<T, N>& e, const Acc<T, N>& f, const Acc<T, N>& g, const Acc<T, N>& h,
                 detail::Here where = detail::Here::current()) {
  return detail::concat(0, where, a, b, c, d, e, f, g, h);
}

/// rotate(x, k): element i is x[(i + k) mod n]; any k, also negative or larger than n. Along the outermost
/// axis, or the one given.
template <class T, int N>
Acc<T, N> rotate(const Acc<T, N>& x, Index k, Axis axis = {0}, detail::Here where = detail::Here::current()) {
  return detail::unflattened<Acc<T, N>>(detail::rotate(x.parts(), k.value, axis.number, where));
}

}  // namespace fulgurite

#pragma GCC visibility pop
