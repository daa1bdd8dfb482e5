#include "schedule/rewrites/quotients.h"

#include <algorithm>
#include <bit>

#include "schedule/rewrites/total.h"

namespace fulgurite::schedule {

using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;

namespace {

// Divisors, quotients and what indices are made of besides are at most 2^29, so that sums of a few fit into
// 32 bits.
constexpr int part_bits = 29, exact_bits = 30, product_bits = 62;
// A dividend is below 2^62: columns are below 2^47.
constexpr int base_bits = 60;
constexpr std::int64_t most_stride = 1 << 13;

}  // namespace

Quotients::Quotients(Arena& arena, Var column, const Row& row, InRow in_row)
    : arena_(arena), column_(column), row_(row), in_row_(std::move(in_row)) {}

// -2^bits <= value <= 2^bits, as one comparison.
void Quotients::want_within(Expr value, int bits) {
  const std::int64_t most = std::int64_t{1} << bits;
  wanted_.push_back(cast(value + most, Kind::u64) <= arena_.constant(Kind::u64, 2 * std::uint64_t(most)));
}

const Quotient* Quotients::quotient_of(Expr e) {
  if (!divides(e) || e.type() != scalar::Type{} || mentions(e.arg(1), column_)) return nullptr;
  const auto along = scalar::affine_in(arena_, e.arg(0), column_);
  if (!along || !along->coefficient.is_constant()) return nullptr;
  const auto by = static_cast<std::int64_t>(along->coefficient.bits());
  if (by < 1 || by > most_stride) return nullptr;
  if (e.arg(1).is_constant() && std::has_single_bit(e.arg(1).bits())) return nullptr;
  std::vector<Expr> wanted;
  const Expr base = in_row_(along->base, wanted), divisor = in_row_(e.arg(1), wanted);
  if (!base || !divisor) return nullptr;
  for (const Quotient& known : all_)
    if (known.coefficient == by && known.base == base && known.divisor == divisor) return &known;
  wanted_.insert(wanted_.end(), wanted.begin(), wanted.end());
  want_within(base, base_bits);
  if (!base.is_constant(0)) wanted_.push_back(0 <= by * row_.first + base);
  wanted_.push_back(0 < divisor);
  want_within(divisor, part_bits);
  want_within((by * row_.last + base) / max(divisor, 1), part_bits);
  all_.push_back(
      {by, base, divisor, arena_.fresh({Kind::i32}, "quotient"), arena_.fresh({Kind::i32}, "remainder")});
  return &all_.back();
}

Expr Quotients::named(Expr node) {
  const Quotient* of = quotient_of(node);
  if (!of) return {};
  return cast(node.op() == Op::div ? of->quotient : of->remainder, Kind::i64);
}

bool Quotients::are_in(Expr index) const {
  if (all_.empty() || !mentions(index, column_)) return false;
  bool divides_column = false;
  scalar::for_each_node(std::span(&index, 1), [&](Expr e) {
    divides_column = divides_column || (divides(e) && mentions(e.arg(0), column_));
  });
  return divides_column;
}

std::optional<Quotients::Range> Quotients::range_of_same(Expr e) {
  if (e.is_constant()) {
    const auto value = static_cast<std::int64_t>(e.bits());
    const int bits = std::bit_width(value < 0 ? 0 - e.bits() : e.bits());
    return bits <= part_bits ? std::optional(Range{e, e, bits}) : std::nullopt;
  }
  const Expr value = in_row_(e, wanted_);
  if (!value) return {};
  want_within(value, part_bits);
  return Range{value, value, part_bits};
}

std::optional<Quotients::Range> Quotients::range_of_operands(Expr e) {
  const auto a = range(e.arg(0)), b = range(e.arg(1));
  if (!a || !b) return {};
  const int of_sum = std::max(a->bits, b->bits) + 1, of_product = a->bits + b->bits;
  if ((e.op() == Op::mul ? of_product : of_sum) > product_bits) return {};
  switch (e.op()) {
    case Op::add: return Range{a->low + b->low, a->high + b->high, of_sum};
    case Op::sub: return Range{a->low - b->high, a->high - b->low, of_sum};
    case Op::min: return Range{min(a->low, b->low), min(a->high, b->high), of_sum - 1};
    case Op::max: return Range{max(a->low, b->low), max(a->high, b->high), of_sum - 1};
    case Op::mul: {
      const bool is_by_a = a->low == a->high;
      if (!is_by_a && b->low != b->high) return {};
      const Expr by = is_by_a ? a->low : b->low;
      const Range& of = is_by_a ? *b : *a;
      wanted_.push_back(0 <= by);
      return Range{of.low * by, of.high * by, of_product};
    }
    default: return {};
  }
}

std::optional<Quotients::Range> Quotients::range(Expr e) {
  if (const auto known = ranges_.find(e); known != ranges_.end()) return known->second;
  std::optional<Range> range;
  if (!mentions(e, column_)) {
    range = range_of_same(e);
  } else if (e == arena_.name(column_)) {
    want_within(row_.last, part_bits);
    range = Range{row_.first, row_.last, part_bits};
  } else if (const Quotient* of = quotient_of(e)) {
    const Expr divisor = max(of->divisor, 1), by = arena_.i64(of->coefficient);
    if (e.op() == Op::rem)
      range = Range{arena_.i64(0), of->divisor - 1, part_bits};
    else
      range = Range{(by * row_.first + of->base) / divisor, (by * row_.last + of->base) / divisor, part_bits};
  } else if (e.args().size() == 2) {
    range = range_of_operands(e);
  }
  return ranges_[e] = range;
}

bool Quotients::covers(Expr index, Expr extent) {
  const auto asked = wanted_;
  const auto known = ranges_;
  const auto values = range(index);
  const Expr size = values ? in_row_(extent, wanted_) : Expr();
  if (!size) {
    wanted_ = asked;
    ranges_ = known;
    return false;
  }
  constexpr std::int64_t most = std::int64_t{1} << 31;
  wanted_.push_back(0 <= values->low);
  wanted_.push_back(values->high < min(size, most));
  return true;
}

// Sums and products wrap in 32 bits as their values do: only what compares its operands needs them as they
// are.
bool Quotients::may_compute_narrow(Expr e) {
  if (!mentions(e, column_)) return false;
  if (e.op() == Op::add || e.op() == Op::sub || e.op() == Op::mul) return true;
  if (e.op() != Op::min && e.op() != Op::max) return false;
  return std::ranges::all_of(e.args(), [&](Expr operand) {
    const auto values = range(operand);
    return values && values->bits <= exact_bits;
  });
}

Expr Quotients::in_32_bits(Expr e, const std::function<Expr(Expr)>& rebuilt) {
  if (const auto known = narrow_.find(e); known != narrow_.end()) return known->second;
  Expr result;
  if (const Quotient* of = mentions(e, column_) ? quotient_of(e) : nullptr)
    result = e.op() == Op::div ? of->quotient : of->remainder;
  else if (may_compute_narrow(e))
    result = arena_.apply(e.op(), {in_32_bits(e.arg(0), rebuilt), in_32_bits(e.arg(1), rebuilt)});
  else
    result = cast(rebuilt(e), Kind::i32);
  return narrow_[e] = result;
}

Expr Quotients::narrow(Expr index, const std::function<Expr(Expr)>& rebuilt) {
  return cast(in_32_bits(index, rebuilt), Kind::i64);
}

}  // namespace fulgurite::schedule
