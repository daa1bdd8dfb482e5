#include "lower/lift.h"

#include "base/match.h"
#include "soac/rename.h"

namespace fulgurite::lower {

using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using scalar::Var;

namespace {

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
  // The operator itself may fail or loop: it is applied only to two values.
  soac::Stm choice;
  soac::Lambda one_side;
  for (std::size_t k = 0; k < n; ++k) {
    choice.names.push_back(arena.fresh({kinds[k]}, "joined").var());
    one_side.results.push_back(arena.apply(Op::select, {left[0], left[k + 1], right[k + 1]}));
  }
  choice.op = soac::If{arena.logical_and(left[0], right[0]),
                       {{}, std::move(joined.body), std::move(joined.results)},
                       std::move(one_side)};
  choice.origin = "reduce";
  lifted.op.results.push_back(arena.apply(Op::bit_or, {left[0], right[0]}));
  lifted.neutral.push_back(arena.boolean(false));
  for (std::size_t k = 0; k < n; ++k) {
    lifted.op.results.push_back(arena.name(choice.names[k]));
    lifted.neutral.push_back(arena.constant(kinds[k], 0));
  }
  lifted.op.body.push_back(std::move(choice));
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

void lift_scan(scalar::Arena& arena, soac::Stm& s, soac::Scan& scan) {
  soac::Reduction& r = scan.reduction;
  if (!r.neutral.empty()) return;
  r = lift(arena, r, kinds_of(r));
  scan.operands.insert(scan.operands.begin(), arena.boolean(true));
  s.names.insert(s.names.begin(), arena.fresh({Kind::boolean}, "has").var());
}

}  // namespace

soac::Stm lift_missing_neutral(scalar::Arena& arena, const soac::Stm& s) {
  soac::Stm out = s;
  auto& soac = std::get<soac::Soac>(out.op);
  for (soac::Stm& inner : soac.body.body)
    if (auto* scan = base::as<soac::Scan>(inner.op)) lift_scan(arena, inner, *scan);
  std::vector<Expr> results;
  std::vector<Var> names;
  std::size_t next_result = 0, next_name = 0;
  auto keep = [&](std::size_t n_results, std::size_t n_names) {
    for (std::size_t k = 0; k < n_results; ++k) results.push_back(soac.body.results[next_result++]);
    for (std::size_t k = 0; k < n_names; ++k) names.push_back(s.names[next_name++]);
  };
  for (soac::Reduction& r : soac.reductions) {
    std::size_t n = r.op.results.size();
    if (r.neutral.empty()) {
      r = lift(arena, r, kinds_of(r));
      results.push_back(arena.boolean(true));
      names.push_back(arena.fresh({Kind::boolean}, "has").var());
    }
    keep(n, n);
  }
  for (soac::Scatter& scatter : soac.scatters) {
    keep(scatter.shape.size(), 0);
    std::size_t n = scatter.initial.results.size();
    for (soac::Reduction& r : scatter.combine) {
      if (!r.neutral.empty()) continue;
      r = lift(arena, r, kinds_of(r));
      scatter.initial.results.insert(scatter.initial.results.begin(), arena.boolean(true));
      results.push_back(arena.boolean(true));
      names.push_back(arena.fresh_array(Kind::boolean, scatter.shape, "has").var());
    }
    keep(n, n);
  }
  for (const soac::Partition& p : soac.partitions) keep(1 + p.n_values, 2 + p.n_values);
  keep(soac.body.results.size() - next_result, s.names.size() - next_name);
  soac.body.results = std::move(results);
  out.names = std::move(names);
  return out;
}

}  // namespace fulgurite::lower
