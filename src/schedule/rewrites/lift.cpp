#include "schedule/rewrites/lift.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/outputs.h"
#include "soac/rename.h"

namespace fulgurite::schedule {

using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using scalar::Var;

namespace {

// Whether it does no harm to apply the operator to values that are not there.
bool is_harmless(const soac::Lambda& op) {
  bool harmless = op.body.empty();
  scalar::for_each_node(op.results, [&](Expr e) {
    const bool divides = scalar::is_division(e.op()) && !is_float(e.kind());
    harmless = harmless && !divides && e.op() != Op::index && !can_fail(e);
  });
  return harmless;
}

// (f, a...) op' (g, b...) = (f | g, f & g ? a op b : f ? a : b)
soac::Reduction lift(scalar::Arena& arena, const soac::Reduction& r, std::span<const Kind> kinds) {
  std::size_t n = kinds.size();
  std::vector<Expr> left{arena.fresh({Kind::boolean}, "has_left")},
      right{arena.fresh({Kind::boolean}, "has_right")};
  for (Kind kind : kinds) left.push_back(arena.fresh({kind}, "a")), right.push_back(arena.fresh({kind}, "b"));
  std::vector<Expr> args(left.begin() + 1, left.end());
  args.insert(args.end(), right.begin() + 1, right.end());
  soac::Applied joined = soac::apply(arena, r.op, args);

  soac::Reduction lifted;
  lifted.commutative = r.commutative;
  for (Expr p : left) lifted.op.params.push_back(p.var());
  for (Expr p : right) lifted.op.params.push_back(p.var());
  std::vector<Expr> results;
  if (is_harmless(r.op)) {
    for (std::size_t k = 0; k < n; ++k) {
      const Expr if_left = select(right[0], joined.results[k], left[k + 1]);
      results.push_back(select(left[0], if_left, right[k + 1]));
    }
  } else {  // it is applied only to two values
    soac::Stm choice;
    soac::Lambda one_side;
    for (std::size_t k = 0; k < n; ++k) {
      results.push_back(arena.fresh({kinds[k]}, "joined"));
      choice.names.push_back(results.back().var());
      one_side.results.push_back(select(left[0], left[k + 1], right[k + 1]));
    }
    choice.op = soac::If{
        left[0] & right[0], {{}, std::move(joined.body), std::move(joined.results)}, std::move(one_side)};
    choice.origin = "reduce";
    lifted.op.body.push_back(std::move(choice));
  }
  lifted.op.results.push_back(left[0] | right[0]);
  lifted.neutral.push_back(arena.boolean(false));
  for (std::size_t k = 0; k < n; ++k) {
    lifted.op.results.push_back(results[k]);
    lifted.neutral.push_back(arena.constant(kinds[k], 0));
  }
  if (!r.initial.empty()) {
    lifted.initial = r.initial;
    lifted.initial.insert(lifted.initial.begin(), arena.boolean(true));
  }
  return lifted;
}

// `kinds` of the operator's components.
std::vector<Kind> kinds_of(const soac::Reduction& r) {
  std::vector<Kind> kinds;
  for (Expr e : r.op.results) kinds.push_back(e.kind());
  return kinds;
}

// Nothing is left to lift where every operator has a neutral element.
bool is_lifted(const soac::Soac& op) {
  const auto has_neutral = [](const soac::Reduction& r) { return !r.neutral.empty(); };
  return std::ranges::all_of(op.reductions, has_neutral) &&
         std::ranges::all_of(op.scatters,
                             [&](const auto& s) { return std::ranges::all_of(s.combine, has_neutral); }) &&
         std::ranges::all_of(op.body.body, [&](const soac::Stm& s) {
           const auto* scan = base::as<soac::Scan>(s.op);
           return !scan || has_neutral(scan->reduction);
         });
}

void lift_scan(scalar::Arena& arena, soac::Stm& s, soac::Scan& scan) {
  soac::Reduction& r = scan.reduction;
  if (!r.neutral.empty()) return;
  r = lift(arena, r, kinds_of(r));
  scan.operands.insert(scan.operands.begin(), arena.boolean(true));
  s.names.insert(s.names.begin(), arena.fresh({Kind::boolean}, "has").var());
}

// The operator's results where the left and right components are `left` and `right`, or unknown.
std::vector<Expr> results_of(scalar::Arena& arena, const soac::Lambda& op, std::vector<Expr> left,
                             std::span<const Expr> right) {
  left.insert(left.end(), right.begin(), right.end());
  for (std::size_t k = 0; k < left.size(); ++k)
    if (!left[k]) left[k] = arena.name(op.params[k]);
  return soac::apply(arena, op, left).results;
}

}  // namespace

std::vector<Expr> constant_components(scalar::Arena& arena, const soac::Reduction& r,
                                      std::span<const Expr> operands) {
  std::vector<Expr> constants;
  for (Expr operand : operands) constants.push_back(operand.is_constant() ? operand : Expr());
  for (bool changed = std::ranges::any_of(constants, [](Expr c) { return bool(c); }); changed;) {
    const std::vector<Expr> joined = results_of(arena, r.op, constants, constants);
    changed = false;
    for (std::size_t k = 0; k < constants.size(); ++k)
      if (constants[k] && joined[k] != constants[k]) {
        constants[k] = {};
        changed = true;
      }
  }
  return constants;
}

std::optional<soac::Stm> holding_values(scalar::Arena& arena, const soac::Stm& s) {
  soac::Stm result = s;
  auto& soac = std::get<soac::Soac>(result.op);
  const soac::OutputView outputs = soac::view_of(s);
  bool changed = false;
  for (std::size_t g = 0; g < soac.reductions.size(); ++g) {
    soac::Reduction& r = soac.reductions[g];
    std::vector<Expr> known = constant_components(arena, r, outputs.reductions[g].operands);
    if (std::ranges::none_of(known, [](Expr c) { return bool(c); })) continue;
    // The first point has joined the neutral element.
    const std::vector<Expr> first = results_of(arena, r.op, r.neutral, known);
    for (std::size_t k = 0; k < known.size(); ++k)
      if (known[k] && first[k] != known[k]) known[k] = {};
    std::vector<Expr> args;
    for (std::size_t k = 0; k < r.op.params.size(); ++k) {
      const Expr constant = known[k % known.size()];
      changed = changed || constant;
      args.push_back(constant ? constant : arena.name(r.op.params[k]));
    }
    soac::Applied joined = soac::apply(arena, r.op, args);
    r.op.body = std::move(joined.body);
    r.op.results = std::move(joined.results);
  }
  if (!changed) return {};
  return made_by(rewrite::holding, arena, std::move(result));
}

soac::Stm lift_missing_neutral(scalar::Arena& arena, const soac::Stm& s) {
  if (is_lifted(std::get<soac::Soac>(s.op))) return s;
  soac::Stm out = s;
  auto& soac = std::get<soac::Soac>(out.op);
  for (soac::Stm& inner : soac.body.body)
    if (auto* scan = base::as<soac::Scan>(inner.op)) lift_scan(arena, inner, *scan);
  soac::Outputs outputs = soac::take_outputs(out);
  for (soac::Outputs::Reduced& r : outputs.reductions) {
    if (!r.by.neutral.empty()) continue;
    r.by = lift(arena, r.by, kinds_of(r.by));
    r.operands.insert(r.operands.begin(), arena.boolean(true));
    r.names.insert(r.names.begin(), arena.fresh({Kind::boolean}, "has").var());
  }
  for (soac::Outputs::Scattered& scattered : outputs.scatters) {
    soac::Scatter& scatter = scattered.to;
    for (soac::Reduction& r : scatter.combine) {
      if (!r.neutral.empty()) continue;
      r = lift(arena, r, kinds_of(r));
      scatter.initial.results.insert(scatter.initial.results.begin(), arena.boolean(true));
      scattered.values.insert(scattered.values.begin(), arena.boolean(true));
      const Expr has = arena.fresh_array(Kind::boolean, scatter.shape, "has");
      scattered.arrays.insert(scattered.arrays.begin(), has.var());
    }
  }
  return made_by(rewrite::lift, arena, soac::with_outputs(std::move(out), std::move(outputs)));
}

}  // namespace fulgurite::schedule
