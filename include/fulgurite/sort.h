// Sorting, always stable: equal elements keep their order. Of an array of higher rank the lines along one
// axis are sorted, each by itself, the innermost axis unless another is given; or rows, by a key of each.
// Without a comparison the order is that of the element type: integers and false < true as one expects,
// floats with -0 before +0 and every NaN last, composites by their fields in order of declaration. These are
// sorted by radix, in time proportional to the number of elements and to the bytes of the key, and on CPUs
// many short rows of one length, which a map sorts, by networks of comparisons, a row in each vector lane. A
// comparison is a function of two elements that says whether the first comes before the second (a strict weak
// order, as for std::sort). One that compares the same function of both, as a.x * a.x > b.x * b.x does, is
// sorted by radix too, others by merging. It is called several times while tracing.
#pragma once

#include <fulgurite/filter.h>
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

// The components of keys, then the components of the values that are sorted with them.
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

// The vectors of keys and of what follows them, in order: a function of the vectors.
template <class Less>
auto sorting(const Less& less, std::size_t n_keys, const char* origin, Here where) {
  return [&less, n_keys, origin, where](std::span<const Value> vectors) {
    return sort(Body(less), vectors, n_keys, origin, where);
  };
}
inline auto sorting(std::size_t n_keys, const char* origin, Here where) {
  return [n_keys, origin, where](std::span<const Value> vectors) {
    return sort(vectors, n_keys, origin, where);
  };
}
// The indices of a line's keys in order, as a function of the keys.
template <class Sorted>
auto ordering(const Sorted& sorted, Here where) {
  return [&sorted, where](std::span<const Value> keys) {
    Values vectors(keys.begin(), keys.end());
    vectors.push_back(iota(extent(keys[0], 0, where), Kind::i64, where));
    return Values{sorted(vectors).back()};
  };
}
template <class X, class Sorted>
X sorted_lines(const Sorted& sorted, std::span<const Value> parts, Axis axis, const char* origin,
               Here where) {
  return unflattened<X>(on_lines(parts, axis.number, Body(sorted), origin, where));
}
template <class K, class V, int N, class Sorted>
std::tuple<Acc<K, N>, Acc<V, N>> lines_by_key(const Sorted& sorted, const Acc<K, N>& keys,
                                              const Acc<V, N>& values, Axis axis, Here where) {
  const Operand operands[] = {{keys.parts()}, {values.parts()}};
  require_equal_shapes("sort_by_key", operands, where);
  const Values lines =
      on_lines(flattened(std::tie(keys, values)), axis.number, Body(sorted), "sort_by_key", where);
  Unflatten rest(lines);
  return {rest.next<Acc<K, N>>(), rest.next<Acc<V, N>>()};
}
// The keys in order, and of an array what has the keys' indices along an axis.
template <class K, class V, int N, class Sorted>
std::tuple<Vec<K>, Acc<V, N>> slices_by_key(const Sorted& sorted, const Vec<K>& keys, const Acc<V, N>& values,
                                            Axis axis, Here where) {
  require_fits_axis("sort_by_key", keys.parts()[0], values.parts()[0], axis.number, where);
  const Values vectors = sorted(keys_and(keys, indices_of(keys, where)));
  Unflatten rest(vectors);
  Vec<K> in_order = rest.next<Vec<K>>();
  return {in_order, unflattened<Acc<V, N>>(
                        at_places(values.parts(), vectors.back(), axis.number, "sort_by_key", where))};
}

// Whether two elements are not one for unique: NaNs are, as they are equal for sort.
template <class T>
Exp<bool> differ(const Exp<T>& a, const Exp<T>& b) {
  if constexpr (std::floating_point<T>) {
    return a != b && (a == a || b == b);
  } else if constexpr (Scalar<T>) {
    return a != b;
  } else {
    Exp<bool> any = false;
    for_each_field<T>(
        [&](auto i) { any = any | differ<Field<T, i>>(a.template get<i>(), b.template get<i>()); });
    return any;
  }
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

/// The distinct elements in order. Floats that compare equal are one, and so are NaNs.
template <class T>
Vec<T> unique(const Vec<T>& xs, detail::Here where = detail::Here::current()) {
  const Vec<T> sorted = sort(xs, where);
  const auto is_first = [&](const Exp<i64>& i) {
    return i == 0 || detail::differ(sorted[{i, where}], sorted[{i - 1, where}]);
  };
  return filter(detail::generate(std::array{sorted.size(where).value()}, is_first, "unique", where), sorted,
                {0}, where);
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

/// Along one axis: each line is sorted by itself.
template <class T, int N>
  requires(N > 1)
Acc<T, N> sort(const Acc<T, N>& xs, Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  const auto sorted = detail::sorting(detail::n_leaves<T>, "sort", where);
  return detail::sorted_lines<Acc<T, N>>(sorted, xs.parts(), axis, "sort", where);
}
template <class Less, class T, int N>
  requires(N > 1)
Acc<T, N> sort(const Less& less, const Acc<T, N>& xs, Axis axis = {-1},
               detail::Here where = detail::Here::current()) {
  const auto body = detail::comparison<T>(less);
  const auto sorted = detail::sorting(body, detail::n_leaves<T>, "sort", where);
  return detail::sorted_lines<Acc<T, N>>(sorted, xs.parts(), axis, "sort", where);
}
/// The indices along the axis.
template <class T, int N>
  requires(N > 1)
Acc<i64, N> argsort(const Acc<T, N>& xs, Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  const auto sorted = detail::sorting(detail::n_leaves<T>, "argsort", where);
  const auto order = detail::ordering(sorted, where);
  return detail::sorted_lines<Acc<i64, N>>(order, xs.parts(), axis, "argsort", where);
}
template <class Less, class T, int N>
  requires(N > 1)
Acc<i64, N> argsort(const Less& less, const Acc<T, N>& xs, Axis axis = {-1},
                    detail::Here where = detail::Here::current()) {
  const auto body = detail::comparison<T>(less);
  const auto sorted = detail::sorting(body, detail::n_leaves<T>, "argsort", where);
  const auto order = detail::ordering(sorted, where);
  return detail::sorted_lines<Acc<i64, N>>(order, xs.parts(), axis, "argsort", where);
}
/// Keys and values of one shape (else ShapeError), in order along the axis.
template <class K, class V, int N>
  requires(N > 1)
std::tuple<Acc<K, N>, Acc<V, N>> sort_by_key(const Acc<K, N>& keys, const Acc<V, N>& values, Axis axis = {-1},
                                             detail::Here where = detail::Here::current()) {
  const auto sorted = detail::sorting(detail::n_leaves<K>, "sort_by_key", where);
  return detail::lines_by_key(sorted, keys, values, axis, where);
}
template <class Less, class K, class V, int N>
  requires(N > 1)
std::tuple<Acc<K, N>, Acc<V, N>> sort_by_key(const Less& less, const Acc<K, N>& keys, const Acc<V, N>& values,
                                             Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  const auto body = detail::comparison<K>(less);
  const auto sorted = detail::sorting(body, detail::n_leaves<K>, "sort_by_key", where);
  return detail::lines_by_key(sorted, keys, values, axis, where);
}

/// sort_by_key(keys, m): the keys in order, and the rows that belong to them, whole; or what has one index on
/// the axis given. Raises ShapeError unless there are as many keys.
template <class K, class V, int N>
  requires(N > 1)
std::tuple<Vec<K>, Acc<V, N>> sort_by_key(const Vec<K>& keys, const Acc<V, N>& values, Axis axis = {0},
                                          detail::Here where = detail::Here::current()) {
  const auto sorted = detail::sorting(detail::n_leaves<K>, "sort_by_key", where);
  return detail::slices_by_key(sorted, keys, values, axis, where);
}
template <class Less, class K, class V, int N>
  requires(N > 1)
std::tuple<Vec<K>, Acc<V, N>> sort_by_key(const Less& less, const Vec<K>& keys, const Acc<V, N>& values,
                                          Axis axis = {0}, detail::Here where = detail::Here::current()) {
  const auto body = detail::comparison<K>(less);
  const auto sorted = detail::sorting(body, detail::n_leaves<K>, "sort_by_key", where);
  return detail::slices_by_key(sorted, keys, values, axis, where);
}

}  // namespace fulgurite

#pragma GCC visibility pop
