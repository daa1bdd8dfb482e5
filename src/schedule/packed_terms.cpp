#include "schedule/packed_terms.h"

#include <unordered_map>

#include "soac/interval.h"
#include "soac/operation.h"

namespace fulgurite::schedule {

using scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;

namespace {

/// The values of an integer expression, from the kinds of what it is converted from.
class ValueRanges {
 public:
  explicit ValueRanges(scalar::Arena& arena) : intervals_(arena) {}

  bool has_bits(Expr e, int bits, bool is_signed) {
    const soac::Interval range = of(e);
    const soac::Wide below = soac::Wide{1} << (is_signed ? bits - 1 : bits);
    return (is_signed ? -below : 0) <= range.least && range.most < below;
  }

 private:
  soac::Interval of(Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) { memo_.try_emplace(e, of_node(e)); });
    return memo_.at(root);
  }
  soac::Interval of_node(Expr e) {
    const bool is_number = scalar::is_integer(e.kind()) || e.kind() == Kind::boolean;
    if (e.is_constant() && scalar::is_integer(e.kind()))
      return intervals_.exactly(static_cast<std::int64_t>(e.bits()));
    if (!is_number || e.op() == Op::index || e.args().empty()) return intervals_.any(e.kind());
    std::vector<soac::Interval> operands;
    for (Expr arg : e.args()) operands.push_back(memo_.at(arg));
    return intervals_.apply(e, operands);
  }

  soac::Intervals intervals_;
  std::unordered_map<Expr, soac::Interval> memo_;
};

}  // namespace

std::optional<PackedTerms> packed_terms(scalar::Arena& arena, const soac::Soac& reduction,
                                        std::int64_t together) {
  if (reduction.reductions.size() != 1) return {};
  const soac::Lambda& op = reduction.reductions[0].op;
  if (op.results.size() != 1 || !op.body.empty() || soac::operation_of(op, 0) != Op::add) return {};
  if (!reduction.body.body.empty() || reduction.body.results.size() != 1) return {};
  const Expr term = reduction.body.results[0];
  if (term.op() != Op::mul || (term.kind() != Kind::i32 && term.kind() != Kind::u32)) return {};
  const Expr a = term.arg(0), b = term.arg(1);
  ValueRanges ranges(arena);
  const auto is = [&](Expr e, int bits, bool is_signed) { return ranges.has_bits(e, bits, is_signed); };
  if (together == 2 && is(a, 16, true) && is(b, 16, true)) return PackedTerms{Op::add_half_products, a, b};
  if (together == 4 && is(a, 8, false) && is(b, 8, true)) return PackedTerms{Op::add_quarter_products, a, b};
  if (together == 4 && is(b, 8, false) && is(a, 8, true)) return PackedTerms{Op::add_quarter_products, b, a};
  return {};
}

}  // namespace fulgurite::schedule
