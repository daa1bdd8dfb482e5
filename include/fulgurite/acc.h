// Acc<T, N>: an array of rank N of a program that is being traced; Vec<T> and Mat<T> are ranks 1 and 2. T is
// any element type (element.h); arrays of composites are stored as one array for each leaf. Operators work
// element by element on two arrays of equal shapes, or on an array and a scalar, which is broadcast. Nothing
// is computed, and nothing of it becomes memory, until the compiled program runs. Every operation throws
// TraceError where a staged value is used out of place, and raises ShapeError where shapes do not fit: while
// tracing if they are known then, else when the program runs.
#pragma once

#include <fulgurite/exp.h>

#pragma GCC visibility push(default)
// The number of dimensions is an int. As the length of a std::array, g++ takes it for one that may be
// negative.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace fulgurite {

template <class T, int N>
class Acc;
/// Staged arrays of one axis, and of two: rows and columns.
template <class T>
using Vec = Acc<T, 1>;
template <class T>
using Mat = Acc<T, 2>;

/// A size, an index, a bound: an Exp of any integer type or a C++ integer.
struct Index {
  detail::Value value;
  detail::Here where;

  template <detail::Integer T>
  Index(const Exp<T>& x, detail::Here at = detail::Here::current())
      : value(std::same_as<T, i64> ? x.value() : detail::cast(x.value(), detail::Kind::i64, at)), where(at) {}
  template <detail::LiteralFor<i64> T>
    requires(std::integral<T>)
  Index(T x, detail::Here at = detail::Here::current()) : value(detail::literal<i64>(x, at)), where(at) {}
};

/// The indices start <= i < stop, each stride-th of them; downwards from start to above stop for a negative
/// stride.
struct Range {
  Index start, stop, stride = 1;
};

/// An axis of an array: 0 is the outermost, -1 the innermost. Whatever takes one raises ShapeError for an
/// axis that the array does not have.
struct Axis {
  int number;
};
constexpr Axis axis(int number) {
  return {number};
}

namespace detail {

/// An operand of an array operator: an array, or a scalar that is broadcast.
template <class T, int N>
struct ArrayOperand {
  Value value;
  Here where;

  ArrayOperand(const Acc<T, N>& x, Here at = Here::current()) : value(x.value()), where(at) {}
  ArrayOperand(const Exp<T>& x, Here at = Here::current()) : value(x.value()), where(at) {}
  ArrayOperand(const Located<T>& x) : value(x.value), where(x.where) {}
  template <LiteralFor<T> U>
  ArrayOperand(U x, Here at = Here::current()) : value(literal<T>(x, at)), where(at) {}
};

/// Applies f to each leaf of a staged value of element type T.
template <class T, class F>
Parts<T> each_part(const Parts<T>& parts, F&& f) {
  Parts<T> results;
  for (std::size_t i = 0; i < parts.size(); ++i) results[i] = f(parts[i]);
  return results;
}

}  // namespace detail

/// A staged array of rank N, 1 to 8, of elements T: what stands for an array while a program is traced.
template <class T, int N>
class Acc {
  static_assert(detail::check_element<T>());
  static_assert(1 <= N && N <= 8, "arrays have 1 to 8 axes");
  static constexpr bool is_bool = std::same_as<T, bool>;
  static constexpr bool is_integer = detail::Integer<T>;
  static constexpr bool is_number = detail::Number<T>;
  static constexpr bool is_scalar = detail::Scalar<T>;
  using Here = detail::Here;
  using Operand = detail::ArrayOperand<T, N>;
  using Scalar = detail::Located<T>;
  using Part = std::conditional_t<N == 1, Exp<T>, Acc<T, (N > 1 ? N - 1 : 1)>>;

 public:
  using Element = T;
  /// The number of axes.
  static constexpr int rank = N;

  explicit Acc(const detail::Parts<T>& parts) : parts_(parts) {}
  FULGURITE_REFUSED(
      "a staged array is the result of an operation: begin with fg::replicate(n, 0.0f), fg::iota(n) or "
      "fg::generate(n, f)")
  Acc();
  template <class X>
    requires(std::integral<X> || std::same_as<X, Exp<i64>>)
  FULGURITE_REFUSED(
      "a staged array is the result of an operation: write fg::replicate(n, 0.0f), fg::iota(n) or "
      "fg::generate(n, f)")
  explicit Acc(const X&);
  template <class X>
    requires requires(const X& x) {
      x.data();
      x.size();
    }
  FULGURITE_REFUSED(
      "a staged array does not hold the elements of a std::vector: make it a parameter of the program, "
      "or write fg::constant(fg::Array<T>(v))")
  explicit Acc(const X&);

  // A variable may be given another array; a slice or a row is no variable.
  Acc(const Acc&) = default;
  Acc(Acc&&) = default;
  Acc& operator=(const Acc&) & = default;
  Acc& operator=(Acc&&) & = default;
  template <class U = Acc>
      Acc& operator=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;

  const detail::Parts<T>& parts() const { return parts_; }
  const detail::Value& value() const
    requires(is_scalar)
  {
    return parts_[0];
  }

  /// The number of elements.
  Exp<i64> size(Here where = Here::current()) const { return size_of(detail::size(parts_[0], where)); }
  /// The extent of an axis: 0 is the outermost, -1 the innermost.
  Exp<i64> size(int axis, Here where = Here::current()) const {
    return size_of(detail::extent(parts_[0], axis, where));
  }
  std::array<Exp<i64>, N> shape(Here where = Here::current()) const {
    std::array<Exp<i64>, N> extents;
    for (int k = 0; k < N; ++k) extents[k] = size(k, where);
    return extents;
  }

  /// An element, or the part of a matrix (or beyond) at index i of its outermost axis. Raises IndexError when
  /// out of range.
  Part operator[](Index i) const { return indexed<Part>({&i, 1}); }
  template <class X>
    requires requires(const X& x) {
      typename X::Element;
      x.parts();
    } && (!std::is_convertible_v<const X&, Index>)
  FULGURITE_REFUSED(
      "an index is one integer: write x[fg::cast<fg::i64>(i)] for a float, fg::gather(x, indices) for an "
      "array of indices, fg::filter(f, x) for a mask")
  void
  operator[](const X&) const;
  /// An element: x(i), m(i, j), t(i, j, k), an index for each axis. Raises IndexError when an index is out of
  /// range.
  Exp<T> operator()(Index i) const
    requires(N == 1)
  {
    return indexed<Exp<T>>({&i, 1});
  }
  Exp<T> operator()(Index i, Index j) const
    requires(N == 2)
  {
    return indexed<Exp<T>>(std::array{i, j});
  }
  template <std::convertible_to<Index>... More>
  Exp<T> operator()(Index i, Index j, Index k, const More&... more) const
    requires(N == 3 + sizeof...(More))
  {
    return indexed<Exp<T>>(std::array{i, j, k, Index(more)...});
  }
  Exp<T> operator()(const std::array<Index, N>& indices) const { return indexed<Exp<T>>(indices); }

  /// Elements start, start + stride ... below stop; downwards, above stop, if stride is negative: x.slice(n -
  /// 1, -1, -1) reverses. Raises ShapeError unless 0 <= start <= stop <= size (downwards: -1 <= stop <= start
  /// < size) and stride is not 0.
  Acc slice(Index start, Index stop, Index stride = 1) const
    requires(N == 1)
  {
    return sliced(std::array{Range{start, stop, stride}});
  }
  /// A slice along each axis: m.slice({1, r - 1}, {c - 1, -1, -1}).
  Acc slice(Range rows, Range columns) const
    requires(N == 2)
  {
    return sliced(std::array{rows, columns});
  }
  Acc slice(Range a, Range b, Range c) const
    requires(N == 3)
  {
    return sliced(std::array{a, b, c});
  }
  Acc slice(const std::array<Range, N>& axes) const { return sliced(axes); }

  FULGURITE_REFUSED(
      "a staged array has no truth value: fg::all(c) or fg::any(c) make an Exp<bool> of an array, which "
      "fg::cond takes in place of if")
  explicit operator bool() const;
  FULGURITE_REFUSED(
      "a staged array has no elements while the program is traced: write fg::map(f, x), fg::reduce(op, "
      "neutral, x) or fg::generate(n, f) in place of a loop over them")
  void begin() const;
  FULGURITE_REFUSED(
      "a staged array has no elements while the program is traced: write fg::map(f, x), fg::reduce(op, "
      "neutral, x) or fg::generate(n, f) in place of a loop over them")
  void end() const;

  // clang-format off
  friend Acc operator+(Operand a, Operand b) requires(is_number) { return binary("add", a, b); }
  friend Acc operator-(Operand a, Operand b) requires(is_number) { return binary("sub", a, b); }
  friend Acc operator*(Operand a, Operand b) requires(is_number) { return binary("mul", a, b); }
  friend Acc operator/(Operand a, Operand b) requires(is_number) { return binary("div", a, b); }
  friend Acc operator%(Operand a, Operand b) requires(is_number) { return binary("rem", a, b); }
  friend Acc operator-(Operand a) requires(is_number) { return unary("neg", a); }
  friend Acc operator+(const Acc& a) requires(is_number) { return a; }
  Acc& operator+=(Operand b) & requires(is_number) { return *this = binary("add", {*this, b.where}, b); }
  Acc& operator-=(Operand b) & requires(is_number) { return *this = binary("sub", {*this, b.where}, b); }
  Acc& operator*=(Operand b) & requires(is_number) { return *this = binary("mul", {*this, b.where}, b); }
  Acc& operator/=(Operand b) & requires(is_number) { return *this = binary("div", {*this, b.where}, b); }
  Acc& operator%=(Operand b) & requires(is_number) { return *this = binary("rem", {*this, b.where}, b); }
  template <class U> Acc& operator+=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Acc& operator-=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Acc& operator*=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Acc& operator/=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Acc& operator%=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;

  friend Acc operator&(Operand a, Operand b) requires(is_integer || is_bool) { return binary("bit_and", a, b); }
  friend Acc operator|(Operand a, Operand b) requires(is_integer || is_bool) { return binary("bit_or", a, b); }
  friend Acc operator^(Operand a, Operand b) requires(is_integer || is_bool) { return binary("bit_xor", a, b); }
  friend Acc operator<<(Operand a, Operand b) requires(is_integer) { return binary("shl", a, b); }
  friend Acc operator>>(Operand a, Operand b) requires(is_integer) { return binary("shr", a, b); }
  friend Acc operator~(Operand a) requires(is_integer) { return unary("bit_not", a); }
  Acc& operator&=(Operand b) & requires(is_integer || is_bool) { return *this = binary("bit_and", {*this, b.where}, b); }
  Acc& operator|=(Operand b) & requires(is_integer || is_bool) { return *this = binary("bit_or", {*this, b.where}, b); }
  Acc& operator^=(Operand b) & requires(is_integer || is_bool) { return *this = binary("bit_xor", {*this, b.where}, b); }
  Acc& operator<<=(Operand b) & requires(is_integer) { return *this = binary("shl", {*this, b.where}, b); }
  Acc& operator>>=(Operand b) & requires(is_integer) { return *this = binary("shr", {*this, b.where}, b); }
  template <class U> Acc& operator&=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Acc& operator|=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Acc& operator^=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Acc& operator<<=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Acc& operator>>=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  friend Acc operator&&(const Acc& a, Operand b) requires(is_bool) { return binary("logical_and", {a, b.where}, b); }
  friend Acc operator||(const Acc& a, Operand b) requires(is_bool) { return binary("logical_or", {a, b.where}, b); }
  friend Acc operator&&(Scalar a, const Acc& b) requires(is_bool) { return binary("logical_and", a, {b, a.where}); }
  friend Acc operator||(Scalar a, const Acc& b) requires(is_bool) { return binary("logical_or", a, {b, a.where}); }
  friend Acc operator&&(const Acc& a, bool b) requires(is_bool) { return binary("logical_and", {a, Here()}, {b, Here()}); }
  friend Acc operator||(const Acc& a, bool b) requires(is_bool) { return binary("logical_or", {a, Here()}, {b, Here()}); }
  friend Acc operator&&(bool a, const Acc& b) requires(is_bool) { return binary("logical_and", {a, Here()}, {b, Here()}); }
  friend Acc operator||(bool a, const Acc& b) requires(is_bool) { return binary("logical_or", {a, Here()}, {b, Here()}); }
  friend Acc operator!(const Acc& a) requires(is_bool) { return unary("bit_not", {a, Here()}); }

  friend Acc<bool, N> operator==(Operand a, Operand b) requires(is_scalar) { return compare("eq", a, b); }
  friend Acc<bool, N> operator!=(Operand a, Operand b) requires(is_scalar) { return compare("ne", a, b); }
  friend Acc<bool, N> operator<(Operand a, Operand b) requires(is_number) { return compare("lt", a, b); }
  friend Acc<bool, N> operator<=(Operand a, Operand b) requires(is_number) { return compare("le", a, b); }
  friend Acc<bool, N> operator>(Operand a, Operand b) requires(is_number) { return compare("gt", a, b); }
  friend Acc<bool, N> operator>=(Operand a, Operand b) requires(is_number) { return compare("ge", a, b); }
  // clang-format on

 private:
  static Exp<i64> size_of(const detail::Value& value) { return Exp<i64>(detail::Parts<i64>{value}); }
  static Acc unary(const char* op, const Operand& a) {
    return Acc(detail::Parts<T>{detail::apply(op, {a.value}, a.where)});
  }
  static Acc binary(const char* op, const Operand& a, const Operand& b) {
    return Acc(detail::Parts<T>{detail::apply(op, {a.value, b.value}, a.where)});
  }
  static Acc<bool, N> compare(const char* op, const Operand& a, const Operand& b) {
    return Acc<bool, N>(detail::Parts<bool>{detail::apply(op, {a.value, b.value}, a.where)});
  }
  template <class Result>
  Result indexed(std::span<const Index> indices) const {
    std::array<detail::Value, N> values;
    for (std::size_t k = 0; k < indices.size(); ++k) values[k] = indices[k].value;
    const std::span<const detail::Value> given(values.data(), indices.size());
    return Result(detail::each_part<T>(
        parts_, [&](const detail::Value& part) { return detail::index(part, given, indices[0].where); }));
  }
  Acc sliced(const std::array<Range, N>& axes) const {
    std::array<detail::Bounds, N> bounds;
    for (std::size_t k = 0; k < N; ++k)
      bounds[k] = {axes[k].start.value, axes[k].stop.value, axes[k].stride.value};
    return Acc(detail::each_part<T>(
        parts_, [&](const detail::Value& part) { return detail::slice(part, bounds, axes[0].start.where); }));
  }

  detail::Parts<T> parts_;
};

namespace detail {

template <class X>
struct StagedTraits {
  static constexpr bool is_staged = false;
};
template <class T>
struct StagedTraits<Exp<T>> {
  static constexpr bool is_staged = true;
  static constexpr int rank = 0;
  using Element = T;
};
template <class T, int N>
struct StagedTraits<Acc<T, N>> {
  static constexpr bool is_staged = true;
  static constexpr int rank = N;
  using Element = T;
};
template <class X>
concept Staged = StagedTraits<X>::is_staged;
template <class X>
concept StagedArray = Staged<X> && StagedTraits<X>::rank > 0;
template <class X>
using ElementOf = typename StagedTraits<X>::Element;

template <class T, int N>
struct StagedAs {
  using type = Acc<T, N>;
};
template <class T>
struct StagedAs<T, 0> {
  using type = Exp<T>;
};
/// Exp<T> for rank 0, else Acc<T, N>.
template <class T, int N>
using StagedOf = typename StagedAs<T, N>::type;

}  // namespace detail
}  // namespace fulgurite

#pragma GCC diagnostic pop
#pragma GCC visibility pop
