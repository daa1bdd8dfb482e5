// Ragged<T>: an array of rows of unequal lengths, of a program that is being traced. It is a vector of the
// values of all rows, one after the other, and the offsets where rows begin (the segmented vectors of
// Blelloch's NESL, Accelerate's segments): row i is values offsets[i] to below offsets[i + 1]. Both are
// ordinary arrays; nothing of a row is copied where it is read. T is any element type. A Ragged may be a
// parameter and a result of a program (RaggedArray on the host), the state of a loop, a branch of cond.
//
//   made by       segments, group_by, expand_rows (expand.h), map and generate of a function that returns an
//                 fg::Row (results.h), and the functions below that give one
//   read by       row, values, map over elements, map over fg::rows, folds and scans of rows
//
// Rows are axis 0 and their elements axis 1: what is done to each row by itself takes fg::axis(1), or has it
// as its default, as for matrices. Whatever runs over all elements does so in parallel however they are
// spread over rows.
#pragma once

#include <fulgurite/arrange.h>
#include <fulgurite/compile.h>
#include <fulgurite/control.h>
#include <fulgurite/filter.h>
#include <fulgurite/functions.h>
#include <fulgurite/scatter.h>
#include <fulgurite/segmented.h>
#include <fulgurite/sort.h>

#include <iterator>
#include <limits>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite {

/// An array of rows of unequal lengths: their values one after the other, and the offsets where rows begin.
template <class T>
class Ragged {
  static_assert(detail::check_element<T>());
  using Here = detail::Here;

 public:
  using Components = std::tuple<Vec<i64>, Vec<T>>;

  /// Offsets that are known to ascend from 0 to the number of values: fg::segments checks others.
  explicit Ragged(const Components& components) : components_(components) {}
  FULGURITE_REFUSED("a ragged array is made of two vectors: write fg::segments(offsets, values)")
  Ragged();

  /// The number of rows.
  Exp<i64> size(Here where = Here::current()) const { return offsets().size(where) - 1; }
  /// Where rows begin, and where the last one ends: one more than there are rows.
  const Vec<i64>& offsets() const { return std::get<0>(components_); }
  /// The elements of all rows, one row after the other.
  const Vec<T>& values() const { return std::get<1>(components_); }
  /// The length of each row.
  Vec<i64> lengths(Here where = Here::current()) const {
    return drop(offsets(), 1, {0}, where) - take(offsets(), size(where), {0}, where);
  }
  /// For segmented_reduce and its like, of arrays as long as values().
  detail::Segments segments() const { return {detail::SegmentsBy::known_offsets, offsets().value()}; }
  /// The number of the row of each element, in time proportional to the number of elements.
  Vec<i64> row_numbers(Here where = Here::current()) const {
    return Vec<i64>(
        detail::Parts<i64>{detail::segment_of_each(offsets().value(), values().size(where).value(), where)});
  }

  /// Row i, which is a slice of the values: anywhere, in functions of elements too, g.row(i).size() and
  /// g.row(i)[k] read what they name. Raises IndexError when i is out of range.
  Vec<T> row(Index i) const {
    return detail::unflattened<Vec<T>>(
        detail::ragged_row(offsets().value(), values().parts(), i.value, i.where));
  }

  /// The offsets and the values.
  const Components& components() const { return components_; }
  /// This array, after its offsets are checked as fg::segments checks them.
  Ragged checked(Here where = {}) const;
  /// fg::min(rows, fg::axis(1)) and fg::max: of an empty row the largest, or the smallest, value of the type.
  template <class Op>
  Vec<T> least_of_rows(const Op& op, Axis axis, Here where) const;

 private:
  Components components_;
};

namespace detail {

/// A ragged array taken apart into its rows, for map.
template <class T>
struct RaggedRows {
  Ragged<T> rows;
  Values parts;
};
template <class T>
struct MapOperand<RaggedRows<T>> {
  static constexpr bool is_operand = true;
  static constexpr int rank = 1;
  using Argument = Vec<T>;
  static Operand operand(const RaggedRows<T>& x) { return {x.parts, Pass::ragged}; }
};

template <class T>
Ragged<T> ragged_like(const Vec<i64>& offsets, const Vec<T>& values) {
  return Ragged<T>(std::tuple{offsets, values});
}

template <class T>
struct ResultOf<Ragged<T>> {
  static constexpr bool has_arrays = true;
};
template <class T, int N>
struct Mapped<Ragged<T>, N, true> {
  static_assert(
      N < 0,
      "a function given to map or generate returns no Ragged: for rows of unequal lengths, one for each "
      "element, it returns an fg::Row");
  using type = Ragged<T>;
  static type take(Unflatten& values) { return values.next<type>(); }
};
template <class T>
struct StagedValue<Ragged<T>, true> {
  using type = Ragged<T>;
  static type take(Unflatten& values) { return values.next<type>(); }
  static void add_widths(std::vector<std::size_t>& widths) {
    StagedValue<typename type::Components>::add_widths(widths);
  }
  static type convert(const type& x) { return x; }
};

}  // namespace detail

/// segments(offsets, values): row i is values offsets[i] to below offsets[i + 1]. Raises ShapeError unless
/// the offsets, of any integer type, ascend from 0 to the number of values. Checking them reads each once;
/// values stay where they are.
template <detail::Integer I, class T>
Ragged<T> segments(const Vec<I>& offsets, const Vec<T>& values,
                   detail::Here where = detail::Here::current()) {
  const detail::Segments by{detail::SegmentsBy::offsets, offsets.value()};
  return detail::ragged_like(Vec<i64>(detail::Parts<i64>{detail::offsets_of(by, values.parts(), where)}),
                             values);
}
/// By lengths, flags or one length for all: segments(fg::lengths(ls), values). Raises ShapeError where these
/// do not fit the values.
template <class T>
Ragged<T> segments(const detail::Segments& by, const Vec<T>& values,
                   detail::Here where = detail::Here::current()) {
  return detail::ragged_like(Vec<i64>(detail::Parts<i64>{detail::offsets_of(by, values.parts(), where)}),
                             values);
}
/// group_by(k, key_of, xs): k rows; row i has the elements whose key is i, in their order. Elements with keys
/// outside 0 .. k - 1 are left out. Raises ShapeError unless 1 <= k <= 2^32.
template <class F, class T>
Ragged<T> group_by(Index k, const F& key_of, const Vec<T>& xs, detail::Here where = detail::Here::current()) {
  const auto [values, offsets] = partition(k, key_of, xs, where);
  return detail::ragged_like(offsets, values);
}

template <class T>
Ragged<T> Ragged<T>::checked(Here where) const {
  return fulgurite::segments(offsets(), values(), where);
}

/// The rows of a ragged array, for map, whose function then takes each as a Vec.
template <class T>
detail::RaggedRows<T> rows(const Ragged<T>& x) {
  return {x, detail::flattened(x)};
}
/// The elements of all rows, one row after the other.
template <class T>
const Vec<T>& flatten(const Ragged<T>& x) {
  return x.values();
}

/// map(f, xs): f of each element; rows keep their lengths.
template <class F, class T>
auto map(const F& f, const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  return detail::ragged_like(xs.offsets(), detail::map(where, f, xs.values()));
}
/// Maps a function of elements of two ragged arrays. Raises ShapeError unless their rows have the same
/// lengths.
template <class F, class A, class B>
auto map(const F& f, const Ragged<A>& as, const Ragged<B>& bs, detail::Here where = detail::Here::current()) {
  detail::require_equal_rows("map", as.offsets().value(), bs.offsets().value(), where);
  return detail::ragged_like(as.offsets(), detail::map(where, f, as.values(), bs.values()));
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
template <class Op, class T>
Ragged<T> exclusive_scan(const Op& op, const std::type_identity_t<Exp<T>>& initial, const Ragged<T>& xs,
                         detail::Here where = detail::Here::current()) {
  return detail::ragged_like(xs.offsets(),
                             segmented_exclusive_scan(op, initial, xs.segments(), xs.values(), {-1}, where));
}

/// The elements of each row for which p holds; there are as many rows as before.
template <class P, class T>
Ragged<T> filter(const P& p, const Ragged<T>& xs, detail::Here where = detail::Here::current()) {
  const Vec<bool> kept = detail::map(where, [&p](const Exp<T>& x) { return Exp<bool>(p(x)); }, xs.values());
  const auto [before, total] = scan_with_total(plus, i64{0}, cast<i64>(kept, where), {-1}, where);
  const Vec<i64> offsets = detail::map(
      where,
      [&, first = before, all = total](const Exp<i64>& at) {
        return cond(at < xs.values().size(where), [&] { return first[at]; }, [&] { return all; });
      },
      xs.offsets());
  return detail::ragged_like(offsets, filter(kept, xs.values(), {0}, where));
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

/// The rows of a, then the rows of b.
template <class T>
Ragged<T> concat(const Ragged<T>& a, const Ragged<T>& b, detail::Here where = detail::Here::current()) {
  const Vec<i64> behind = drop(b.offsets(), 1, {0}, where) + a.values().size(where);
  return detail::ragged_like(concat(a.offsets(), behind, where), concat(a.values(), b.values(), where));
}

/// The first n rows. Raises ShapeError unless 0 <= n <= size.
template <class T>
Ragged<T> take(const Ragged<T>& xs, Index n, detail::Here where = detail::Here::current()) {
  const Exp<i64> rows(detail::Parts<i64>{n.value});
  const Vec<i64> offsets = take(xs.offsets(), {rows + 1, where}, {0}, where);
  return detail::ragged_like(offsets, take(xs.values(), {offsets[{rows, where}], where}, {0}, where));
}

/// A real ragged array, as compiled programs take and return it: an immutable, shared value, as fg::Array is.
/// for (std::span<const float> row : rows) ... reads it without a copy; rows of composite elements come as a
/// std::vector.
template <class T>
class RaggedArray {
  static constexpr bool has_spans = detail::Scalar<T>;

 public:
  using Staged = Ragged<T>;
  using Row = std::conditional_t<has_spans, std::span<const T>, std::vector<T>>;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    using pointer = const Row*;
    using reference = Row;
    Iterator(const RaggedArray& array, std::int64_t i) : array_(&array), i_(i) {}
    Row operator*() const { return array_->row(i_); }
    Iterator& operator++() { return ++i_, *this; }
    Iterator operator++(int) { return {*array_, i_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }

   private:
    const RaggedArray* array_;
    std::int64_t i_;
  };

  /// No rows.
  RaggedArray() : offsets_{0} {}
  /// Believes the offsets, which a program checks when it is called.
  RaggedArray(Array<i64> offsets, Array<T> values)
      : offsets_(std::move(offsets)), values_(std::move(values)) {}
  explicit RaggedArray(const std::vector<std::vector<T>>& rows) {
    std::vector<i64> offsets{0};
    std::vector<T> values;
    for (const std::vector<T>& row : rows) {
      values.insert(values.end(), row.begin(), row.end());
      offsets.push_back(static_cast<i64>(values.size()));
    }
    offsets_ = std::move(offsets);
    values_ = std::move(values);
  }

  /// The number of rows.
  std::int64_t size() const { return offsets_.size() - 1; }
  const Array<i64>& offsets() const { return offsets_; }
  const Array<T>& values() const { return values_; }
  /// The index is believed.
  Row row(std::int64_t i) const {
    if constexpr (has_spans) {
      return Row(values_.data() + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]));
    } else {
      Row elements;
      for (std::int64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) elements.push_back(values_[k]);
      return elements;
    }
  }
  Row operator[](std::int64_t i) const { return row(i); }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  std::vector<std::vector<T>> to_vectors() const {
    std::vector<std::vector<T>> rows;
    for (const Row& row : *this) rows.emplace_back(row.begin(), row.end());
    return rows;
  }

 private:
  Array<i64> offsets_;
  Array<T> values_;
};

namespace detail {

template <class T>
inline constexpr std::size_t n_alone<Ragged<T>> = 1;
template <class T>
struct Parameter<Ragged<T>> {
  static constexpr bool is_staged = true;
  static constexpr std::size_t n_parts = 1 + n_leaves<T>;
  static constexpr int rank = 1;
  static constexpr std::array<Kind, n_parts> kinds = [] {
    std::array<Kind, n_parts> all{Kind::i64};
    for (std::size_t leaf = 0; leaf < n_leaves<T>; ++leaf) all[1 + leaf] = leaf_kinds<T>[leaf];
    return all;
  }();
  using Argument = const RaggedArray<T>&;
  static void view(const RaggedArray<T>& argument, ArgumentView* views) {
    view_of(argument.offsets(), views);
    view_of(argument.values(), views + 1);
  }

 private:
  // Refers to the array itself, which outlives the call.
  template <class E>
  static void view_of(const Array<E>& array, ArgumentView* views) {
    for (std::size_t leaf = 0; leaf < n_leaves<E>; ++leaf)
      views[leaf] = {static_cast<std::uint8_t>(leaf_kinds<E>[leaf]),
                     1,
                     array.parts()[leaf].at_hand(),
                     array.shape().data(),
                     0,
                     array.parts()[leaf].storage()};
  }
};
template <class T>
struct HostResult<Ragged<T>> {
  using type = RaggedArray<T>;
  using Arrays = HostResult<typename Ragged<T>::Components>;
  static constexpr std::size_t n_parts = Arrays::n_parts;
  static type take(ResultValue*& values) {
    auto [offsets, elements] = Arrays::take(values);
    return type(std::move(offsets), std::move(elements));
  }
};

}  // namespace detail
}  // namespace fulgurite

#pragma GCC visibility pop
