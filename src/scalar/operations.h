// What each operation of op.def computes, as one function (or overloads, by kind) of the operation's name:
// the reference that folding, the interpreter, the host program and the static run time share
// (docs/semantics.md). evaluate.h calls them by the rows of op.def. Needs nothing of the C++ library but what
// headers define.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include "scalar/value.h"

namespace fulgurite::scalar::operations {

template <class T>
concept Boolean = std::same_as<T, bool>;
template <class T>
concept Integer = std::integral<T> && !Boolean<T>;
template <class T>
concept Float = std::floating_point<T>;

// ---- arithmetic: integers wrap, because they are computed as unsigned numbers of 64 bits and cut to their
// kind

constexpr std::uint64_t wide(Integer auto a) {
  return static_cast<std::uint64_t>(a);
}
/// Whether b is the -1 of a signed kind, by which a quotient may overflow.
template <Integer T>
constexpr bool is_minus_one(T b) {
  return std::is_signed_v<T> && b == static_cast<T>(-1);
}

template <Integer T>
T add(T a, T b) {
  return static_cast<T>(wide(a) + wide(b));
}
template <Float T>
T add(T a, T b) {
  return a + b;
}

template <Integer T>
T sub(T a, T b) {
  return static_cast<T>(wide(a) - wide(b));
}
template <Float T>
T sub(T a, T b) {
  return a - b;
}

template <Integer T>
T mul(T a, T b) {
  return static_cast<T>(wide(a) * wide(b));
}
template <Float T>
T mul(T a, T b) {
  return a * b;
}

template <Integer T>
T neg(T a) {
  return static_cast<T>(0 - wide(a));
}
template <Float T>
T neg(T a) {
  return -a;
}

template <Integer T>
T div(T a, T b) {
  if (b == 0) return 0;
  return is_minus_one(b) ? neg(a) : static_cast<T>(a / b);
}
template <Float T>
T div(T a, T b) {
  return a / b;
}

template <Integer T>
T rem(T a, T b) {
  return b == 0 || is_minus_one(b) ? T(0) : static_cast<T>(a % b);
}
template <Float T>
T rem(T a, T b) {
  return std::fmod(a, b);
}

template <Integer T>
T ceil_div(T a, T b) {
  const T rest = rem(a, b);
  const bool is_above = rest != 0 && (rest < 0) == (b < 0);
  return add(div(a, b), static_cast<T>(is_above));
}

template <Integer T>
T abs(T a) {
  return a < 0 ? neg(a) : a;
}
template <Float T>
T abs(T a) {
  return std::fabs(a);
}

template <Integer T>
T sign(T a) {
  return static_cast<T>(a < 0 ? -1 : a > 0);
}
template <Float T>
T sign(T a) {
  return a > 0 ? T(1) : a < 0 ? T(-1) : a;
}

// Returns the first of equal operands.
template <class T>
T min(T a, T b) {
  if constexpr (Float<T>)
    if (a != a) return b;
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  if constexpr (Float<T>)
    if (a != a) return b;
  return b > a ? b : a;
}

/// Part `number` of the bits of a, of which there are n, as a signed or unsigned number.
template <int n, Integer T>
std::int64_t signed_part(T a, int number) {
  constexpr int width = 8 * sizeof(T) / n;
  return static_cast<std::int64_t>(wide(a) << (64 - width * (number + 1))) >> (64 - width);
}
template <int n, Integer T>
std::int64_t unsigned_part(T a, int number) {
  constexpr int width = 8 * sizeof(T) / n;
  return static_cast<std::int64_t>(wide(a) << (64 - width * (number + 1)) >> (64 - width));
}
template <Integer T>
T add_half_products(T a, T b, T c) {
  std::uint64_t sum = wide(c);
  for (int i = 0; i < 2; ++i) sum += wide(signed_part<2>(a, i) * signed_part<2>(b, i));
  return static_cast<T>(sum);
}
template <Integer T>
T add_quarter_products(T a, T b, T c) {
  std::uint64_t sum = wide(c);
  for (int i = 0; i < 4; ++i) sum += wide(unsigned_part<4>(a, i) * signed_part<4>(b, i));
  return static_cast<T>(sum);
}

template <Float T>
T fma(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <Float T>
T fast_fma(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <Float T>
T fma_sum(T a, T b) {
  return a * b;
}

// ---- bits

template <class T>
T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <Boolean T>
T bit_not(T a) {
  return !a;
}
template <Integer T>
T bit_not(T a) {
  return static_cast<T>(~a);
}

/// A count, taken modulo the width of the kind.
template <Integer T>
constexpr unsigned count_of(T b) {
  return static_cast<unsigned>(wide(b) & (8 * sizeof(T) - 1));
}
template <Integer T>
T shl(T a, T b) {
  return static_cast<T>(wide(a) << count_of(b));
}
template <Integer T>
T shr(T a, T b) {
  return static_cast<T>(a >> count_of(b));
}

template <Integer T>
T popcount(T a) {
  return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
}
template <Integer T>
T clz(T a) {
  return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));
}
template <Integer T>
T ctz(T a) {
  return static_cast<T>(std::countr_zero(static_cast<std::make_unsigned_t<T>>(a)));
}

// ---- comparisons and tests

template <class T>
bool eq(T a, T b) {
  return a == b;
}
template <class T>
bool ne(T a, T b) {
  return a != b;
}
template <class T>
bool lt(T a, T b) {
  return a < b;
}
template <class T>
bool le(T a, T b) {
  return a <= b;
}
template <Float T>
bool isnan(T a) {
  return std::isnan(a);
}
template <Float T>
bool isinf(T a) {
  return std::isinf(a);
}
template <Float T>
bool isfinite(T a) {
  return std::isfinite(a);
}

// ---- selection and conversions

template <class T>
T select(bool condition, T yes, T no) {
  return condition ? yes : no;
}

template <class To, class From>
To cast(From a) {
  if constexpr (Boolean<To>) {
    return a != From(0);
  } else if constexpr (Float<From> && Integer<To>) {
    if (a != a) return 0;
    // The first value that is too large; it is exact.
    const From limit = std::ldexp(From(1), std::numeric_limits<To>::digits);
    if (a >= limit) return std::numeric_limits<To>::max();
    if (a < (std::is_signed_v<To> ? -limit : From(0))) return std::numeric_limits<To>::min();
    return static_cast<To>(a);
  } else {
    return static_cast<To>(a);
  }
}

template <class To, class From>
To bitcast(From a) {
  return from_bits<To>(to_bits(a));
}

// ---- functions that are correctly rounded

template <Float T>
T sqrt(T a) {
  return std::sqrt(a);
}
template <Float T>
T floor(T a) {
  return std::floor(a);
}
template <Float T>
T ceil(T a) {
  return std::ceil(a);
}
template <Float T>
T trunc(T a) {
  return std::trunc(a);
}
template <Float T>
T round(T a) {
  return std::round(a);
}
template <Float T>
T rint(T a) {
  return std::nearbyint(a);
}
template <Float T>
T copysign(T a, T b) {
  return std::copysign(a, b);
}

// ---- transcendental functions: the C library's in f64. Of f32, their f64 value is rounded, which is the
// correctly rounded value but for about one argument in 2^29.

template <Float T>
T rsqrt(T a) {
  return static_cast<T>(1 / std::sqrt(double{a}));
}
template <Float T>
T cbrt(T a) {
  return static_cast<T>(std::cbrt(double{a}));
}
template <Float T>
T exp(T a) {
  return static_cast<T>(std::exp(double{a}));
}
template <Float T>
T exp2(T a) {
  return static_cast<T>(std::exp2(double{a}));
}
template <Float T>
T exp10(T a) {
  return static_cast<T>(::exp10(double{a}));
}
template <Float T>
T expm1(T a) {
  return static_cast<T>(std::expm1(double{a}));
}
template <Float T>
T log(T a) {
  return static_cast<T>(std::log(double{a}));
}
template <Float T>
T log2(T a) {
  return static_cast<T>(std::log2(double{a}));
}
template <Float T>
T log10(T a) {
  return static_cast<T>(std::log10(double{a}));
}
template <Float T>
T log1p(T a) {
  return static_cast<T>(std::log1p(double{a}));
}
template <Float T>
T pow(T a, T b) {
  return static_cast<T>(std::pow(double{a}, double{b}));
}
template <Float T>
T hypot(T a, T b) {
  return static_cast<T>(std::hypot(double{a}, double{b}));
}
template <Float T>
T sin(T a) {
  return static_cast<T>(std::sin(double{a}));
}
template <Float T>
T cos(T a) {
  return static_cast<T>(std::cos(double{a}));
}
template <Float T>
T tan(T a) {
  return static_cast<T>(std::tan(double{a}));
}
template <Float T>
T asin(T a) {
  return static_cast<T>(std::asin(double{a}));
}
template <Float T>
T acos(T a) {
  return static_cast<T>(std::acos(double{a}));
}
template <Float T>
T atan(T a) {
  return static_cast<T>(std::atan(double{a}));
}
template <Float T>
T atan2(T a, T b) {
  return static_cast<T>(std::atan2(double{a}, double{b}));
}
template <Float T>
T sinh(T a) {
  return static_cast<T>(std::sinh(double{a}));
}
template <Float T>
T cosh(T a) {
  return static_cast<T>(std::cosh(double{a}));
}
template <Float T>
T tanh(T a) {
  return static_cast<T>(std::tanh(double{a}));
}
template <Float T>
T asinh(T a) {
  return static_cast<T>(std::asinh(double{a}));
}
template <Float T>
T acosh(T a) {
  return static_cast<T>(std::acosh(double{a}));
}
template <Float T>
T atanh(T a) {
  return static_cast<T>(std::atanh(double{a}));
}
template <Float T>
T erf(T a) {
  return static_cast<T>(std::erf(double{a}));
}
template <Float T>
T erfc(T a) {
  return static_cast<T>(std::erfc(double{a}));
}

}  // namespace fulgurite::scalar::operations
