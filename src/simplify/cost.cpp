#include "simplify/cost.h"

#include <algorithm>
#include <unordered_set>

#include "base/match.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::match;
using scalar::Expr;
using scalar::Kind;
using scalar::Op;

namespace {

int cost_of_node(Expr e, bool addresses_only) {
  const scalar::OpInfo& row = scalar::info(e.op());
  if (e.op() == Op::index) return costs.load;
  if (row.arity == 0) return 0;
  if (row.has('$')) return costs.function;
  if (scalar::is_division(e.op()))
    return scalar::is_float(e.kind()) ? costs.division : costs.integer_division;
  if (e.op() == Op::sqrt) return costs.division;
  if (e.op() == Op::fast_fma) return 2 * costs.operation;  // product and sum
  return addresses_only ? 0 : costs.operation;
}

}  // namespace

int cost_of(std::span<const Expr> roots) {
  // A node that is only ever an index, or part of one, and a sum or product: the addressing of the load pays
  // for it.
  std::unordered_set<Expr> values;
  std::vector<Expr> order;
  scalar::for_each_node(roots, [&](Expr e) { order.push_back(e); });
  values.insert(roots.begin(), roots.end());
  for (auto e = order.rbegin(); e != order.rend(); ++e) {
    if (!values.contains(*e) || e->op() == Op::index) continue;
    for (Expr child : e->args()) values.insert(child);
  }
  // Quotient and remainder of one division in an address are the address of a reshaped array, and join again.
  std::unordered_set<Expr> joined;
  for (Expr e : order) {
    if (e.op() != Op::rem || values.contains(e)) continue;
    for (Expr q : order) {
      if (q.op() != Op::div || values.contains(q) || q.arg(0) != e.arg(0) || q.arg(1) != e.arg(1)) continue;
      joined.insert(e);
      joined.insert(q);
    }
  }
  int total = 0;
  for (Expr e : order)
    if (!joined.contains(e)) total += cost_of_node(e, !values.contains(e));
  return total;
}

int cost_of(const soac::Lambda& lambda) {
  return cost_of(lambda, [](Expr) { return false; });
}

int cost_of(const soac::Lambda& lambda, const std::function<bool(Expr)>& is_known) {
  std::vector<Expr> roots = lambda.results;
  int total = 0;
  const auto cost_of_branches = [&](const soac::If& i) {
    return std::max(cost_of(i.then_branch, is_known), cost_of(i.else_branch, is_known));
  };
  for (const soac::Stm& stm : lambda.body) {
    if (const auto* branches = base::as<soac::If>(stm.op); branches && is_known(branches->condition)) {
      total += cost_of_branches(*branches);
      continue;
    }
    const std::vector<Expr> own = soac::roots_of(stm);
    roots.insert(roots.end(), own.begin(), own.end());
    match(
        stm.op, [&](const soac::Soac&) { total += costs.loop; },
        [&](const soac::Scan& s) { total += costs.operation + cost_of(s.reduction.op); },
        [&](const soac::Sort&) { total += costs.loop; },
        [&](const soac::If& i) { total += costs.operation + cost_of_branches(i); },
        [&](const soac::Loop&) { total += costs.loop; },
        [&](const soac::Check&) { total += costs.operation; },
        [&](const soac::Call&) { total += costs.loop; }, [](const soac::Let&) {});
  }
  return total + cost_of(roots);
}

}  // namespace fulgurite::simplify
