// Exp<T>: a scalar, or a composite of scalars, of a program that is being traced. It stands for a value that
// exists only when the compiled program runs; computing with it records the computation. Operators work as in
// C++ on two Exp of the same T, or on one and a C++ value that T represents exactly; T is never converted
// silently (fg::cast<T>(x) converts). What each operator computes is in docs/semantics.md: integers wrap, a
// zero divisor raises ArithmeticError when the program runs.
#pragma once

#include <fulgurite/element.h>
#include <fulgurite/staged.h>

#include <array>
#include <bit>
#include <concepts>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace fulgurite {

template <class T>
class Exp;

namespace detail {

/// C++ values that may become an Exp<T>: values that T represents are accepted, others are refused while
/// tracing.
template <class U, class T>
concept LiteralFor = Scalar<T> && ((std::same_as<U, bool> && std::same_as<T, bool>) ||
                                   (std::integral<U> && !std::same_as<U, bool> && Number<T>) ||
                                   (std::floating_point<U> && Float<T>));

template <Scalar T, class U>
constexpr bool represents(U value) {
  if constexpr (std::same_as<T, U>) {
    return true;
  } else if constexpr (std::floating_point<U>) {
    return value != value || static_cast<U>(static_cast<T>(value)) == value;
  } else if constexpr (Float<T>) {
    const auto magnitude = value < 0 ? ~static_cast<u64>(value) + 1 : static_cast<u64>(value);
    return magnitude == 0 || static_cast<int>(std::bit_width(magnitude)) - std::countr_zero(magnitude) <=
                                 std::numeric_limits<T>::digits;
  } else {
    const auto converted = static_cast<T>(value);
    return static_cast<U>(converted) == value && (converted < T(0)) == (value < U(0));
  }
}

template <Scalar T>
Value literal(T value) {
  return {nullptr, bits_of(value), kind_of<T>(), 0};
}
template <Scalar T, class U>
Value literal(U value, Here where) {
  if (!represents<T>(value)) inexact_literal(kind_of<T>(), static_cast<double>(value), where);
  return literal(static_cast<T>(value));
}

/// The leaves of a staged value of element type T, in order.
template <class T>
using Parts = std::array<Value, n_leaves<T>>;

/// An operand of an operator, and the line it stands on: converting to it is where the compiler tells us.
template <class T>
struct Located {
  Value value;
  Here where;

  Located(const Exp<T>& x, Here at = Here::current()) : value(x.value()), where(at) {}
  template <LiteralFor<T> U>
  Located(U x, Here at = Here::current()) : value(literal<T>(x, at)), where(at) {}
};

}  // namespace detail

/// A staged scalar, or composite of scalars, of type T.
template <class T>
class Exp {
  static_assert(detail::check_element<T>());
  static constexpr bool is_bool = std::same_as<T, bool>;
  static constexpr bool is_integer = detail::Integer<T>;
  static constexpr bool is_number = detail::Number<T>;
  static constexpr bool is_scalar = detail::Scalar<T>;
  using Operand = detail::Located<T>;

 public:
  using Element = T;

  /// Zero, as T{} is.
  Exp() : Exp(T{}) {}
  /// A C++ value. Throws TraceError if T does not represent it exactly: `x * 0.1` for an Exp<float> x.
  template <detail::LiteralFor<T> U>
  Exp(U value, detail::Here where = detail::Here::current()) : parts_{detail::literal<T>(value, where)} {}
  Exp(const T& value)
    requires(!is_scalar)
  {
    detail::for_each_leaf(value, [&](std::size_t i, auto leaf) { parts_[i] = detail::literal(leaf); });
  }
  /// A tuple of staged and C++ values, field by field.
  template <class... Us>
    requires detail::HasFields<T, sizeof...(Us)>
  Exp(const std::tuple<Us...>& fields) {
    detail::for_each_field<T>(
        [&](auto i) { set(detail::first_leaf<T, i>, Exp<detail::Field<T, i>>(std::get<i>(fields))); });
  }
  explicit Exp(const detail::Parts<T>& parts) : parts_(parts) {}
  template <class U>
    requires(is_scalar && detail::Scalar<U> && !std::same_as<T, U>)
  FULGURITE_REFUSED(
      "an Exp of one type does not become one of another silently: write fg::cast<T>(x), as in "
      "fg::cast<int>(xs.size())")
  Exp(const Exp<U>&);

  // A variable may be given another value; x[0] is no variable.
  Exp(const Exp&) = default;
  Exp(Exp&&) = default;
  Exp& operator=(const Exp&) & = default;
  Exp& operator=(Exp&&) & = default;
  template <class U = Exp>
      Exp& operator=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;

  const detail::Parts<T>& parts() const { return parts_; }
  const detail::Value& value() const
    requires(is_scalar)
  {
    return parts_[0];
  }

  /// A field of a composite, in order of declaration; `auto [a, b] = x` works too.
  template <std::size_t i>
  auto get() const
    requires(!is_scalar)
  {
    using F = detail::Field<T, i>;
    detail::Parts<F> parts;
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k] = parts_[detail::first_leaf<T, i> + k];
    return Exp<F>(parts);
  }

  FULGURITE_REFUSED(
      "an Exp<bool> is staged, it has no value while the program is traced: use fg::cond(c, a, b) or "
      "fg::select(c, a, b) in place of if, ?: and switch, fg::iterate or fg::while_loop in place of "
      "for and while")
  explicit operator bool() const
    requires(is_bool);
  template <class U>
    requires(std::is_arithmetic_v<U> && !(is_bool && std::same_as<U, bool>))
  FULGURITE_REFUSED(
      "an Exp is staged, it has no value while the program is traced: fg::cast<T>(x) converts it, "
      "x != 0 asks whether it is zero, and the compiled program returns its value")
  explicit
  operator U() const;

  // clang-format off
  friend Exp operator+(Operand a, Operand b) requires(is_number) { return binary("add", a, b); }
  friend Exp operator-(Operand a, Operand b) requires(is_number) { return binary("sub", a, b); }
  friend Exp operator*(Operand a, Operand b) requires(is_number) { return binary("mul", a, b); }
  friend Exp operator/(Operand a, Operand b) requires(is_number) { return binary("div", a, b); }
  friend Exp operator%(Operand a, Operand b) requires(is_number) { return binary("rem", a, b); }
  friend Exp operator-(const Exp& a) requires(is_number) { return unary("neg", a); }
  friend Exp operator+(const Exp& a) requires(is_number) { return a; }
  Exp& operator+=(Operand b) & requires(is_number) { return *this = binary("add", {*this, b.where}, b); }
  Exp& operator-=(Operand b) & requires(is_number) { return *this = binary("sub", {*this, b.where}, b); }
  Exp& operator*=(Operand b) & requires(is_number) { return *this = binary("mul", {*this, b.where}, b); }
  Exp& operator/=(Operand b) & requires(is_number) { return *this = binary("div", {*this, b.where}, b); }
  Exp& operator%=(Operand b) & requires(is_number) { return *this = binary("rem", {*this, b.where}, b); }
  Exp& operator++() & requires(is_number) { return *this = binary("add", *this, T{1}); }
  Exp& operator--() & requires(is_number) { return *this = binary("sub", *this, T{1}); }
  Exp operator++(int) & requires(is_number) { return std::exchange(*this, binary("add", *this, T{1})); }
  Exp operator--(int) & requires(is_number) { return std::exchange(*this, binary("sub", *this, T{1})); }
  template <class U> Exp& operator+=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Exp& operator-=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Exp& operator*=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Exp& operator/=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Exp& operator%=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;

  friend Exp operator&(Operand a, Operand b) requires(is_integer || is_bool) { return binary("bit_and", a, b); }
  friend Exp operator|(Operand a, Operand b) requires(is_integer || is_bool) { return binary("bit_or", a, b); }
  friend Exp operator^(Operand a, Operand b) requires(is_integer || is_bool) { return binary("bit_xor", a, b); }
  friend Exp operator<<(Operand a, Operand b) requires(is_integer) { return binary("shl", a, b); }
  friend Exp operator>>(Operand a, Operand b) requires(is_integer) { return binary("shr", a, b); }
  friend Exp operator~(const Exp& a) requires(is_integer) { return unary("bit_not", a); }
  Exp& operator&=(Operand b) & requires(is_integer || is_bool) { return *this = binary("bit_and", {*this, b.where}, b); }
  Exp& operator|=(Operand b) & requires(is_integer || is_bool) { return *this = binary("bit_or", {*this, b.where}, b); }
  Exp& operator^=(Operand b) & requires(is_integer || is_bool) { return *this = binary("bit_xor", {*this, b.where}, b); }
  Exp& operator<<=(Operand b) & requires(is_integer) { return *this = binary("shl", {*this, b.where}, b); }
  Exp& operator>>=(Operand b) & requires(is_integer) { return *this = binary("shr", {*this, b.where}, b); }
  template <class U> Exp& operator&=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Exp& operator|=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Exp& operator^=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Exp& operator<<=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;
  template <class U> Exp& operator>>=(const U&) && FULGURITE_ASSIGNS_TO_NOTHING;

  friend Exp<bool> operator==(Operand a, Operand b) requires(is_scalar) { return compare("eq", a, b); }
  friend Exp<bool> operator!=(Operand a, Operand b) requires(is_scalar) { return compare("ne", a, b); }
  friend Exp<bool> operator<(Operand a, Operand b) requires(is_number) { return compare("lt", a, b); }
  friend Exp<bool> operator<=(Operand a, Operand b) requires(is_number) { return compare("le", a, b); }
  friend Exp<bool> operator>(Operand a, Operand b) requires(is_number) { return compare("gt", a, b); }
  friend Exp<bool> operator>=(Operand a, Operand b) requires(is_number) { return compare("ge", a, b); }

  // As in C++, the right operand is not computed where the left one decides: i < x.size() && x[i] > 0 is safe.
  friend Exp operator&&(const Exp& a, Operand b) requires(is_bool) { return binary("logical_and", {a, b.where}, b); }
  friend Exp operator||(const Exp& a, Operand b) requires(is_bool) { return binary("logical_or", {a, b.where}, b); }
  friend Exp operator&&(const Exp& a, bool b) requires(is_bool) { return b ? a : Exp(false); }
  friend Exp operator||(const Exp& a, bool b) requires(is_bool) { return b ? Exp(true) : a; }
  friend Exp operator&&(bool a, const Exp& b) requires(is_bool) { return a ? b : Exp(false); }
  friend Exp operator||(bool a, const Exp& b) requires(is_bool) { return a ? Exp(true) : b; }
  friend Exp operator!(const Exp& a) requires(is_bool) { return unary("bit_not", a); }
  // clang-format on

 private:
  template <class>
  friend class Exp;

  static Exp unary(const char* op, const Exp& a) {
    return Exp(detail::Parts<T>{detail::apply(op, {a.value()}, {})});
  }
  static Exp binary(const char* op, const Operand& a, const Operand& b) {
    return Exp(detail::Parts<T>{detail::apply(op, {a.value, b.value}, a.where)});
  }
  static Exp<bool> compare(const char* op, const Operand& a, const Operand& b) {
    return Exp<bool>(detail::Parts<bool>{detail::apply(op, {a.value, b.value}, a.where)});
  }
  template <class F>
  void set(std::size_t first, const Exp<F>& field) {
    for (std::size_t k = 0; k < field.parts_.size(); ++k) parts_[first + k] = field.parts_[k];
  }

  detail::Parts<T> parts_;
};

/// Exp x = 1.0f is an Exp<float>.
template <class T>
Exp(T) -> Exp<T>;

/// An aggregate, std::tuple, std::pair or std::array of staged or C++ values, one for each field:
/// fg::make<Segment>(p, p, p, x).
template <class T, class... Fields>
  requires(!detail::Scalar<T>)
Exp<T> make(const Fields&... fields) {
  static_assert(detail::HasFields<T, sizeof...(Fields)>, "make<T> needs one value for each field of T");
  detail::Parts<T> parts;
  const auto given = std::tie(fields...);
  detail::for_each_field<T>([&](auto i) {
    const Exp<detail::Field<T, i>> field(std::get<i>(given));
    for (std::size_t k = 0; k < field.parts().size(); ++k)
      parts[detail::first_leaf<T, i> + k] = field.parts()[k];
  });
  return Exp<T>(parts);
}

/// A field of a composite Exp.
template <std::size_t i, class T>
  requires(!detail::Scalar<T>)
auto get(const Exp<T>& x) {
  return x.template get<i>();
}

}  // namespace fulgurite

#pragma GCC visibility pop

template <class T>
  requires(!fulgurite::detail::Scalar<T>)
struct std::tuple_size<fulgurite::Exp<T>>
    : std::integral_constant<std::size_t, fulgurite::detail::n_fields<T>> {};
template <std::size_t i, class T>
  requires(!fulgurite::detail::Scalar<T>)
struct std::tuple_element<i, fulgurite::Exp<T>> {
  using type = fulgurite::Exp<fulgurite::detail::Field<T, i>>;
};
