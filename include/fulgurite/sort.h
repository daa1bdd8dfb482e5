// Sorting of vectors, always stable: equal elements keep their order. Without a comparison the order is that
// of the element type: integers and false < true as one expects, floats with -0 before +0 and every NaN last,
// composites by their fields in order of declaration. These are sorted by radix, in time proportional to the
// number of elements and to the bytes of the key. A comparison is a function of two elements that says
// whether the first comes before the second (a strict weak order, as for std::sort). One that compares the
// same function of both, as a.x * a.x > b.x * b.x does, is sorted by radix too, others by merging. It is
// called several times while tracing.
#pragma once

#include <fulgurite/map.h>
#include <fulgurite/staged_layout.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

// Less for the tracer, which calls it with the leaves of two keys. Refers to `less`.
template <class T, class Less>
auto comparison(const Less& less) {
  static_assert(
      std::is_invocable_r_v<Exp<bool>, const Less&, Exp<T>, Exp<T>>,
      "the comparison given to sort takes two Exp of the key's element type and returns an Exp<bool>");
  return [&less](std::span<const Value> operands) {
    constexpr std::size_t n = n_leaves<T>;
    return flattened(
        Exp<bool>(less(unflattened<Exp<T>>(operands.first(n)), unflattened<Exp<T>>(operands.last(n)))));
  };
}

// The components of keys, then those of what is sorted with them.
template <class T, class... Vs>
Values keys_and(const Vec<T>& keys, const Vs&... values) {
  return flattened(std::tie(keys, values...));
}
template <class T>
Vec<i64> indices_of(const Vec<T>& xs, Here where) {
  return Vec<i64>(Parts<i64>{iota(extent(xs.parts()[0], 0, where), Kind::i64, where)});
}
template <class K, class V>
Values with_values(const Vec<K>& keys, const Vec<V>& values, Here where) {
  const Operand operands[] = {{keys.parts()}, {values.parts()}};
  require_equal_shapes("sort_by_key", operands, where);
  return keys_and(keys, values);
}
template <class K, class V>
std::tuple<Vec<K>, Vec<V>> keys_and_values(const Values& sorted) {
  Unflatten rest(sorted);
  return {rest.next<Vec<K>>(), rest.next<Vec<V>>()};
}

}  // namespace detail

/// The elements in order.
template <class T>
Vec<T> sort(const Vec<T>& xs, detail::Here where = detail::Here::current()) {
  return detail::unflattened<Vec<T>>(detail::sort(xs.parts(), detail::n_leaves<T>, "sort", where));
}
template <class Less, class T>
Vec<T> sort(const Less& less, const Vec<T>& xs, detail::Here where = detail::Here::current()) {
  const auto body = detail::comparison<T>(less);
  return detail::unflattened<Vec<T>>(
      detail::sort(detail::Body(body), xs.parts(), detail::n_leaves<T>, "sort", where));
}

/// The indices of the elements in order: gather(xs, argsort(xs)) is sort(xs).
template <class T>
Vec<i64> argsort(const Vec<T>& xs, detail::Here where = detail::Here::current()) {
  const detail::Values vectors = detail::keys_and(xs, detail::indices_of(xs, where));
  return std::get<1>(
      detail::keys_and_values<T, i64>(detail::sort(vectors, detail::n_leaves<T>, "argsort", where)));
}
template <class Less, class T>
Vec<i64> argsort(const Less& less, const Vec<T>& xs, detail::Here where = detail::Here::current()) {
  const auto body = detail::comparison<T>(less);
  const detail::Values vectors = detail::keys_and(xs, detail::indices_of(xs, where));
  return std::get<1>(detail::keys_and_values<T, i64>(
      detail::sort(detail::Body(body), vectors, detail::n_leaves<T>, "argsort", where)));
}

/// The keys in order, and the values that belong to them. Raises ShapeError unless there are as many.
template <class K, class V>
std::tuple<Vec<K>, Vec<V>> sort_by_key(const Vec<K>& keys, const Vec<V>& values,
                                       detail::Here where = detail::Here::current()) {
  const detail::Values vectors = detail::with_values(keys, values, where);
  return detail::keys_and_values<K, V>(detail::sort(vectors, detail::n_leaves<K>, "sort_by_key", where));
}
template <class Less, class K, class V>
std::tuple<Vec<K>, Vec<V>> sort_by_key(const Less& less, const Vec<K>& keys, const Vec<V>& values,
                                       detail::Here where = detail::Here::current()) {
  const auto body = detail::comparison<K>(less);
  const detail::Values vectors = detail::with_values(keys, values, where);
  return detail::keys_and_values<K, V>(
      detail::sort(detail::Body(body), vectors, detail::n_leaves<K>, "sort_by_key", where));
}

}  // namespace fulgurite

#pragma GCC visibility pop
