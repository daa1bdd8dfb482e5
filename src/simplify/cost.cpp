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

// The nodes that mention one of the names, nodes that may fail, loads, and functions, which are computed
// where they stand.
std::unordered_set<Expr> computed_each_time(std::span<const Expr> order, const soac::Vars& names) {
  std::unordered_set<Expr> found;
  for (Expr e : order) {
    const auto is_found = [&](Expr child) { return found.contains(child); };
    if ((e.is_name() && names.contains(e.var())) || e.op() == Op::index || scalar::info(e.op()).has('$') ||
        scalar::can_fail(e) || std::ranges::any_of(e.args(), is_found))
      found.insert(e);
  }
  return found;
}

// The cost of computing the roots once for each element. `names` depend on the element's index: arithmetic
// that does not need them is free. Null: the cost of one evaluation.
int cost_of_roots(std::span<const Expr> roots, const soac::Vars* names) {
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
  const std::unordered_set<Expr> each_time =
      names != nullptr ? computed_each_time(order, *names) : std::unordered_set<Expr>();
  // Integers count: what asks in which piece of an array an index lies is worth an array in memory.
  const auto counts = [&](Expr e) {
    return !joined.contains(e) && (names == nullptr || each_time.contains(e) || !scalar::is_float(e.kind()));
  };
  int total = 0;
  for (Expr e : order)
    if (counts(e)) total += cost_of_node(e, !values.contains(e));
  return total;
}

int cost_of_lambda(const soac::Lambda& lambda, const soac::Vars* names,
                   const std::function<bool(Expr)>& is_known) {
  std::vector<Expr> roots = lambda.results;
  int total = 0;
  const auto cost_of_branches = [&](const soac::If& i) {
    return std::max(cost_of_lambda(i.then_branch, names, is_known),
                    cost_of_lambda(i.else_branch, names, is_known));
  };
  for (const soac::Stm& stm : lambda.body) {
    if (const auto* branches = base::as<soac::If>(stm.op);
        branches && is_known && is_known(branches->condition)) {
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
  return total + cost_of_roots(roots, names);
}

}  // namespace

int cost_of(std::span<const Expr> roots) {
  return cost_of_roots(roots, nullptr);
}

int cost_of(const soac::Lambda& lambda) {
  return cost_of_lambda(lambda, nullptr, {});
}

int cost_of_element(const soac::Lambda& lambda, const std::function<bool(Expr)>& is_known) {
  soac::Vars names(lambda.params.begin(), lambda.params.end());
  soac::add_bound(lambda, names);
  return cost_of_lambda(lambda, &names, is_known);
}

}  // namespace fulgurite::simplify
