// Sets of integers, the formulas of footprints, and what their operations make of integers and of sets.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace fulgurite::runtime {

/// Runs of `run` neighbours: low + k * stride + r for 0 <= r < run, up to `high`, which is among them unless
/// it is without a bound; stride 0: one run.
struct Strided {
  std::int64_t low = INT64_MIN, high = INT64_MAX, stride = 1, run = 1;
  /// Each of them is taken, as the variables with these bits have their values; else they are no fewer than
  /// those that are.
  bool is_exact = false;
  std::uint64_t variables = 0;

  static constexpr Strided unknown() { return {}; }
  static constexpr Strided point(std::int64_t value) { return {value, value, 0, 1, true, 0}; }
  static constexpr Strided boolean() { return {0, 1, 1, 1, false, 0}; }
  bool is_point() const { return low == high; }
  bool is_bounded() const { return low != INT64_MIN && high != INT64_MAX; }
  bool has_gaps() const { return stride > run; }
  friend bool operator==(const Strided&, const Strided&) = default;
};

/// A step of a formula: operands are earlier steps.
struct Formula {
  enum class Op : std::uint8_t {
    unknown,
    constant,  // value
    scalar,    // the launch's scalar with the number `value`
    task,
    lanes,    // 0 to value - 1
    range,    // of a loop from a on, below b, by steps of c
    element,  // of the buffer with the number `value`, at a: known where all ranks have it
    add,
    sub,
    mul,
    div,
    rem,
    neg,
    abs,
    min,
    max,
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    logical_not,
    shl,
    shr,
    eq,
    ne,
    lt,
    le,
    select,  // b where a holds, else c
    fit,    // a, if it is between -2^(value - 1) and 2^(value - 1) - 1; value < 0: between 0 and 2^-value - 1
    below,  // what of a is less than some b
    at_most,        // what of a is at most some b
    above,          // what of a is greater than some b
    at_least,       // what of a is at least some b
    leading_zeros,  // of a as a number of `value` bits
  };
  Op op = Op::unknown;
  std::int32_t a = -1, b = -1, c = -1;
  std::int64_t value = 0;
  friend bool operator==(const Formula&, const Formula&) = default;
};

/// Whether an operation makes its value of its operands alone.
inline bool is_arithmetic(Formula::Op op) {
  return op >= Formula::Op::add;
}

/// Calls `take` with what the operation makes of three integers: nothing where 64 bits do not hold it, or
/// where sets say more. Returns what that returns.
template <class Take>
auto with_operation(const Formula& f, const Take& take) {
  using Op = Formula::Op;
  __extension__ using Wide = __int128;
  using Integer = std::int64_t;
  using Maybe = std::optional<Integer>;
  static constexpr auto held = [](Wide value) {
    return value == static_cast<Integer>(value) ? Maybe(static_cast<Integer>(value)) : std::nullopt;
  };
  static constexpr auto if_is = [](bool is_known, Integer value) {
    return is_known ? Maybe(value) : std::nullopt;
  };
  switch (f.op) {
    case Op::add: return take([](Integer a, Integer b, Integer) { return held(Wide{a} + b); });
    case Op::sub: return take([](Integer a, Integer b, Integer) { return held(Wide{a} - b); });
    case Op::mul: return take([](Integer a, Integer b, Integer) { return held(Wide{a} * b); });
    case Op::div:
      return take([](Integer a, Integer b, Integer) { return if_is(b > 0, a / std::max<Integer>(b, 1)); });
    case Op::rem:
      return take(
          [](Integer a, Integer b, Integer) { return if_is(b > 0 && a >= 0, a % std::max<Integer>(b, 1)); });
    case Op::neg: return take([](Integer a, Integer, Integer) { return held(-Wide{a}); });
    case Op::abs: return take([](Integer a, Integer, Integer) { return held(a < 0 ? -Wide{a} : Wide{a}); });
    case Op::min: return take([](Integer a, Integer b, Integer) { return Maybe(std::min(a, b)); });
    case Op::max: return take([](Integer a, Integer b, Integer) { return Maybe(std::max(a, b)); });
    case Op::bit_and: return take([](Integer a, Integer b, Integer) { return Maybe(a & b); });
    case Op::bit_or: return take([](Integer a, Integer b, Integer) { return Maybe(a | b); });
    case Op::bit_xor: return take([](Integer a, Integer b, Integer) { return Maybe(a ^ b); });
    case Op::bit_not: return take([](Integer a, Integer, Integer) { return Maybe(~a); });
    case Op::logical_not: return take([](Integer a, Integer, Integer) { return held(Wide{1} - a); });
    case Op::shl:
      return take([](Integer a, Integer b, Integer) {
        return b < 0 || b > 62 ? std::nullopt : held(Wide{a} * (Integer{1} << b));
      });
    case Op::shr:
      return take([](Integer a, Integer b, Integer) { return if_is(b >= 0 && b <= 62, a >> (b & 63)); });
    case Op::eq: return take([](Integer a, Integer b, Integer) { return Maybe(a == b ? 1 : 0); });
    case Op::ne: return take([](Integer a, Integer b, Integer) { return Maybe(a != b ? 1 : 0); });
    case Op::lt: return take([](Integer a, Integer b, Integer) { return Maybe(a < b ? 1 : 0); });
    case Op::le: return take([](Integer a, Integer b, Integer) { return Maybe(a <= b ? 1 : 0); });
    case Op::select: return take([](Integer a, Integer b, Integer c) { return Maybe(a != 0 ? b : c); });
    case Op::fit:
      return take([bits = f.value](Integer a, Integer, Integer) {
        const bool is_held = bits == -64 ? a >= 0
                             : bits < 0  ? a >= 0 && a >> -bits == 0
                                         : a >> (bits - 1) == (a < 0 ? -1 : 0);
        return if_is(is_held, a);
      });
    case Op::leading_zeros:
      return take([bits = f.value](Integer a, Integer, Integer) {
        return if_is(a >= 0,
                     std::max<Integer>(std::countl_zero(static_cast<std::uint64_t>(a)) - (64 - bits), 0));
      });
    // An assumption that does not hold stands where nothing is touched.
    case Op::below:
    case Op::at_most:
    case Op::above:
    case Op::at_least: return take([](Integer a, Integer, Integer) { return Maybe(a); });
    default: return take([](Integer, Integer, Integer) { return Maybe(); });
  }
}

/// A set that contains every result of an arithmetic operation on elements of the operands.
Strided computed(const Formula&, const Strided& a, const Strided& b, const Strided& c);

/// A stride of both sets together.
std::int64_t stride_of(const Strided&, const Strided&);

/// The values of a loop's variable; `begin` where there are none.
Strided range(const Strided& begin, const Strided& end, const Strided& step);

}  // namespace fulgurite::runtime
