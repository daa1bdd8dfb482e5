// Functions of scalars, which are also functions of arrays, element by element: fg::sqrt(x) for an Exp or an
// Acc of floats. Of several operands at least one is staged, arrays among them have equal shapes (else
// ShapeError), scalars are broadcast, and C++ values are taken where they are exact. Each is an object that
// can be handed to map or reduce: fg::map(fg::sqrt, xs), fg::reduce(fg::max, 0, xs). Ragged arrays whose rows
// have equal lengths (else ShapeError) are operands as well, beside scalars. Error bounds of the
// transcendental ones are in docs/semantics.md. An operation of arrays costs no memory of its own: it is
// fused with what reads it.
#pragma once

#include <fulgurite/acc.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

/// The name of an operation as a template argument.
template <std::size_t n>
struct Name {
  char text[n];
  consteval Name(const char (&given)[n]) {
    for (std::size_t i = 0; i < n; ++i) text[i] = given[i];
  }
};

// What the operands of a function may be.
struct Floats {
  template <class T>
  static constexpr bool has = Float<T>;
};
struct Integers {
  template <class T>
  static constexpr bool has = Integer<T>;
};
struct Numbers {
  template <class T>
  static constexpr bool has = Number<T>;
};
struct Scalars {
  template <class T>
  static constexpr bool has = Scalar<T>;
};
struct AllElements {
  template <class T>
  static constexpr bool has = true;
};
struct Bits {
  template <class T>
  static constexpr bool has = Integer<T> || std::same_as<T, bool>;
};
struct Booleans {
  template <class T>
  static constexpr bool has = std::same_as<T, bool>;
};

/// What several operands have in common: the element type of the staged ones (that of the first, if they
/// differ), the largest rank.
template <class... Xs>
struct Together;
template <class X>
struct Together<X> {
  static constexpr bool is_staged = false;
  static constexpr int rank = 0;
  using Element = X;
};
template <Staged X>
struct Together<X> {
  static constexpr bool is_staged = true;
  static constexpr int rank = StagedTraits<X>::rank;
  using Element = ElementOf<X>;
};
template <class X, class... Xs>
struct Together<X, Xs...> {
  using First = Together<X>;
  using Rest = Together<Xs...>;
  static constexpr bool is_staged = First::is_staged || Rest::is_staged;
  static constexpr int rank = First::rank > Rest::rank ? First::rank : Rest::rank;
  using Element = typename std::conditional_t<First::is_staged || !Rest::is_staged, First, Rest>::Element;
};

/// X can be an operand where elements are T and arrays have rank N.
template <class X, class T, int N>
concept OperandOf = std::same_as<X, Exp<T>> || (N > 0 && std::same_as<X, StagedOf<T, N>>) || LiteralFor<X, T>;

template <class Domain, class... Xs>
concept Operands = Together<Xs...>::is_staged && Domain::template has<typename Together<Xs...>::Element> &&
                   (OperandOf<Xs, typename Together<Xs...>::Element, Together<Xs...>::rank> && ...);

/// Rows of unequal lengths: an fg::Ragged.
template <class X>
concept RaggedLike = requires(const X& x) { x.segments(); };
template <class X>
concept ScalarOperand = std::is_arithmetic_v<X> || (Staged<X> && StagedTraits<X>::rank == 0);
template <class X, class Domain>
concept RaggedOf = RaggedLike<X> && Domain::template has<typename X::Element>;
/// Ragged arrays, and scalars for all elements of them.
template <class Domain, class... Xs>
concept RaggedOperands = (RaggedLike<Xs> || ...) && ((RaggedOf<Xs, Domain> || ScalarOperand<Xs>) && ...);
/// A function of elements on the elements of ragged arrays (ragged.h).
template <class Op, class... Xs>
auto of_elements(const Op& op, Here where, const Xs&... xs);

template <class T, class X>
Value operand(const X& x, Here where) {
  if constexpr (Staged<X>) {
    return x.value();
  } else {
    return literal<T>(x, where);
  }
}

template <class Result, class... Xs>
auto apply_to(const char* op, Here where, const Xs&... xs) {
  using All = Together<Xs...>;
  using R = std::conditional_t<std::is_void_v<Result>, typename All::Element, Result>;
  return StagedOf<R, All::rank>(Parts<R>{apply(op, {operand<typename All::Element>(xs, where)...}, where)});
}

/// A function of op.def with operands and result of one element type, or with results of type Result.
template <Name op, class Domain, class Result = void>
struct Unary {
  template <class X>
    requires Operands<Domain, X>
  auto operator()(const X& x, Here where = Here::current()) const {
    return apply_to<Result>(op.text, where, x);
  }
  template <RaggedOf<Domain> X>
  auto operator()(const X& x, Here where = Here::current()) const {
    return of_elements(*this, where, x);
  }
  template <class... Bad>
    requires(sizeof...(Bad) == 1 && !Operands<Domain, Bad...> && !RaggedOperands<Domain, Bad...>)
  FULGURITE_REFUSED(
      "the function is not defined for operands of these types: its staged operands have one element type, "
      "for fg::sqrt and other functions of real numbers float or double: fg::cast<float>(x) converts")
  void
  operator()(const Bad&...) const;
};
template <Name op, class Domain>
struct Binary {
  template <class X, class Y>
    requires Operands<Domain, X, Y>
  auto operator()(const X& x, const Y& y, Here where = Here::current()) const {
    return apply_to<void>(op.text, where, x, y);
  }
  template <class X, class Y>
    requires RaggedOperands<Domain, X, Y>
  auto operator()(const X& x, const Y& y, Here where = Here::current()) const {
    return of_elements(*this, where, x, y);
  }
  template <class... Bad>
    requires(sizeof...(Bad) == 2 && !Operands<Domain, Bad...> && !RaggedOperands<Domain, Bad...>)
  FULGURITE_REFUSED(
      "the function is not defined for operands of these types: its staged operands have one element type, "
      "for fg::sqrt and other functions of real numbers float or double: fg::cast<float>(x) converts")
  void
  operator()(const Bad&...) const;
};
template <Name op, class Domain>
struct Ternary {
  template <class X, class Y, class Z>
    requires Operands<Domain, X, Y, Z>
  auto operator()(const X& x, const Y& y, const Z& z, Here where = Here::current()) const {
    return apply_to<void>(op.text, where, x, y, z);
  }
  template <class X, class Y, class Z>
    requires RaggedOperands<Domain, X, Y, Z>
  auto operator()(const X& x, const Y& y, const Z& z, Here where = Here::current()) const {
    return of_elements(*this, where, x, y, z);
  }
  template <class... Bad>
    requires(sizeof...(Bad) == 3 && !Operands<Domain, Bad...> && !RaggedOperands<Domain, Bad...>)
  FULGURITE_REFUSED(
      "the function is not defined for operands of these types: its staged operands have one element type, "
      "for fg::sqrt and other functions of real numbers float or double: fg::cast<float>(x) converts")
  void
  operator()(const Bad&...) const;
};

/// min and max: of two operands, or of all elements of an array.
template <Name op>
struct Extreme : Binary<op, Scalars> {
  using Binary<op, Scalars>::operator();

  template <Scalar T, int N>
  Exp<T> operator()(const Acc<T, N>& xs, Here where = Here::current()) const {
    return Exp<T>(Parts<T>{reduce(op.text, op.text, xs.value(), {}, where)});
  }
  template <Scalar T, int N>
    requires(N > 1)
  Acc<T, N - 1> operator()(const Acc<T, N>& xs, Axis axis, Here where = Here::current()) const {
    return Acc<T, N - 1>(Parts<T>{reduce(op.text, op.text, xs.value(), axis.number, where)});
  }
  /// Applies it to the rows of a ragged array.
  template <RaggedLike R>
  auto operator()(const R& rows, Axis axis, Here where = Here::current()) const {
    return rows.least_of_rows(*this, axis, where);
  }
  template <RaggedLike R>
  auto operator()(const R& rows, Here where = Here::current()) const {
    return (*this)(rows.values(), where);
  }
};

struct Clamp {
  template <class X, class Y, class Z>
    requires Operands<Numbers, X, Y, Z>
  auto operator()(const X& x, const Y& low, const Z& high, Here where = Here::current()) const {
    return apply_to<void>("min", where, apply_to<void>("max", where, x, low), high);
  }
  template <class X, class Y, class Z>
    requires RaggedOperands<Numbers, X, Y, Z>
  auto operator()(const X& x, const Y& low, const Z& high, Here where = Here::current()) const {
    return of_elements(*this, where, x, low, high);
  }
};

struct Select {
  template <class C, class X, class Y>
    requires Operands<Booleans, C> && Operands<AllElements, X, Y>
  auto operator()(const C& condition, const X& x, const Y& y, Here where = Here::current()) const {
    using Both = Together<X, Y>;
    using T = typename Both::Element;
    constexpr int rank = Together<C>::rank > Both::rank ? Together<C>::rank : Both::rank;
    Parts<T> parts;
    if constexpr (Scalar<T>)
      parts[0] = apply("select", {condition.value(), operand<T>(x, where), operand<T>(y, where)}, where);
    else
      for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = apply("select", {condition.value(), x.parts()[i], y.parts()[i]}, where);
    return StagedOf<T, rank>(parts);
  }
  template <class C, class X, class Y>
    requires RaggedOperands<Scalars, C, X, Y>
  auto operator()(const C& condition, const X& x, const Y& y, Here where = Here::current()) const {
    return of_elements(*this, where, condition, x, y);
  }
  template <class C, Scalar T>
    requires Operands<Booleans, C>
  auto operator()(const C& condition, T x, T y, Here where = Here::current()) const {
    return (*this)(condition, Exp<T>(x), Exp<T>(y), where);
  }
};

}  // namespace detail

// Operators by name. All but minus, divides and modulus are known to be associative and commutative.
inline constexpr detail::Binary<"add", detail::Numbers> plus;      // a + b
inline constexpr detail::Binary<"sub", detail::Numbers> minus;     // a - b
inline constexpr detail::Binary<"mul", detail::Numbers> times;     // a * b
inline constexpr detail::Binary<"div", detail::Numbers> divides;   // a / b; integers truncate
inline constexpr detail::Binary<"rem", detail::Numbers> modulus;   // a % b: the sign of a; fmod for floats
inline constexpr detail::Binary<"bit_and", detail::Bits> bit_and;  // a & b
inline constexpr detail::Binary<"bit_or", detail::Bits> bit_or;    // a | b
inline constexpr detail::Binary<"bit_xor", detail::Bits> bit_xor;  // a ^ b
inline constexpr detail::Binary<"bit_and", detail::Booleans> logical_and;
inline constexpr detail::Binary<"bit_or", detail::Booleans> logical_or;

/// min(a, b), max(a, b): a NaN operand is ignored. min(xs), max(xs), and along one axis min(m, fg::axis(k)):
/// of all elements; of none the largest, or the smallest, value of the type (infinity for floats). Of the
/// rows of a ragged array min(r, fg::axis(1)).
inline constexpr detail::Extreme<"min"> min;
inline constexpr detail::Extreme<"max"> max;
/// min(max(x, low), high).
inline constexpr detail::Clamp clamp;
/// select(c, a, b): a where c holds, else b; each an array or one value for all elements, composites too.
/// Both are computed; fg::cond computes one.
inline constexpr detail::Select select;

/// a / b of integers, rounded up: ceil_div(7, 2) is 4. Fails as a / b does.
inline constexpr detail::Binary<"ceil_div", detail::Integers> ceil_div;

// Magnitude and rounding.
inline constexpr detail::Unary<"abs", detail::Numbers> abs;    // INT_MIN wraps
inline constexpr detail::Unary<"sign", detail::Numbers> sign;  // -1, 0 or 1; NaN and signed zeros are kept
inline constexpr detail::Unary<"floor", detail::Floats> floor;
inline constexpr detail::Unary<"ceil", detail::Floats> ceil;
inline constexpr detail::Unary<"trunc", detail::Floats> trunc;
inline constexpr detail::Unary<"round", detail::Floats> round;  // halves away from zero
inline constexpr detail::Unary<"rint", detail::Floats> rint;    // halves to even
inline constexpr detail::Binary<"copysign", detail::Floats> copysign;
inline constexpr detail::Binary<"rem", detail::Floats> fmod;
inline constexpr detail::Ternary<"fma", detail::Floats> fma;  // a * b + c, rounded once

// Powers, exponentials, logarithms.
inline constexpr detail::Unary<"sqrt", detail::Floats> sqrt;    // correctly rounded
inline constexpr detail::Unary<"rsqrt", detail::Floats> rsqrt;  // 1 / sqrt(x)
inline constexpr detail::Unary<"cbrt", detail::Floats> cbrt;
inline constexpr detail::Binary<"pow", detail::Floats> pow;
inline constexpr detail::Binary<"hypot", detail::Floats> hypot;
inline constexpr detail::Unary<"exp", detail::Floats> exp;
inline constexpr detail::Unary<"exp2", detail::Floats> exp2;
inline constexpr detail::Unary<"exp10", detail::Floats> exp10;
inline constexpr detail::Unary<"expm1", detail::Floats> expm1;
inline constexpr detail::Unary<"log", detail::Floats> log;
inline constexpr detail::Unary<"log2", detail::Floats> log2;
inline constexpr detail::Unary<"log10", detail::Floats> log10;
inline constexpr detail::Unary<"log1p", detail::Floats> log1p;

// Trigonometry, hyperbolic functions, error function.
inline constexpr detail::Unary<"sin", detail::Floats> sin;
inline constexpr detail::Unary<"cos", detail::Floats> cos;
inline constexpr detail::Unary<"tan", detail::Floats> tan;
inline constexpr detail::Unary<"asin", detail::Floats> asin;
inline constexpr detail::Unary<"acos", detail::Floats> acos;
inline constexpr detail::Unary<"atan", detail::Floats> atan;
inline constexpr detail::Binary<"atan2", detail::Floats> atan2;  // atan2(y, x)
inline constexpr detail::Unary<"sinh", detail::Floats> sinh;
inline constexpr detail::Unary<"cosh", detail::Floats> cosh;
inline constexpr detail::Unary<"tanh", detail::Floats> tanh;
inline constexpr detail::Unary<"asinh", detail::Floats> asinh;
inline constexpr detail::Unary<"acosh", detail::Floats> acosh;
inline constexpr detail::Unary<"atanh", detail::Floats> atanh;
inline constexpr detail::Unary<"erf", detail::Floats> erf;
inline constexpr detail::Unary<"erfc", detail::Floats> erfc;

// Questions about floats; bits of integers.
inline constexpr detail::Unary<"isnan", detail::Floats, bool> isnan;
inline constexpr detail::Unary<"isinf", detail::Floats, bool> isinf;
inline constexpr detail::Unary<"isfinite", detail::Floats, bool> isfinite;
inline constexpr detail::Unary<"popcount", detail::Integers> popcount;
inline constexpr detail::Unary<"clz", detail::Integers> clz;  // the width for 0
inline constexpr detail::Unary<"ctz", detail::Integers> ctz;  // the width for 0

/// Conversion to element type T: floats to integers saturate and NaN gives 0, integers wrap, to bool is != 0.
template <detail::Scalar T, detail::Staged X>
auto cast(const X& x, detail::Here where = detail::Here::current()) {
  return detail::StagedOf<T, detail::StagedTraits<X>::rank>(
      detail::Parts<T>{detail::cast(x.value(), detail::kind_of<T>(), where)});
}
/// The same bits as a T of the same size.
template <detail::Number T, detail::Staged X>
  requires(sizeof(T) == sizeof(detail::ElementOf<X>) && detail::Number<detail::ElementOf<X>>)
auto bitcast(const X& x, detail::Here where = detail::Here::current()) {
  return detail::StagedOf<T, detail::StagedTraits<X>::rank>(
      detail::Parts<T>{detail::bitcast(x.value(), detail::kind_of<T>(), where)});
}

}  // namespace fulgurite

#pragma GCC visibility pop
