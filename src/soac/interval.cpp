#include "soac/interval.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace fulgurite::soac {

using scalar::Expr;
using scalar::Kind;
using scalar::Op;

namespace {

// Constants up to here are bounds to allocate memory by. Where an array's elements say a size, the range of
// a 32-bit kind is none.
constexpr Wide most_constant_size = Wide{1} << 24;

struct Range {
  Wide least, most;
};

Range range_of(Kind kind) {
  if (kind == Kind::boolean) return {0, 1};
  if (!scalar::is_integer(kind)) return {std::numeric_limits<std::int64_t>::min(), Wide{1} << 64};
  const int width = static_cast<int>(8 * scalar::size_of(kind));
  if (scalar::is_signed(kind)) return {-(Wide{1} << (width - 1)), (Wide{1} << (width - 1)) - 1};
  return {0, (Wide{1} << width) - 1};
}

bool fits(Wide value, Kind kind) {
  const Range range = range_of(kind);
  return range.least <= value && value <= range.most;
}

}  // namespace

Expr Intervals::least_of(Expr a, Expr b) {
  return a && b ? min(a, b) : Expr();
}

Expr Intervals::most_of(Expr a, Expr b) {
  return a && b ? max(a, b) : Expr();
}

Expr Intervals::negative(Expr e) {
  return e ? arena_.apply(Op::neg, {e}) : Expr();
}

Interval Intervals::finish(Interval of) {
  const auto is_i64 = [](Wide value) { return fits(value, Kind::i64); };
  if (!of.low && of.least >= -most_constant_size && is_i64(of.least))
    of.low = arena_.i64(static_cast<std::int64_t>(of.least));
  if (!of.high && of.most <= most_constant_size && is_i64(of.most))
    of.high = arena_.i64(static_cast<std::int64_t>(of.most));
  return of;
}

Interval Intervals::between(Wide least, Wide most) {
  return finish({least, most});
}

Interval Intervals::any(Kind kind) {
  const Range range = range_of(kind);
  return between(range.least, range.most);
}

Interval Intervals::exactly(std::int64_t value) {
  return {value, value, arena_.i64(value), arena_.i64(value)};
}

Interval Intervals::hull(const Interval& a, const Interval& b) {
  return finish({std::min(a.least, b.least), std::max(a.most, b.most), least_of(a.low, b.low),
                 most_of(a.high, b.high)});
}

Interval Intervals::meet(const Interval& a, const Interval& b) {
  Interval both{std::max(a.least, b.least), std::min(a.most, b.most)};
  both.low = a.low && b.low ? max(a.low, b.low) : a.low ? a.low : b.low;
  both.high = a.high && b.high ? min(a.high, b.high) : a.high ? a.high : b.high;
  return both;
}

// The interval of values that would be from least to most if the kind had no end. `ends(kind)` gives the
// expressions of both sides, computed in i64 or, to see whether that wraps around, in f64.
template <class Ends>
Interval Intervals::wrapped(Kind kind, Wide least, Wide most, bool has_low, bool has_high, Ends&& ends) {
  const Range range = range_of(kind);
  const bool under = least<range.least, over = most> range.most;
  if ((over && !has_high) || (under && !has_low)) return any(kind);
  Interval of{std::max(least, range.least), std::min(most, range.most)};
  if (!has_low && !has_high) return finish(of);
  const auto [low, high] = ends(Kind::i64);
  if (has_low) of.low = low;
  if (has_high) of.high = high;
  if (!under && !over) return finish(of);
  of.least = range.least, of.most = range.most;
  const auto [about_low, about_high] = ends(Kind::f64);
  const auto limit = [&](Wide value) {
    return arena_.constant(Kind::f64, std::bit_cast<std::uint64_t>(static_cast<double>(value)));
  };
  Expr fit = arena_.boolean(true);
  constexpr Wide surely = Wide{1} << 62;  // does not wrap around, though f64 rounds
  if (under) fit = limit(std::max(range.least, -surely)) <= about_low;
  if (over) fit = fit & (about_high <= limit(std::min(range.most, surely)));
  const auto otherwise = [&](Expr side, Wide end) {
    const Wide in_i64 = std::clamp<Wide>(end, range_of(Kind::i64).least, range_of(Kind::i64).most);
    return select(fit, side, static_cast<std::int64_t>(in_i64));
  };
  if (has_low) of.low = otherwise(of.low, range.least);
  if (has_high) of.high = otherwise(of.high, range.most);
  return of;
}

Interval Intervals::add(Kind kind, const Interval& a, const Interval& b) {
  const bool has_low = a.low && b.low, has_high = a.high && b.high;
  return wrapped(kind, a.least + b.least, a.most + b.most, has_low, has_high, [&](Kind in) {
    const auto sum = [&](Expr x, Expr y) {
      const Expr left = cast(x, in), right = cast(y, in);
      return left + right;
    };
    const Expr high = has_high ? sum(a.high, b.high) : Expr();
    return std::pair(has_low ? sum(a.low, b.low) : Expr(), high);
  });
}

Interval Intervals::sub(Kind kind, const Interval& a, const Interval& b) {
  const bool has_low = a.low && b.high, has_high = a.high && b.low;
  return wrapped(kind, a.least - b.most, a.most - b.least, has_low, has_high, [&](Kind in) {
    const auto difference = [&](Expr x, Expr y) {
      const Expr left = cast(x, in), right = cast(y, in);
      return left - right;
    };
    const Expr high = has_high ? difference(a.high, b.low) : Expr();
    return std::pair(has_low ? difference(a.low, b.high) : Expr(), high);
  });
}

Interval Intervals::products(Kind kind, Wide least, Wide most, std::span<const Corner> lows,
                             std::span<const Corner> highs) {
  const auto are_there = [](std::span<const Corner> corners) {
    return std::ranges::all_of(corners, [](const Corner& c) { return c.a && c.b; });
  };
  const bool has_low = are_there(lows), has_high = are_there(highs);
  return wrapped(kind, least, most, has_low, has_high, [&](Kind in) {
    const auto extreme = [&](std::span<const Corner> corners, Op op) {
      Expr so_far;
      for (const Corner& c : corners) {
        const Expr left = cast(c.a, in), right = cast(c.b, in);
        const Expr product = left * right;
        so_far = so_far ? arena_.apply(op, {so_far, product}) : product;
      }
      return so_far;
    };
    const Expr high = has_high ? extreme(highs, Op::max) : Expr();
    return std::pair(has_low ? extreme(lows, Op::min) : Expr(), high);
  });
}

Interval Intervals::mul(Kind kind, const Interval& a, const Interval& b) {
  if (kind == Kind::u64) return any(kind);  // its products do not fit
  const Wide all[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
  const Wide least = *std::ranges::min_element(all), most = *std::ranges::max_element(all);
  const Corner ll{a.low, b.low}, lh{a.low, b.high}, hl{a.high, b.low}, hh{a.high, b.high};
  if (a.least >= 0 && b.least >= 0) return products(kind, least, most, {{ll}}, {{hh}});
  if (a.least >= 0) return products(kind, least, most, {{ll, hl}}, {{lh, hh}});
  if (b.least >= 0) return products(kind, least, most, {{ll, lh}}, {{hl, hh}});
  return products(kind, least, most, {{ll, lh, hl, hh}}, {{ll, lh, hl, hh}});
}

Interval Intervals::square(Kind kind, const Interval& a) {
  if (kind == Kind::u64) return any(kind);
  const Corner low{a.low, a.low}, high{a.high, a.high}, none{arena_.i64(0), arena_.i64(0)};
  if (a.least >= 0) return products(kind, a.least * a.least, a.most * a.most, {{low}}, {{high}});
  return products(kind, 0, std::max(a.least * a.least, a.most * a.most), {{none}}, {{low, high}});
}

// Quotients truncate. Divisors whose sign is not known are not 0 where there is a quotient. Where nothing is
// computed, as conditions exclude each other, a divisor may be at least 1 and at most 0.
Interval Intervals::quotient(Kind kind, const Interval& a, const Interval& b) {
  const Expr zero = arena_.i64(0), one = arena_.i64(1);
  if (b.least >= 1 && b.most >= 1) {
    const auto divided = [&](Wide x, Wide y) { return x / y; };
    const Wide least = divided(a.least, a.least < 0 ? b.least : b.most);
    const Wide most = divided(a.most, a.most < 0 ? b.most : b.least);
    Interval of{least, most};
    const bool is_one = b.low && b.low == b.high;
    const Expr by = b.low ? max(b.low, one) : one;
    const auto quotient_of = [&](Expr x) { return x / by; };
    if (a.high && (is_one || a.least >= 0)) of.high = quotient_of(a.high);
    if (a.high && !of.high) of.high = max(a.high, zero);
    if (a.low && is_one) of.low = quotient_of(a.low);
    if (a.low && !of.low) of.low = min(a.low, zero);
    return finish(of);
  }
  if (a.least <= range_of(kind).least && b.least < 0) return any(kind);  // by -1 it wraps around
  const Interval size = magnitude(Kind::i64, a);
  const Wide most = std::max(a.most, -a.least);
  if (a.least >= 0 && b.least >= 0) return finish({0, most, zero, size.high});
  return finish({-most, most, negative(size.high), size.high});
}

// It is at most one more than the quotient that truncates.
Interval Intervals::quotient_up(Kind kind, const Interval& a, const Interval& b) {
  const Interval truncated = quotient(kind, a, b);
  return add(kind, truncated, between(0, 1));
}

// Remainders have the sign of the dividend, and are nearer to 0 than dividend and divisor.
Interval Intervals::remainder(const Interval& a, const Interval& b) {
  const Wide divisor = std::max(b.most, -b.least);
  const Wide most = std::min(std::max<Wide>(a.most, 0), divisor - 1);
  const Wide least = std::max(std::min<Wide>(a.least, 0), 1 - divisor);
  Interval of{std::min(least, Wide{0}), std::max(most, Wide{0})};
  const Interval size = magnitude(Kind::i64, b);
  Expr below;  // the divisor's magnitude less one; the magnitude of the lowest i64 is none
  if (size.high && divisor <= range_of(Kind::i64).most)
    below = max(size.high - 1, 0);
  else
    below = size.high;
  const Expr zero = arena_.i64(0);
  const Expr above = a.high ? max(a.high, zero) : Expr(), under = a.low ? min(a.low, zero) : Expr();
  of.high = above && below ? min(above, below) : above ? above : below;
  const Expr least_below = negative(below);
  of.low = a.least >= 0 ? zero : under && least_below ? max(under, least_below) : under ? under : least_below;
  return finish(of);
}

Interval Intervals::magnitude(Kind kind, const Interval& a) {
  if (a.least >= 0) return a;
  const Expr zero = arena_.i64(0);
  const bool has_high = a.low && a.high;
  return wrapped(kind, 0, std::max(a.most, -a.least), true, has_high, [&](Kind in) {
    const Expr low = cast(zero, in);
    if (!has_high) return std::pair(low, Expr());
    const Expr negated = arena_.apply(Op::neg, {cast(a.low, in)});
    return std::pair(low, Expr(max(cast(a.high, in), negated)));
  });
}

Interval Intervals::bits(Op op, Kind kind, const Interval& a, const Interval& b) {
  const Expr zero = arena_.i64(0);
  if (op == Op::bit_and) {
    if (a.least < 0 && b.least < 0) return any(kind);
    if (a.least < 0) return finish({0, b.most, zero, b.high});
    if (b.least < 0) return finish({0, a.most, zero, a.high});
    return meet(finish({0, a.most, zero, a.high}), finish({0, b.most, zero, b.high}));
  }
  if (a.least < 0 || b.least < 0) return any(kind);
  // The sum of two numbers has all their bits, or more.
  const Interval sum = add(kind, a, b), all = any(kind);
  return finish({0, std::min(a.most + b.most, all.most), zero, sum.high});
}

Interval Intervals::shifted(Op op, Kind kind, const Interval& a, const Interval& b) {
  const int width = static_cast<int>(8 * scalar::size_of(kind));
  const bool is_count = b.least >= 0 && b.most < width;
  const Expr zero = arena_.i64(0);
  if (op == Op::shr) {
    const auto least_count = is_count ? static_cast<int>(b.least) : 0;
    const auto most_count = is_count ? static_cast<int>(b.most) : width - 1;
    Interval of{a.least >> (a.least < 0 ? least_count : most_count),
                a.most >> (a.most < 0 ? most_count : least_count)};
    const bool is_one = least_count == most_count;
    const auto shifted_by = [&](Expr e) -> Expr { return e >> least_count; };
    if (a.high) of.high = is_one || a.least >= 0 ? shifted_by(a.high) : max(a.high, zero);
    if (a.low) of.low = is_one ? shifted_by(a.low) : min(a.low, zero);
    return finish(of);
  }
  if (!is_count || kind == Kind::u64 || b.most > 62) return any(kind);
  return mul(kind, a, between(Wide{1} << static_cast<int>(b.least), Wide{1} << static_cast<int>(b.most)));
}

Interval Intervals::converted(Kind to, const Interval& a) {
  return wrapped(to, a.least, a.most, static_cast<bool>(a.low), static_cast<bool>(a.high), [&](Kind in) {
    const auto into = [&](Expr e) { return e ? cast(e, in) : e; };
    const Expr high = into(a.high);
    return std::pair(into(a.low), high);
  });
}

Interval Intervals::apply(Expr e, std::span<const Interval> of) {
  const Kind kind = e.kind();
  const int width = static_cast<int>(8 * scalar::size_of(kind));
  switch (e.op()) {
    case Op::add: return add(kind, of[0], of[1]);
    case Op::sub: return sub(kind, of[0], of[1]);
    case Op::mul: return e.arg(0) == e.arg(1) ? square(kind, of[0]) : mul(kind, of[0], of[1]);
    case Op::neg: return sub(kind, exactly(0), of[0]);
    case Op::bit_not:
      if (kind == Kind::boolean || kind == Kind::u64) return any(kind);
      return sub(kind,
                 scalar::is_signed(kind) ? exactly(-1) : between(range_of(kind).most, range_of(kind).most),
                 of[0]);
    case Op::div: return quotient(kind, of[0], of[1]);
    case Op::ceil_div: return quotient_up(kind, of[0], of[1]);
    case Op::rem: return remainder(of[0], of[1]);
    case Op::abs: return magnitude(kind, of[0]);
    case Op::sign:
      return between(of[0].least > 0    ? 1
                     : of[0].least == 0 ? 0
                                        : -1,
                     of[0].most < 0    ? -1
                     : of[0].most == 0 ? 0
                                       : 1);
    case Op::min: {
      Interval least{std::min(of[0].least, of[1].least), std::min(of[0].most, of[1].most)};
      least.low = least_of(of[0].low, of[1].low);
      least.high = of[0].high && of[1].high ? min(of[0].high, of[1].high)
                   : of[0].high             ? of[0].high
                                            : of[1].high;
      return finish(least);
    }
    case Op::max: {
      Interval most{std::max(of[0].least, of[1].least), std::max(of[0].most, of[1].most)};
      most.low = of[0].low && of[1].low ? max(of[0].low, of[1].low) : of[0].low ? of[0].low : of[1].low;
      most.high = most_of(of[0].high, of[1].high);
      return finish(most);
    }
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor: return kind == Kind::boolean ? any(kind) : bits(e.op(), kind, of[0], of[1]);
    case Op::shl:
    case Op::shr: return shifted(e.op(), kind, of[0], of[1]);
    case Op::popcount:
    case Op::clz:
    case Op::ctz: return between(0, width);
    case Op::select: return hull(of[1], of[2]);
    case Op::cast:
    case Op::bitcast:
      if (!scalar::is_integer(e.arg(0).kind()) && e.arg(0).kind() != Kind::boolean) return any(kind);
      if (kind == Kind::boolean) return any(kind);
      return converted(kind, of[0]);
    default: return any(kind);
  }
}

}  // namespace fulgurite::soac
