// What each operation computes: the reference that folding, the interpreter, the host program and the static
// run time share (docs/semantics.md). Transcendental functions are the C library's in f64; for f32 their f64
// value rounded, which is the correctly rounded one but for about one argument in 2^29. Needs nothing of the
// C++ library but what headers define.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include "scalar/value.h"

namespace fulgurite::scalar {

/// Who evaluates says what happens where an operation has no value on a kind, which only a fault of ours asks
/// for.
[[noreturn]] void undefined_op(Op, Kind);

template <class T>
struct As {
  using type = T;
};

/// Calls f(As<T>()) with the C++ type of the kind.
template <class F>
auto with_type(Kind kind, F&& f) {
  switch (kind) {
    case Kind::boolean: return f(As<bool>());
    case Kind::i8: return f(As<std::int8_t>());
    case Kind::i16: return f(As<std::int16_t>());
    case Kind::i32: return f(As<std::int32_t>());
    case Kind::i64: return f(As<std::int64_t>());
    case Kind::u8: return f(As<std::uint8_t>());
    case Kind::u16: return f(As<std::uint16_t>());
    case Kind::u32: return f(As<std::uint32_t>());
    case Kind::u64: return f(As<std::uint64_t>());
    case Kind::f32: return f(As<float>());
    case Kind::f64: return f(As<double>());
  }
  undefined_op(Op::constant, kind);
}

template <class To, class From>
To convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::floating_point<From> && std::integral<To>) {
    if (x != x) return 0;
    const From limit = std::ldexp(From(1), std::numeric_limits<To>::digits);  // the first value that is too
                                                                              // large: exact
    if (x >= limit) return std::numeric_limits<To>::max();
    if (x < (std::is_signed_v<To> ? -limit : From(0))) return std::numeric_limits<To>::min();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

/// Operations common to every kind.
template <class T>
bool compare(Op op, T a, T b, bool& result) {
  switch (op) {
    case Op::eq: result = a == b; return true;
    case Op::ne: result = a != b; return true;
    case Op::lt: result = a < b; return true;
    case Op::le: result = a <= b; return true;
    default: return false;
  }
}

inline bool evaluate_bool(Op op, bool a, bool b) {
  switch (op) {
    case Op::min:
    case Op::bit_and: return a && b;
    case Op::max:
    case Op::bit_or: return a || b;
    case Op::bit_xor: return a != b;
    case Op::bit_not: return !a;
    default: undefined_op(op, Kind::boolean);
  }
}

/// Wraps: computed on 64-bit unsigned integers and cut to the kind.
template <std::integral T>
T evaluate_integer(Op op, Kind kind, T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  constexpr unsigned width = std::numeric_limits<Unsigned>::digits;
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const auto bits = static_cast<Unsigned>(a);
  switch (op) {
    case Op::add: return static_cast<T>(x + y);
    case Op::sub: return static_cast<T>(x - y);
    case Op::mul: return static_cast<T>(x * y);
    case Op::div:
      if (b == 0) return 0;
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - x);
      return static_cast<T>(a / b);
    case Op::rem:
      if (b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1))) return 0;
      return static_cast<T>(a % b);
    case Op::neg: return static_cast<T>(0 - x);
    case Op::abs: return a < 0 ? static_cast<T>(0 - x) : a;
    case Op::sign: return static_cast<T>(a < 0 ? -1 : a > 0);
    case Op::min: return b < a ? b : a;
    case Op::max: return b > a ? b : a;
    case Op::bit_and: return static_cast<T>(x & y);
    case Op::bit_or: return static_cast<T>(x | y);
    case Op::bit_xor: return static_cast<T>(x ^ y);
    case Op::bit_not: return static_cast<T>(~x);
    case Op::shl: return static_cast<T>(x << (y & (width - 1)));
    case Op::shr: return static_cast<T>(a >> (y & (width - 1)));
    case Op::popcount: return static_cast<T>(std::popcount(bits));
    case Op::clz: return static_cast<T>(std::countl_zero(bits));
    case Op::ctz: return static_cast<T>(std::countr_zero(bits));
    default: undefined_op(op, kind);
  }
}

inline double transcendental(Op op, Kind kind, double a, double b) {
  switch (op) {
    case Op::rsqrt: return 1 / std::sqrt(a);
    case Op::cbrt: return std::cbrt(a);
    case Op::exp: return std::exp(a);
    case Op::exp2: return std::exp2(a);
    case Op::exp10: return ::exp10(a);
    case Op::expm1: return std::expm1(a);
    case Op::log: return std::log(a);
    case Op::log2: return std::log2(a);
    case Op::log10: return std::log10(a);
    case Op::log1p: return std::log1p(a);
    case Op::pow: return std::pow(a, b);
    case Op::hypot: return std::hypot(a, b);
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::asin: return std::asin(a);
    case Op::acos: return std::acos(a);
    case Op::atan: return std::atan(a);
    case Op::atan2: return std::atan2(a, b);
    case Op::sinh: return std::sinh(a);
    case Op::cosh: return std::cosh(a);
    case Op::tanh: return std::tanh(a);
    case Op::asinh: return std::asinh(a);
    case Op::acosh: return std::acosh(a);
    case Op::atanh: return std::atanh(a);
    case Op::erf: return std::erf(a);
    case Op::erfc: return std::erfc(a);
    default: undefined_op(op, kind);
  }
}

template <std::floating_point T>
T evaluate_float(Op op, Kind kind, T a, T b, T c) {
  switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    case Op::rem: return std::fmod(a, b);
    case Op::neg: return -a;
    case Op::abs: return std::fabs(a);
    case Op::sign: return a > 0 ? T(1) : a < 0 ? T(-1) : a;
    case Op::min: return a != a || b < a ? b : a;  // equal operands: the first
    case Op::max: return a != a || b > a ? b : a;
    case Op::fma:
    case Op::fast_fma: return std::fma(a, b, c);
    case Op::fma_sum: return a * b;
    case Op::sqrt: return std::sqrt(a);
    case Op::floor: return std::floor(a);
    case Op::ceil: return std::ceil(a);
    case Op::trunc: return std::trunc(a);
    case Op::round: return std::round(a);
    case Op::rint: return std::nearbyint(a);
    case Op::copysign: return std::copysign(a, b);
    default: return static_cast<T>(transcendental(op, kind, a, b));
  }
}

template <class T>
Bits evaluate_as(Op op, Kind kind, Bits a, Bits b, Bits c) {
  const T x = from_bits<T>(a), y = from_bits<T>(b);
  bool truth;
  if (compare(op, x, y, truth)) return truth;
  if constexpr (std::is_same_v<T, bool>)
    return evaluate_bool(op, x, y);
  else if constexpr (std::floating_point<T>) {
    if (op == Op::isnan) return std::isnan(x);
    if (op == Op::isinf) return std::isinf(x);
    if (op == Op::isfinite) return std::isfinite(x);
    return to_bits(evaluate_float(op, kind, x, y, from_bits<T>(c)));
  } else {
    return to_bits(evaluate_integer(op, kind, x, y));
  }
}

inline Bits evaluate_scalar(Op op, Kind operand, Kind result, Bits a, Bits b, Bits c) {
  switch (op) {
    case Op::select: return a & 1 ? b : c;
    case Op::bitcast: return with_type(result, [&]<class T>(As<T>) { return to_bits(from_bits<T>(a)); });
    case Op::cast:
      return with_type(operand, [&]<class From>(As<From>) {
        return with_type(result, [&]<class To>(As<To>) { return to_bits(convert<To>(from_bits<From>(a))); });
      });
    default: return with_type(operand, [&]<class T>(As<T>) { return evaluate_as<T>(op, operand, a, b, c); });
  }
}

}  // namespace fulgurite::scalar
