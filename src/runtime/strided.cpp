#include "runtime/strided.h"

#include <bit>
#include <numeric>
#include <utility>

namespace fulgurite::runtime {
namespace {

using Op = Formula::Op;
__extension__ using Wide = __int128;

// The set from low to high, as far as 64 bits reach; not exact.
Strided made(Wide low, Wide high, Wide stride) {
  if (low < INT64_MIN || high > INT64_MAX || low > high) return Strided::unknown();
  if (low == high) return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(low), 0, 1, false, 0};
  const Wide span = high - low;
  if (span > INT64_MAX || stride > INT64_MAX)
    return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), 1, 1, false, 0};
  // Division of 64 bits: that of 128 is many times slower.
  const std::int64_t step = std::max<std::int64_t>(static_cast<std::int64_t>(stride), 1);
  const std::int64_t first = static_cast<std::int64_t>(low),
                     apart = static_cast<std::int64_t>(span) / step * step;
  return {first, first + apart, apart == 0 ? 0 : step, 1, false, 0};
}

// Without runs, whose elements become neighbours all the way.
Strided flat(const Strided& s) {
  if (s.run == 1) return s;
  return {s.low, s.high, 1, 1, s.is_exact && !s.has_gaps(), s.variables};
}

// `to` is exact if it is so of operands that are, and that no variable makes depend on each other.
Strided exact_if(Strided to, const Strided& a, const Strided& b) {
  to.is_exact = a.is_exact && b.is_exact && (a.variables & b.variables) == 0;
  to.variables = a.variables | b.variables;
  return to;
}
Strided with_variables(Strided to, const Strided& a, const Strided& b) {
  to.variables = a.variables | b.variables;
  return to;
}

// The greatest common divisor; 1, which is always a stride, for what 64 bits do not hold.
Wide common(Wide a, Wide b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  if (a > INT64_MAX || b > INT64_MAX) return 1;
  return std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
}

}  // namespace

std::int64_t stride_of(const Strided& a, const Strided& b) {
  return static_cast<std::int64_t>(common(common(a.stride, b.stride), Wide{a.low} - b.low));
}

namespace {

Strided joined(const Strided& x, const Strided& y) {
  if (x == y) return x;
  const Strided a = flat(x), b = flat(y);
  if (!a.is_bounded() || !b.is_bounded()) return {std::min(a.low, b.low), std::max(a.high, b.high), 1};
  return with_variables(made(std::min(a.low, b.low), std::max(a.high, b.high), stride_of(a, b)), a, b);
}

Strided negated(const Strided& of) {
  const Strided a = flat(of);
  if (!a.is_bounded()) return Strided::unknown();
  Strided to = made(-Wide{a.high}, -Wide{a.low}, a.stride);
  to.is_exact = a.is_exact;
  to.variables = a.variables;
  return to;
}

// Each run of `of` moved by `by.low`, and longer by the length of `by`; what lies between its elements counts
// as part of it. The runs do not meet.
Strided lengthened(const Strided& of, const Strided& by) {
  Strided to = of;
  to.low = of.low + by.low;
  to.high = of.high + by.high;
  to.run = of.run + (by.high - by.low);
  if (to.stride == to.run || to.stride == 0) {
    to.stride = to.low == to.high ? 0 : 1;
    to.run = 1;
  }
  return to;
}

Strided sum(const Strided& a, const Strided& b) {
  if (!a.is_bounded() || !b.is_bounded()) return Strided::unknown();
  const Wide low = Wide{a.low} + b.low, high = Wide{a.high} + b.high;
  if (low < INT64_MIN || high > INT64_MAX) return Strided::unknown();
  for (const bool is_first : {true, false}) {
    const Strided &apart = is_first ? a : b, &other = is_first ? b : a;
    if (apart.is_point()) {
      Strided moved = other;
      moved.low = static_cast<std::int64_t>(low);
      moved.high = static_cast<std::int64_t>(high);
      return exact_if(moved, a, b);
    }
    const Strided dense = flat(other);
    if (dense.stride > 1) continue;
    const bool stay_apart = apart.stride > 1 && apart.run + (dense.high - dense.low) <= apart.stride;
    Strided to = exact_if(stay_apart ? lengthened(apart, dense) : made(low, high, 1), a, b);
    to.is_exact &= !other.has_gaps();
    return to;
  }
  // Both have gaps: the runs of the one whose stride is less are taken whole.
  const Strided& wide = a.stride >= b.stride ? a : b;
  const Strided& narrow = a.stride >= b.stride ? b : a;
  if (wide.run + (narrow.high - narrow.low) <= wide.stride) {
    Strided to = with_variables(lengthened(wide, narrow), a, b);
    to.is_exact = false;
    return to;
  }
  const bool have_runs = wide.run > 1 || narrow.run > 1;
  return with_variables(made(low, high, have_runs ? Wide{1} : common(a.stride, b.stride)), a, b);
}

Strided product(const Strided& x, const Strided& y) {
  const Strided a = flat(x), b = flat(y);
  if (!a.is_bounded() || !b.is_bounded()) return Strided::unknown();
  const Wide ends[] = {Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low,
                       Wide{a.high} * b.high};
  const auto [low, high] = std::ranges::minmax(ends);
  // (al + i as)(bl + j bs) = al bl + j al bs + i as bl + i j as bs
  const Wide stride =
      common(common(Wide{a.low} * b.stride, Wide{a.stride} * b.low), Wide{a.stride} * b.stride);
  const Strided to = made(low, high, stride);
  return a.is_point() || b.is_point() ? exact_if(to, a, b) : with_variables(to, a, b);
}

Strided quotient(const Strided& x, const Strided& b) {
  const Strided a = flat(x);
  if (!a.is_bounded() || !b.is_bounded() || b.low <= 0) return Strided::unknown();
  const std::int64_t ends[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  const auto [low, high] = std::ranges::minmax(ends);
  const bool is_exact = b.is_point() && a.stride % b.low == 0 && (a.low % b.low == 0 || a.low >= 0);
  return made(low, high, is_exact ? a.stride / b.low : 1);
}

Strided remainder(const Strided& x, const Strided& b) {
  const Strided a = flat(x);
  if (!b.is_bounded() || b.low <= 0) return Strided::unknown();
  if (!a.is_bounded()) return made(a.low >= 0 ? 0 : 1 - Wide{b.high}, Wide{b.high} - 1, 1);
  if (b.is_point() && a.low >= 0 && a.low / b.low == a.high / b.low)
    return made(a.low % b.low, a.high % b.low, a.stride);
  if (a.low >= 0 && a.high < b.low) return a;
  if (b.is_point() && a.low >= 0) {
    const auto step = static_cast<std::int64_t>(common(a.stride, b.low));
    return made(a.low % step, b.low - 1, step);
  }
  return made(a.low >= 0 ? 0 : -(Wide{b.high} - 1), a.high <= 0 ? 0 : Wide{b.high} - 1, 1);
}

Strided lesser(const Strided& x, const Strided& y, bool wants_greater) {
  const Strided a = flat(x), b = flat(y);
  if (!a.is_bounded() || !b.is_bounded())
    return wants_greater ? Strided{std::max(a.low, b.low), std::max(a.high, b.high), 1}
                         : Strided{std::min(a.low, b.low), std::min(a.high, b.high), 1};
  if (wants_greater ? a.low >= b.high : a.high <= b.low) return a;
  if (wants_greater ? b.low >= a.high : b.high <= a.low) return b;
  return wants_greater ? made(std::max(a.low, b.low), std::max(a.high, b.high), 1)
                       : made(std::min(a.low, b.low), std::min(a.high, b.high), stride_of(a, b));
}

Strided both_bits(const Strided& x, const Strided& y) {
  const Strided a = flat(x), b = flat(y);
  if (a == Strided::point(0) || b == Strided::point(0)) return Strided::point(0);
  for (const auto& [value, mask] : {std::pair(a, b), std::pair(b, a)}) {
    if (mask.is_point() && mask.low >= 0 && !value.is_bounded()) return made(0, mask.low, 1);
    if (!mask.is_point() || !value.is_bounded()) continue;
    const std::int64_t unit = mask.low == INT64_MIN ? 0 : -mask.low;
    if (mask.low < 0 && (unit & (unit - 1)) == 0)  // rounds down to multiples of `unit`
      return made(value.low & mask.low, value.high & mask.low, unit);
    if (mask.low >= 0) return made(0, value.low >= 0 ? std::min(value.high, mask.low) : mask.low, 1);
  }
  if (a.low >= 0 && b.low >= 0) return made(0, std::min(a.high, b.high), 1);
  return Strided::unknown();
}

Strided other_bits(Op op, const Strided& a, const Strided& b) {
  const auto is_boolean = [](const Strided& s) { return s.low >= 0 && s.high <= 1; };
  if (!is_boolean(a) || !is_boolean(b)) return Strided::unknown();
  if (op == Op::bit_or && (a.low == 1 || b.low == 1)) return Strided::point(1);
  return Strided::boolean();
}

Strided shifted(Op op, const Strided& x, const Strided& by) {
  const Strided a = flat(x);
  if (!a.is_bounded() || !by.is_bounded() || by.low < 0 || by.high > 62) return Strided::unknown();
  if (op == Op::shl)
    return product(a, by.is_point() ? Strided::point(std::int64_t{1} << by.low)
                                    : made(std::int64_t{1} << by.low, std::int64_t{1} << by.high, 1));
  const std::int64_t ends[] = {a.low >> by.low, a.low >> by.high, a.high >> by.low, a.high >> by.high};
  const auto [low, high] = std::ranges::minmax(ends);
  const std::int64_t unit = std::int64_t{1} << by.low;
  return made(low, high, by.is_point() && a.stride % unit == 0 ? a.stride / unit : 1);
}

Strided comparison(Op op, const Strided& a, const Strided& b) {
  const auto known = [](bool holds) { return Strided::point(holds ? 1 : 0); };
  switch (op) {
    case Op::lt:
      if (a.high < b.low) return known(true);
      return a.low >= b.high ? known(false) : Strided::boolean();
    case Op::le:
      if (a.high <= b.low) return known(true);
      return a.low > b.high ? known(false) : Strided::boolean();
    default:
      if (a.high < b.low || b.high < a.low) return known(op == Op::ne);
      return Strided::boolean();
  }
}

// What of `a` may stand in the comparison; `a` where nothing does.
Strided met(Op op, const Strided& x, const Strided& b) {
  const Strided a = flat(x);
  const auto kept = [&](Strided to) {
    to.is_exact = a.is_exact && b.is_point();
    to.variables = a.variables | b.variables;
    return to;
  };
  const bool bounds_above = op == Op::below || op == Op::at_most;
  if (bounds_above) {
    if (b.high == INT64_MAX) return a;
    const std::int64_t high = op == Op::below ? b.high - (b.high > INT64_MIN ? 1 : 0) : b.high;
    if (high >= a.high || high < a.low) return a;
    if (a.low == INT64_MIN) return {a.low, high, 1};
    return kept(made(a.low, high, a.stride));
  }
  if (b.low == INT64_MIN) return a;
  const std::int64_t low = op == Op::above ? b.low + (b.low < INT64_MAX ? 1 : 0) : b.low;
  if (low <= a.low || low > a.high) return a;
  if (!a.is_bounded()) return {low, a.high, 1};
  const Wide step = std::max<std::int64_t>(a.stride, 1);
  const Wide first = a.low + (Wide{low} - a.low + step - 1) / step * step;
  return kept(made(first, a.high, a.stride));
}

Strided fitting(const Strided& a, std::int64_t bits) {
  if (bits == -64) return a.low >= 0 ? a : Strided::unknown();
  const Strided all = bits < 0
                          ? Strided{0, (std::int64_t{1} << -bits) - 1, 1}
                          : Strided{-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1, 1};
  return a.low >= all.low && a.high <= all.high ? a : all;
}

Strided leading_zeros(const Strided& of, std::int64_t bits) {
  const auto zeros = [&](std::int64_t value) {
    const std::int64_t all = std::countl_zero(static_cast<std::uint64_t>(value));
    return std::max<std::int64_t>(all - (64 - bits), 0);
  };
  if (of.low < 0) return made(0, bits, 1);
  return made(zeros(of.high), zeros(of.low), 1);
}

Strided magnitude(const Strided& of) {
  const Strided a = flat(of);
  if (a.low >= 0) return a;
  if (a.low == INT64_MIN) return Strided::unknown();  // its magnitude is itself
  if (a.high <= 0) return negated(a);
  return a.high != INT64_MAX ? made(0, std::max(Wide{a.high}, -Wide{a.low}), 1) : Strided{0, INT64_MAX, 1};
}

}  // namespace

Strided range(const Strided& begin, const Strided& end, const Strided& step) {
  if (begin.low == INT64_MIN || end.high == INT64_MAX || begin.high == INT64_MAX) return Strided::unknown();
  const std::int64_t last = end.high - (end.high > INT64_MIN ? 1 : 0);
  if (last < begin.low) return begin;
  if (!step.is_point() || step.low <= 0 || begin.run > 1) return made(begin.low, last, 1);
  Strided to = made(begin.low, last, common(begin.stride, step.low));
  to.is_exact = begin.is_point() && end.is_point();
  return to;
}

Strided computed(const Formula& f, const Strided& a, const Strided& b, const Strided& c) {
  if (a.is_point() && (f.b < 0 || b.is_point()) && (f.c < 0 || c.is_point()))
    if (const auto integer =
            with_operation(f, [&](const auto& result) { return result(a.low, b.low, c.low); }))
      return Strided::point(*integer);
  switch (f.op) {
    case Op::add: return sum(a, b);
    case Op::sub: return sum(a, negated(b));
    case Op::mul: return product(a, b);
    case Op::div: return quotient(a, b);
    case Op::rem: return remainder(a, b);
    case Op::neg: return negated(a);
    case Op::abs: return magnitude(a);
    case Op::min: return lesser(a, b, false);
    case Op::max: return lesser(a, b, true);
    case Op::bit_and: return both_bits(a, b);
    case Op::bit_or:
    case Op::bit_xor: return other_bits(f.op, a, b);
    case Op::bit_not: return sum(Strided::point(-1), negated(a));
    case Op::logical_not: return sum(Strided::point(1), negated(a));
    case Op::shl:
    case Op::shr: return shifted(f.op, a, b);
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le: return comparison(f.op, a, b);
    case Op::select:
      if (a.is_point()) return a.low != 0 ? b : c;
      return joined(b, c);
    case Op::fit: return fitting(a, f.value);
    case Op::below:
    case Op::at_most:
    case Op::above:
    case Op::at_least: return met(f.op, a, b);
    case Op::leading_zeros: return leading_zeros(a, f.value);
    default: return Strided::unknown();
  }
}

}  // namespace fulgurite::runtime
