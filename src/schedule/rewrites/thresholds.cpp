#include "schedule/rewrites/thresholds.h"

#include <algorithm>

namespace fulgurite::schedule {

using scalar::Kind;
using scalar::Op;

namespace {

// Sums of two numbers of up to this absolute value do not wrap around.
constexpr std::int64_t most_small = std::int64_t{1} << 61;

bool is_i64(Expr e) {
  return e.type() == scalar::Type{Kind::i64};
}

}  // namespace

std::optional<std::int64_t> constant_of(Expr e) {
  if (!e.is_constant()) return {};
  return static_cast<std::int64_t>(e.bits());
}

Indices::Indices(scalar::Arena& arena, const soac::Soac& soac)
    : arena_(arena), intervals_(arena), extents_(soac.dims) {
  for (soac::Var param : soac.body.params) names_.push_back(arena.name(param));
  small_.insert(soac.body.params.begin(), soac.body.params.end());
  soac::add_bound(soac.body, inside_);
  soac::add_mentioned(soac.dims, small_);
  soac::for_each_root(soac.body, [&](Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (e.op() == Op::index) soac::add_mentioned(arena_.info(e.arg(0).var()).shape, small_);
    });
  });
  add_inside(soac.body);
}

void Indices::add_inside(const soac::Lambda& f) {
  for (const soac::Stm& s : f.body)
    for (const auto& nested : soac::nested_in(s)) {
      for (std::size_t d = 0; d < nested.extents.size(); ++d)
        if (nested.role == soac::Role::points && is_outside(nested.extents[d])) {
          soac::add_mentioned(std::span(&nested.extents[d], 1), small_);
          small_.insert(nested.lambda->params[d]);
          running_.push_back({arena_.name(nested.lambda->params[d]), nested.extents[d] - 1});
        }
      add_inside(*nested.lambda);
    }
}

// Whether it does not depend on the point.
bool Indices::is_outside(Expr e) const {
  soac::Vars mentioned;
  soac::add_mentioned(std::span(&e, 1), mentioned);
  return std::ranges::none_of(mentioned, [&](soac::Var v) { return inside_.contains(v); });
}

// Between what an expression lies while the indices of combinators in the body run.
std::optional<Indices::Ends> Indices::ends_of(Expr rest) const {
  Ends ends{rest, rest};
  for (const Inside& index : running_) {
    if (!scalar::mentions(rest, index.name.var())) continue;
    const auto form = scalar::affine_in(arena_, rest, index.name.var());
    const auto coefficient = form ? constant_of(form->coefficient) : std::nullopt;
    if (!coefficient) return {};
    const auto at = [&](Expr e, bool is_last) {
      const Expr value = is_last ? index.last : arena_.i64(0);
      return scalar::substitute(arena_, e, {{index.name.var(), value}});
    };
    ends = {at(ends.least, *coefficient < 0), at(ends.most, *coefficient > 0)};
  }
  if (!is_outside(ends.least) || !is_outside(ends.most)) return {};
  return ends;
}

Indices::Motion Indices::motion_of(Expr root) {
  scalar::for_each_new_node(root, in_motion_, [&](Expr e) {
    Motion all;
    if (e.is_name()) {
      const auto axis = std::ranges::find(names_, e);
      if (axis != names_.end()) all.axes = std::uint64_t{1} << (axis - names_.begin());
    }
    static constexpr Op of_sums[] = {Op::name, Op::add, Op::sub, Op::neg, Op::mul};
    const bool is_sum = is_i64(e) && std::ranges::find(of_sums, e.op()) != std::end(of_sums);
    for (Expr arg : e.args()) {
      const Motion& of_arg = motions_.at(arg);
      all.axes |= of_arg.axes;
      all.other_ways |= of_arg.other_ways;
    }
    if (!is_sum) all.other_ways = all.axes;
    all.values = values_of(e);
    motions_.emplace(e, all);
  });
  return motions_.at(root);
}

// Sizes and indices are below 2^47.
soac::Interval Indices::values_of(Expr e) {
  if (e.type().rank > 0) return {};
  const bool is_integer = scalar::is_integer(e.kind()) && e.kind() != Kind::u64;
  if (is_integer && e.is_constant()) return intervals_.exactly(*constant_of(e));
  if (e.is_name() && small_.contains(e.var())) return intervals_.between(0, std::int64_t{1} << 47);
  if (!is_integer || e.args().empty() || e.op() == Op::index) return intervals_.any(e.kind());
  std::vector<soac::Interval> operands;
  for (Expr arg : e.args()) operands.push_back(motions_.at(arg).values);
  return intervals_.apply(e, operands);
}

// An operand of a comparison, of which sums do not wrap around and which compares with small numbers as it
// does itself. Absent: there is none.
Expr Indices::saturated(Expr operand) {
  const Motion motion = motion_of(operand);
  if (-most_small <= motion.values.least && motion.values.most <= most_small) return operand;
  if (motion.axes != 0 || !is_outside(operand)) return {};
  return min(max(operand, arena_.i64(-most_small)), arena_.i64(most_small));
}

std::optional<scalar::Affine> Indices::affine_along(std::size_t axis, Expr e) {
  if (motion_of(e).other_ways >> axis & 1) return {};
  return scalar::affine_in(arena_, e, names_[axis].var());
}

std::optional<Threshold> Indices::threshold_of(Expr comparison) {
  if ((comparison.op() != Op::lt && comparison.op() != Op::le) || !is_i64(comparison.arg(0))) return {};
  const Expr less = saturated(comparison.arg(0)), more = saturated(comparison.arg(1));
  if (!less || !more) return {};
  const Expr difference = less - more;
  const std::uint64_t moving = motion_of(difference).axes;
  for (std::size_t axis = names_.size(); axis-- > 0;) {
    if (!(moving >> axis & 1)) continue;
    const auto form = affine_along(axis, difference);
    if (!form) return {};
    const bool rises = form->coefficient.is_constant(1);
    const auto ends = ends_of(form->base);
    if (!ends || (!rises && !form->coefficient.is_constant(-1))) return {};
    // Rises: i + rest < 0, i < -rest, or with <=, i < 1 - rest. Falls: rest - i < 0, i >= rest + 1, or with
    // <=, i >= rest.
    const Expr one = arena_.i64(comparison.op() == Op::le ? 1 : 0);
    if (rises) return Threshold{axis, one - ends->most, one - ends->least, true};
    return Threshold{axis, ends->least + 1 - one, ends->most + 1 - one, false};
  }
  return {};
}

// The operand of min or max that rises faster with an index is the moving one.
Indices::Operands Indices::by_motion(Expr node) {
  const Expr a = node.arg(0), b = node.arg(1), difference = a - b;
  for (std::size_t axis = 0; axis < names_.size(); ++axis) {
    const auto form = affine_along(axis, difference);
    if (form && form->coefficient.is_constant(-1)) return {b, a};
  }
  return {a, b};
}

// A moving operand that equals the other one is taken, so that clamped indices change where a test for them
// does.
std::vector<Expr> Indices::comparisons_of(Expr node) {
  switch (node.op()) {
    case Op::lt:
    case Op::le: return is_i64(node.arg(0)) ? std::vector{node} : std::vector<Expr>();
    case Op::eq:
    case Op::ne:
      if (is_i64(node.arg(0))) return {node.arg(0) < node.arg(1), node.arg(1) < node.arg(0)};
      return {};
    case Op::min:
    case Op::max: {
      if (!is_i64(node)) return {};
      const auto [moving, still] = by_motion(node);
      return {node.op() == Op::max ? moving < still : still < moving};
    }
    case Op::index: {
      if (node.site() == 0) return {};
      std::vector<Expr> all;
      const std::vector<Expr> shape = arena_.info(node.arg(0).var()).shape;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        const Expr at = node.arg(d + 1);
        all.push_back(0 <= at);
        all.push_back(at < shape[d]);
      }
      return all;
    }
    default: return {};
  }
}

std::optional<bool> Indices::value_of(Expr comparison, std::span<const Side> sides) {
  if (comparison.is_constant()) return comparison.bits() != 0;
  const auto threshold = threshold_of(comparison);
  if (!threshold) return {};
  const auto is_at_most = [&](Expr a, Expr b) {
    const auto difference = constant_of(b - a);
    return difference && *difference >= 0;
  };
  for (const Side& side : sides) {
    if (side.axis != threshold->axis) continue;
    if (!side.is_behind && is_at_most(side.at, threshold->first)) return threshold->holds_before;
    if (side.is_behind && is_at_most(threshold->last, side.at)) return !threshold->holds_before;
  }
  return {};
}

Expr Indices::decided(Expr node, std::span<const Side> sides) {
  const std::vector<Expr> comparisons = comparisons_of(node);
  if (comparisons.empty()) return {};
  std::vector<std::optional<bool>> values;
  for (Expr comparison : comparisons) values.push_back(value_of(comparison, sides));
  const auto first = values[0];
  switch (node.op()) {
    case Op::lt:
    case Op::le: return first ? arena_.boolean(*first) : Expr();
    case Op::eq:
    case Op::ne: {
      const bool is_equal = node.op() == Op::eq;
      if (first.value_or(false) || values[1].value_or(false)) return arena_.boolean(!is_equal);
      return first && values[1] ? arena_.boolean(is_equal) : Expr();
    }
    case Op::min:
    case Op::max: {
      const auto [moving, still] = by_motion(node);
      return !first ? Expr() : *first ? still : moving;
    }
    default:
      for (const auto& value : values)
        if (!value.value_or(false)) return {};
      return arena_.index(node.arg(0), node.args().subspan(1));
  }
}

std::vector<Side> Indices::everywhere() const {
  std::vector<Side> sides;
  for (std::size_t axis = 0; axis < names_.size(); ++axis) {
    sides.push_back({axis, arena_.i64(0), true});
    sides.push_back({axis, extents_[axis], false});
  }
  return sides;
}

}  // namespace fulgurite::schedule
