// Ragged<T>: an array of rows of unequal lengths, of a program that is being traced. It is a vector of the
// values of all rows, one after the other, and the offsets where rows begin (the segmented vectors of
// Blelloch's NESL, Accelerate's segments): row i is values offsets[i] to below offsets[i + 1]. Both are
// ordinary arrays; nothing of a row is copied where it is read. T is any element type. A Ragged may be a
// parameter and a result of a program (RaggedArray on the host), the state of a loop, a branch of cond.
//
//   made by       segments, group_by, expand_rows (expand.h), map and generate of a function that returns an
//                 fg::Row (results.h), and the functions below that give one
//   read by       row, values, map over elements, operators and functions of elements, map over fg::rows,
//                 folds, scans and sorts of rows (ragged_rows.h)
//
// Whatever runs over all elements does so in parallel however they are spread over rows.
#pragma once

#include <fulgurite/compile.h>
#include <fulgurite/control.h>
#include <fulgurite/filter.h>
#include <fulgurite/functions.h>
#include <fulgurite/ragged_array.h>
#include <fulgurite/scatter.h>
#include <fulgurite/segmented.h>
#include <fulgurite/shape.h>

#include <array>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

/// An operand of an operator of ragged arrays: one of them, or a scalar for all elements.
template <class T>
struct RaggedOperand {
  Value value;
  Value offsets = {};
  bool has_rows = false;
  Here where;

  RaggedOperand(const Ragged<T>& x, Here at = Here::current())
      : value(x.values().value()), offsets(x.offsets().value()), has_rows(true), where(at) {}
  RaggedOperand(const Exp<T>& x, Here at = Here::current()) : value(x.value()), where(at) {}
  RaggedOperand(const Located<T>& x) : value(x.value), where(x.where) {}
  template <LiteralFor<T> U>
  RaggedOperand(U x, Here at = Here::current()) : value(literal<T>(x, at)), where(at) {}
};

}  // namespace detail

/// An array of rows of unequal lengths: their values one after the other, and the offsets where rows begin.
template <class T>
class Ragged {
  static_assert(detail::check_element<T>());
  static constexpr bool is_bool = std::same_as<T, bool>;
  static constexpr bool is_integer = detail::Integer<T>;
  static constexpr bool is_number = detail::Number<T>;
  static constexpr bool is_scalar = detail::Scalar<T>;
  using Here = detail::Here;
  using Operand = detail::RaggedOperand<T>;

 public:
  using Element = T;
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

  // Operators work on elements, as those of arrays do. Two ragged arrays have rows of equal lengths, else
  // they raise ShapeError.
  // clang-format off
  friend Ragged operator+(Operand a, Operand b) requires(is_number) { return binary<T>("add", a, b); }
  friend Ragged operator-(Operand a, Operand b) requires(is_number) { return binary<T>("sub", a, b); }
  friend Ragged operator*(Operand a, Operand b) requires(is_number) { return binary<T>("mul", a, b); }
  friend Ragged operator/(Operand a, Operand b) requires(is_number) { return binary<T>("div", a, b); }
  friend Ragged operator%(Operand a, Operand b) requires(is_number) { return binary<T>("rem", a, b); }
  friend Ragged operator-(Operand a) requires(is_number) { return unary("neg", a); }
  Ragged& operator+=(Operand b) & requires(is_number) { return *this = binary<T>("add", {*this, b.where}, b); }
  Ragged& operator-=(Operand b) & requires(is_number) { return *this = binary<T>("sub", {*this, b.where}, b); }
  Ragged& operator*=(Operand b) & requires(is_number) { return *this = binary<T>("mul", {*this, b.where}, b); }
  Ragged& operator/=(Operand b) & requires(is_number) { return *this = binary<T>("div", {*this, b.where}, b); }
  Ragged& operator%=(Operand b) & requires(is_number) { return *this = binary<T>("rem", {*this, b.where}, b); }

  friend Ragged operator&(Operand a, Operand b) requires(is_integer || is_bool) { return binary<T>("bit_and", a, b); }
  friend Ragged operator|(Operand a, Operand b) requires(is_integer || is_bool) { return binary<T>("bit_or", a, b); }
  friend Ragged operator^(Operand a, Operand b) requires(is_integer || is_bool) { return binary<T>("bit_xor", a, b); }
  friend Ragged operator<<(Operand a, Operand b) requires(is_integer) { return binary<T>("shl", a, b); }
  friend Ragged operator>>(Operand a, Operand b) requires(is_integer) { return binary<T>("shr", a, b); }
  friend Ragged operator~(Operand a) requires(is_integer) { return unary("bit_not", a); }
  friend Ragged operator&&(Operand a, Operand b) requires(is_bool) { return binary<T>("logical_and", a, b); }
  friend Ragged operator||(Operand a, Operand b) requires(is_bool) { return binary<T>("logical_or", a, b); }
  friend Ragged operator!(Operand a) requires(is_bool) { return unary("bit_not", a); }

  friend Ragged<bool> operator==(Operand a, Operand b) requires(is_scalar) { return binary<bool>("eq", a, b); }
  friend Ragged<bool> operator!=(Operand a, Operand b) requires(is_scalar) { return binary<bool>("ne", a, b); }
  friend Ragged<bool> operator<(Operand a, Operand b) requires(is_number) { return binary<bool>("lt", a, b); }
  friend Ragged<bool> operator<=(Operand a, Operand b) requires(is_number) { return binary<bool>("le", a, b); }
  friend Ragged<bool> operator>(Operand a, Operand b) requires(is_number) { return binary<bool>("gt", a, b); }
  friend Ragged<bool> operator>=(Operand a, Operand b) requires(is_number) { return binary<bool>("ge", a, b); }
  // clang-format on

 private:
  static Ragged unary(const char* op, const Operand& a) {
    return Ragged(std::tuple{Vec<i64>(detail::Parts<i64>{a.offsets}),
                             Vec<T>(detail::Parts<T>{detail::apply(op, {a.value}, a.where)})});
  }
  template <class R>
  static Ragged<R> binary(const char* op, const Operand& a, const Operand& b) {
    if (a.has_rows && b.has_rows)
      detail::require_equal_rows("an operator", std::array{a.offsets, b.offsets}, a.where);
    return Ragged<R>(std::tuple{Vec<i64>(detail::Parts<i64>{a.has_rows ? a.offsets : b.offsets}),
                                Vec<R>(detail::Parts<R>{detail::apply(op, {a.value, b.value}, a.where)})});
  }

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

template <class X>
inline constexpr bool is_ragged = false;
template <class T>
inline constexpr bool is_ragged<Ragged<T>> = true;
template <class X>
const X& elements_of(const X& scalar) {
  return scalar;
}
template <class T>
const Vec<T>& elements_of(const Ragged<T>& x) {
  return x.values();
}
template <class Op, class... Xs>
auto of_elements(const Op& op, Here where, const Xs&... xs) {
  std::vector<Value> offsets;
  const auto add_rows = [&](const auto& x) {
    if constexpr (is_ragged<std::remove_cvref_t<decltype(x)>>) offsets.push_back(x.offsets().value());
  };
  (add_rows(xs), ...);
  require_equal_rows("a function", offsets, where);
  return ragged_like(Vec<i64>(Parts<i64>{offsets[0]}), op(elements_of(xs)..., where));
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
/// Each element converted, as cast converts an Exp.
template <detail::Scalar T, class U>
Ragged<T> cast(const Ragged<U>& xs, detail::Here where = detail::Here::current()) {
  return detail::ragged_like(xs.offsets(), cast<T>(xs.values(), where));
}

namespace detail {
/// What `of_values` gives for the values of ragged arrays, in the rows that all of them have.
template <class F, class T, class... Ts>
auto in_equal_rows(const char* what, Here where, const F& of_values, const Ragged<T>& x,
                   const Ragged<Ts>&... others) {
  require_equal_rows(what, std::array{x.offsets().value(), others.offsets().value()...}, where);
  return ragged_like(x.offsets(), of_values(x.values(), others.values()...));
}
template <class F, class... Ts>
auto map_elements(Here where, const F& f, const Ragged<Ts>&... xs) {
  return in_equal_rows(
      "map", where, [&](const Vec<Ts>&... values) { return detail::map(where, f, values...); }, xs...);
}
template <class... Ts>
Ragged<std::tuple<Ts...>> zip_elements(Here where, const Ragged<Ts>&... xs) {
  return in_equal_rows(
      "zip", where, [&](const Vec<Ts>&... values) { return fulgurite::zip(values..., where); }, xs...);
}
}  // namespace detail

/// Maps a function of elements of two to four ragged arrays. Raises ShapeError unless their rows have the
/// same lengths.
template <class F, class A, class B>
auto map(const F& f, const Ragged<A>& as, const Ragged<B>& bs, detail::Here where = detail::Here::current()) {
  return detail::map_elements(where, f, as, bs);
}
template <class F, class A, class B, class C>
auto map(const F& f, const Ragged<A>& as, const Ragged<B>& bs, const Ragged<C>& cs,
         detail::Here where = detail::Here::current()) {
  return detail::map_elements(where, f, as, bs, cs);
}
template <class F, class A, class B, class C, class D>
auto map(const F& f, const Ragged<A>& as, const Ragged<B>& bs, const Ragged<C>& cs, const Ragged<D>& ds,
         detail::Here where = detail::Here::current()) {
  return detail::map_elements(where, f, as, bs, cs, ds);
}

/// A ragged array of tuples, from up to four whose rows have equal lengths (else ShapeError).
template <class A, class B>
Ragged<std::tuple<A, B>> zip(const Ragged<A>& a, const Ragged<B>& b,
                             detail::Here where = detail::Here::current()) {
  return detail::zip_elements(where, a, b);
}
template <class A, class B, class C>
Ragged<std::tuple<A, B, C>> zip(const Ragged<A>& a, const Ragged<B>& b, const Ragged<C>& c,
                                detail::Here where = detail::Here::current()) {
  return detail::zip_elements(where, a, b, c);
}
template <class A, class B, class C, class D>
Ragged<std::tuple<A, B, C, D>> zip(const Ragged<A>& a, const Ragged<B>& b, const Ragged<C>& c,
                                   const Ragged<D>& d, detail::Here where = detail::Here::current()) {
  return detail::zip_elements(where, a, b, c, d);
}
/// The fields of the elements, as a std::tuple of ragged arrays with the same rows. Costs nothing.
template <class T>
  requires(!detail::Scalar<T>)
auto unzip(const Ragged<T>& x) {
  return std::apply(
      [&](const auto&... values) { return std::tuple{detail::ragged_like(x.offsets(), values)...}; },
      unzip(x.values()));
}

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
