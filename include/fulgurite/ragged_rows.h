// What is done to each row of a ragged array by itself, and to rows as a whole. Rows are axis 0 and their
// elements axis 1: folds take fg::axis(1), as those of matrices do. A fold of rows costs as much as one of
// all elements if there are many rows or long ones; scans, filters and sorts run over all elements, however
// they are spread over rows.
#pragma once

#include <fulgurite/arrange.h>
#include <fulgurite/expand.h>
#include <fulgurite/ragged.h>
#include <fulgurite/sort.h>

#include <limits>

#pragma GCC visibility push(default)

namespace fulgurite {

/// Folds of all elements, in the order of the rows: those of xs.values().
template <class Op, class T>
Exp<T> reduce(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Ragged<T>& xs,
              detail::Here where = detail::Here::current()) {
  return reduce(op, neutral, xs.values(), where);
}
template <class Op, class T>
Exp<T> reduce(const Op& op, const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  return reduce(op, xs.values(), where);
}
template <class Op, class T>
Exp<T> fold(const Op& op, const std::type_identity_t<Exp<T>>& initial, const Ragged<T>& xs,
            detail::Here where = detail::Here::current()) {
  return fold(op, initial, xs.values(), where);
}
template <detail::Number T>
Exp<T> sum(const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  return sum(xs.values(), where);
}
template <detail::Number T>
Exp<T> product(const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  return product(xs.values(), where);
}
inline Exp<bool> all(const Ragged<bool>& xs, detail::Here where = detail::Here::current()) {
  return all(xs.values(), where);
}
inline Exp<bool> any(const Ragged<bool>& xs, detail::Here where = detail::Here::current()) {
  return any(xs.values(), where);
}
inline Exp<i64> count(const Ragged<bool>& xs, detail::Here where = detail::Here::current()) {
  return count(xs.values(), where);
}

/// The fold of each row, as reduce gives it: of an empty one, neutral, which must be neutral.
template <class Op, class T>
Vec<T> reduce(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Ragged<T>& xs, Axis axis,
              detail::Here where = detail::Here::current()) {
  detail::require_axis_of_rows("reduce", axis.number, where);
  return segmented_reduce(op, neutral, xs.segments(), xs.values(), {-1}, where);
}
/// Without a neutral element. Raises ShapeError for an empty row.
template <class Op, class T>
Vec<T> reduce(const Op& op, const Ragged<T>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  detail::require_axis_of_rows("reduce", axis.number, where);
  return segmented_reduce(op, xs.segments(), xs.values(), {-1}, where);
}
/// As fold gives it: each row begins with initial, which is any value.
template <class Op, class T>
Vec<T> fold(const Op& op, const std::type_identity_t<Exp<T>>& initial, const Ragged<T>& xs, Axis axis,
            detail::Here where = detail::Here::current()) {
  detail::require_axis_of_rows("fold", axis.number, where);
  return segmented_fold(op, initial, xs.segments(), xs.values(), {-1}, where);
}
/// The sum of each row; of an empty one 0.
template <detail::Number T>
Vec<T> sum(const Ragged<T>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  detail::require_axis_of_rows("sum", axis.number, where);
  return segmented_reduce(plus, T{0}, xs.segments(), xs.values(), {-1}, where);
}
/// The product of each row; of an empty one 1.
template <detail::Number T>
Vec<T> product(const Ragged<T>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  detail::require_axis_of_rows("product", axis.number, where);
  return segmented_reduce(times, T{1}, xs.segments(), xs.values(), {-1}, where);
}
/// Whether all elements of each row hold; of an empty one, true.
inline Vec<bool> all(const Ragged<bool>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  detail::require_axis_of_rows("all", axis.number, where);
  return segmented_reduce(logical_and, true, xs.segments(), xs.values(), {-1}, where);
}
/// Whether some element of each row holds; of an empty one, false.
inline Vec<bool> any(const Ragged<bool>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  detail::require_axis_of_rows("any", axis.number, where);
  return segmented_reduce(logical_or, false, xs.segments(), xs.values(), {-1}, where);
}
/// How many elements of each row hold.
inline Vec<i64> count(const Ragged<bool>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  detail::require_axis_of_rows("count", axis.number, where);
  return segmented_reduce(plus, i64{0}, xs.segments(), cast<i64>(xs.values(), where), {-1}, where);
}
/// In each row the index of the first least, or greatest, element; NaNs are passed over (of NaNs only: 0).
/// Raises ShapeError for an empty row.
template <detail::Number T>
Vec<i64> argmin(const Ragged<T>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  detail::require_axis_of_rows("argmin", axis.number, where);
  return detail::map(where, [&](const Vec<T>& row) { return argmin(row, where); }, rows(xs));
}
template <detail::Number T>
Vec<i64> argmax(const Ragged<T>& xs, Axis axis, detail::Here where = detail::Here::current()) {
  detail::require_axis_of_rows("argmax", axis.number, where);
  return detail::map(where, [&](const Vec<T>& row) { return argmax(row, where); }, rows(xs));
}

template <class T>
template <class Op>
Vec<T> Ragged<T>::least_of_rows(const Op& op, Axis axis, Here where) const {
  using Limits = std::numeric_limits<T>;
  constexpr bool is_min = std::same_as<Op, std::decay_t<decltype(min)>>;
  constexpr T low = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  constexpr T high = Limits::has_infinity ? Limits::infinity() : Limits::max();
  return reduce(op, is_min ? high : low, *this, axis, where);
}

/// The scan of each row by itself, as scan gives it; rows keep their lengths.
template <class Op, class T>
Ragged<T> scan(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Ragged<T>& xs,
               detail::Here where = detail::Here::current()) {
  return detail::ragged_like(xs.offsets(),
                             segmented_scan(op, neutral, xs.segments(), xs.values(), {-1}, where));
}
/// Without a neutral element.
template <class Op, class T>
Ragged<T> scan(const Op& op, const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  return detail::ragged_like(xs.offsets(), segmented_scan(op, xs.segments(), xs.values(), {-1}, where));
}
template <class Op, class T>
Ragged<T> exclusive_scan(const Op& op, const std::type_identity_t<Exp<T>>& initial, const Ragged<T>& xs,
                         detail::Here where = detail::Here::current()) {
  return detail::ragged_like(xs.offsets(),
                             segmented_exclusive_scan(op, initial, xs.segments(), xs.values(), {-1}, where));
}

/// The scans of each row from the right, as scan_right and exclusive_scan_right give them.
template <class Op, class T>
Ragged<T> scan_right(const Op& op, const std::type_identity_t<Exp<T>>& neutral, const Ragged<T>& xs,
                     detail::Here where = detail::Here::current()) {
  return detail::ragged_like(xs.offsets(),
                             segmented_scan_right(op, neutral, xs.segments(), xs.values(), {-1}, where));
}
template <class Op, class T>
Ragged<T> scan_right(const Op& op, const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  return detail::ragged_like(xs.offsets(), segmented_scan_right(op, xs.segments(), xs.values(), {-1}, where));
}
template <class Op, class T>
Ragged<T> exclusive_scan_right(const Op& op, const std::type_identity_t<Exp<T>>& initial, const Ragged<T>& xs,
                               detail::Here where = detail::Here::current()) {
  return detail::ragged_like(
      xs.offsets(), segmented_exclusive_scan_right(op, initial, xs.segments(), xs.values(), {-1}, where));
}

/// The elements of each row where the mask holds; there are as many rows as before. Raises ShapeError unless
/// rows of both have equal lengths.
template <class T>
Ragged<T> filter(const Ragged<bool>& mask, const Ragged<T>& xs,
                 detail::Here where = detail::Here::current()) {
  detail::require_equal_rows("filter", std::array{mask.offsets().value(), xs.offsets().value()}, where);
  const Vec<bool>& kept = mask.values();
  const auto [before, total] = scan_with_total(plus, i64{0}, cast<i64>(kept, where), {-1}, where);
  const Vec<i64> offsets = detail::map(
      where,
      [&, first = before, all = total](const Exp<i64>& at) {
        return cond(at < xs.values().size(where), [&] { return first[at]; }, [&] { return all; });
      },
      xs.offsets());
  return detail::ragged_like(offsets, filter(kept, xs.values(), {0}, where));
}
/// The elements of each row for which p holds.
template <class P, class T>
  requires std::is_invocable_r_v<Exp<bool>, const P&, Exp<T>>
Ragged<T> filter(const P& p, const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  const Vec<bool> kept = detail::map(where, [&p](const Exp<T>& x) { return Exp<bool>(p(x)); }, xs.values());
  return filter(detail::ragged_like(xs.offsets(), kept), xs, where);
}

/// The elements of each row in order, stably, as sort orders them.
template <class T>
Ragged<T> sort(const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  const detail::Values sorted =
      detail::sort_rows(xs.values().parts(), detail::n_leaves<T>, xs.offsets().value(), "sort", where);
  return detail::ragged_like(xs.offsets(), detail::unflattened<Vec<T>>(sorted));
}
template <class Less, class T>
Ragged<T> sort(const Less& less, const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  const auto body = detail::comparison<T>(less);
  const detail::Values sorted = detail::sort_rows(detail::Body(body), xs.values().parts(),
                                                  detail::n_leaves<T>, xs.offsets().value(), "sort", where);
  return detail::ragged_like(xs.offsets(), detail::unflattened<Vec<T>>(sorted));
}

namespace detail {

// The number of the first element of the row, for each element.
template <class T>
Vec<i64> row_begins(const Ragged<T>& xs, Here where) {
  return replicate(xs.segments(), take(xs.offsets(), xs.size(where), {0}, where), where);
}
// The index in the row, for each element.
template <class T>
Vec<i64> indices_in_rows(const Ragged<T>& xs, Here where) {
  const Vec<i64> numbers = indices_of(xs.values(), where), begins = row_begins(xs, where);
  return Vec<i64>(Parts<i64>{apply("sub", {numbers.value(), begins.value()}, where)});
}
// Each row with the elements at the places that `place` gives for an index in the row and its length.
template <class T, class Place>
Ragged<T> within_rows(const char* origin, const Ragged<T>& xs, const Place& place, Here where) {
  const Vec<i64> numbers = xs.row_numbers(where), &offsets = xs.offsets();
  const auto element = [&](const Exp<i64>& p) {
    const Exp<i64> row = numbers[{p, where}];
    const Exp<i64> begin = offsets[{row, where}], end = offsets[{row + 1, where}];
    return xs.values()[{begin + place(p - begin, end - begin), where}];
  };
  return ragged_like(offsets, generate(std::array{xs.values().size(where).value()}, element, origin, where));
}
template <class K, class V>
std::tuple<Ragged<K>, Ragged<V>> rows_by_key(const Ragged<K>& keys, const Values& sorted) {
  auto [in_order, values] = keys_and_values<K, V>(sorted);
  return {ragged_like(keys.offsets(), in_order), ragged_like(keys.offsets(), values)};
}

}  // namespace detail

/// The keys of each row in order, and the values that belong to them. Raises ShapeError unless rows of both
/// have equal lengths.
template <class K, class V>
std::tuple<Ragged<K>, Ragged<V>> sort_by_key(const Ragged<K>& keys, const Ragged<V>& values,
                                             detail::Here where = detail::Here::current()) {
  detail::require_equal_rows("sort_by_key", std::array{keys.offsets().value(), values.offsets().value()},
                             where);
  const detail::Values all = detail::keys_and(keys.values(), values.values());
  return detail::rows_by_key<K, V>(
      keys, detail::sort_rows(all, detail::n_leaves<K>, keys.offsets().value(), "sort_by_key", where));
}
template <class Less, class K, class V>
std::tuple<Ragged<K>, Ragged<V>> sort_by_key(const Less& less, const Ragged<K>& keys, const Ragged<V>& values,
                                             detail::Here where = detail::Here::current()) {
  detail::require_equal_rows("sort_by_key", std::array{keys.offsets().value(), values.offsets().value()},
                             where);
  const auto body = detail::comparison<K>(less);
  const detail::Values all = detail::keys_and(keys.values(), values.values());
  return detail::rows_by_key<K, V>(keys, detail::sort_rows(detail::Body(body), all, detail::n_leaves<K>,
                                                           keys.offsets().value(), "sort_by_key", where));
}
/// The indices of the elements of each row in order.
template <class T>
Ragged<i64> argsort(const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  return std::get<1>(
      sort_by_key(xs, detail::ragged_like(xs.offsets(), detail::indices_in_rows(xs, where)), where));
}
template <class Less, class T>
Ragged<i64> argsort(const Less& less, const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  return std::get<1>(
      sort_by_key(less, xs, detail::ragged_like(xs.offsets(), detail::indices_in_rows(xs, where)), where));
}
/// The distinct elements of each row in order, as unique gives them.
template <class T>
Ragged<T> unique(const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  const Ragged<T> sorted = sort(xs, where);
  const Vec<i64> begins = detail::row_begins(sorted, where);
  const Vec<T>& all = sorted.values();
  const auto is_first = [&](const Exp<i64>& k) {
    return k == begins[{k, where}] || detail::differ(all[{k, where}], all[{k - 1, where}]);
  };
  const Vec<bool> first = detail::generate(std::array{all.size(where).value()}, is_first, "unique", where);
  return filter(detail::ragged_like(sorted.offsets(), first), sorted, where);
}

/// broadcast(xs, rows): element i of xs for each element of row i, as in r - fg::broadcast(fg::mean(r,
/// fg::axis(1)), r). Raises ShapeError unless there are as many as rows.
template <class T, class U>
Ragged<T> broadcast(const Vec<T>& xs, const Ragged<U>& rows, detail::Here where = detail::Here::current()) {
  return detail::ragged_like(rows.offsets(), replicate(rows.segments(), xs, where));
}

/// The rows of a, then the rows of b.
template <class T>
Ragged<T> concat(const Ragged<T>& a, const Ragged<T>& b, detail::Here where = detail::Here::current()) {
  const Vec<i64> of_b = drop(b.offsets(), 1, {0}, where) + a.values().size(where);
  return detail::ragged_like(concat(a.offsets(), of_b, where), concat(a.values(), b.values(), where));
}
template <class T>
Ragged<T> concat(const Ragged<T>& a, const Ragged<T>& b, const Ragged<T>& c,
                 detail::Here where = detail::Here::current()) {
  return concat(concat(a, b, where), c, where);
}
/// concat(axis(1), a, b): the elements of each row of a, then those of the row of b. Raises ShapeError
/// unless there are as many rows.
template <class T>
Ragged<T> concat(detail::LocatedAxis axis, const Ragged<T>& a, const Ragged<T>& b) {
  detail::require_axis_of_rows("concat", axis.number, axis.where);
  const detail::Here where = axis.where;
  const Vec<i64> of_a = a.lengths(where), of_b = b.lengths(where);
  const Vec<i64> lengths(detail::Parts<i64>{detail::apply("add", {of_a.value(), of_b.value()}, where)});
  const auto element = [&](const Exp<i64>& i, const Exp<i64>& k) {
    const Exp<i64> n = of_a[{i, where}];
    return cond(
        k < n, [&] { return a.values()[{a.offsets()[{i, where}] + k, where}]; },
        [&] { return b.values()[{b.offsets()[{i, where}] + (k - n), where}]; });
  };
  return expand_rows([&](const Exp<i64>& i) { return lengths[{i, where}]; }, element,
                     detail::indices_of(lengths, where), where);
}

/// The first n rows. Raises ShapeError unless 0 <= n <= size.
template <class T>
Ragged<T> take(const Ragged<T>& xs, Index n, detail::Here where = detail::Here::current()) {
  // There is one more offset than rows, so what takes offsets accepts one too many: take beginnings first.
  take(take(xs.offsets(), xs.size(where), {0}, where), n, {0}, where);
  const Exp<i64> rows(detail::Parts<i64>{n.value});
  const Vec<i64> offsets = take(xs.offsets(), {rows + 1, where}, {0}, where);
  return detail::ragged_like(offsets, take(xs.values(), {offsets[{rows, where}], where}, {0}, where));
}
namespace detail {
/// The size_of(i) elements of each row i that stand after its first begin_of(i).
template <class T, class Begin, class Size>
Ragged<T> parts_of_rows(const Ragged<T>& xs, const Begin& begin_of, const Size& size_of, Here where) {
  return expand_rows(
      size_of,
      [&](const Exp<i64>& i, const Exp<i64>& k) {
        return xs.values()[{xs.offsets()[{i, where}] + begin_of(i) + k, where}];
      },
      iota(xs.size(where), where), where);
}
/// The number of elements among the first n of row i, as a function of i; `what` takes, or leaves out, these.
template <class T>
auto first_of_row(const char* what, const Ragged<T>& xs, Index n, Axis axis, Here where) {
  require_axis_of_rows(what, axis.number, where);
  require_number_of_elements(what, n.value, where);
  return [lengths = xs.lengths(where), most = Exp<i64>(Parts<i64>{n.value}), where](const Exp<i64>& i) {
    return min(lengths[{i, where}], most, where);
  };
}
}  // namespace detail

/// take(xs, n, axis(1)): the first n elements of each row, or all of a shorter one. Raises ShapeError if n is
/// negative.
template <class T>
Ragged<T> take(const Ragged<T>& xs, Index n, Axis axis, detail::Here where = detail::Here::current()) {
  return detail::parts_of_rows(
      xs, [](const Exp<i64>&) { return i64{0}; }, detail::first_of_row("take", xs, n, axis, where), where);
}
/// All rows but the first n. Raises ShapeError unless 0 <= n <= size.
template <class T>
Ragged<T> drop(const Ragged<T>& xs, Index n, detail::Here where = detail::Here::current()) {
  // There is one more offset than rows, so what drops offsets accepts one too many: drop beginnings first.
  drop(take(xs.offsets(), xs.size(where), {0}, where), n, {0}, where);
  const Vec<i64> offsets = drop(xs.offsets(), n, {0}, where);
  const Exp<i64> begin = offsets[{0, where}];
  return detail::ragged_like(
      Vec<i64>(detail::Parts<i64>{detail::apply("sub", {offsets.value(), begin.value()}, where)}),
      drop(xs.values(), {begin, where}, {0}, where));
}
/// drop(xs, n, axis(1)): all elements of each row but the first n; a row of up to n elements becomes empty.
/// Raises ShapeError if n is negative.
template <class T>
Ragged<T> drop(const Ragged<T>& xs, Index n, Axis axis, detail::Here where = detail::Here::current()) {
  const auto left_out = detail::first_of_row("drop", xs, n, axis, where);
  const Vec<i64> lengths = xs.lengths(where);
  return detail::parts_of_rows(
      xs, left_out, [&](const Exp<i64>& i) { return lengths[{i, where}] - left_out(i); }, where);
}

/// The rows in the opposite order; with axis(1) the elements of each row.
template <class T>
Ragged<T> reverse(const Ragged<T>& xs, Axis axis = {0}, detail::Here where = detail::Here::current()) {
  if (axis.number == 0) return gather(xs, reverse(iota(xs.size(where), where), {0}, where), where);
  detail::require_axis_of_rows("reverse", axis.number, where);
  return detail::within_rows(
      "reverse", xs, [](const Exp<i64>& k, const Exp<i64>& n) { return n - 1 - k; }, where);
}
/// rotate(xs, k): row i is row (i + k) mod size; any k. With axis(1), element j of each row is element (j +
/// k) mod its length.
template <class T>
Ragged<T> rotate(const Ragged<T>& xs, Index k, Axis axis = {0},
                 detail::Here where = detail::Here::current()) {
  if (axis.number == 0) return gather(xs, rotate(iota(xs.size(where), where), k, {0}, where), where);
  detail::require_axis_of_rows("rotate", axis.number, where);
  const Exp<i64> by(detail::Parts<i64>{k.value});
  const auto place = [&](const Exp<i64>& j, const Exp<i64>& n) {
    // The sum with the remainder does not wrap around, as that with k might.
    const Exp<i64> rest(detail::Parts<i64>{detail::apply("rem", {by.value(), n.value()}, where)});
    const Exp<i64> at = j + select(rest < 0, rest + n, rest, where);
    return select(at < n, at, at - n, where);
  };
  return detail::within_rows("rotate", xs, place, where);
}

}  // namespace fulgurite

#pragma GCC visibility pop
