#include "soac/walk.h"

#include <algorithm>

#include "base/match.h"
#include "soac/extents.h"

namespace fulgurite::soac {

using base::as;

namespace {

/// Calls one(root) for every root of the statement, in order; S is Stm or const Stm.
template <class S, class F>
void each_root(S& stm, F&& one) {
  auto all = [&](auto& roots) {
    for (auto& e : roots) one(e);
  };
  auto reduction = [&](auto& r) {
    all(r.neutral);
    all(r.initial);
  };
  if (auto* soac = as<Soac>(stm.op)) {
    all(soac->dims);
    for (auto& r : soac->reductions) reduction(r);
    for (auto& scatter : soac->scatters) {
      all(scatter.shape);
      for (auto& r : scatter.combine) reduction(r);
    }
    for (auto& partition : soac->partitions) one(partition.classes);
  } else if (auto* scan = as<Scan>(stm.op)) {
    reduction(scan->reduction);
    all(scan->operands);
    if (scan->segments) one(scan->segments);
  } else if (auto* sort = as<Sort>(stm.op)) {
    all(sort->arrays);
    if (sort->segments) one(sort->segments);
  } else if (auto* branches = as<If>(stm.op)) {
    one(branches->condition);
  } else if (auto* loop = as<Loop>(stm.op)) {
    all(loop->initial);
    if (loop->trips) one(loop->trips);
  } else if (auto* check = as<Check>(stm.op)) {
    one(check->condition);
    all(check->operands);
  } else if (auto* call = as<Call>(stm.op)) {
    all(call->arrays);
    for (auto& e : call->former)
      if (e) one(e);
    all(call->scalars);
  } else if (auto* let = as<Let>(stm.op)) {
    one(let->value);
  }
}

}  // namespace

void map_roots(Stm& stm, const std::function<Expr(Expr)>& f) {
  each_root(stm, [&](Expr& e) { e = f(e); });
}

std::vector<Expr> roots_of(const Stm& stm) {
  std::vector<Expr> roots;
  each_root(stm, [&](const Expr& e) { roots.push_back(e); });
  return roots;
}

namespace {

template <class L, class S>
std::vector<Nested<L>> nested(S& stm) {
  std::vector<Nested<L>> found;
  if (auto* soac = as<Soac>(stm.op)) {
    found.push_back({&soac->body, Role::points, soac->dims});
    for (auto& r : soac->reductions) found.push_back({&r.op, Role::operation, {}});
    for (auto& scatter : soac->scatters) {
      found.push_back({&scatter.initial, Role::contents, scatter.shape});
      for (auto& r : scatter.combine) found.push_back({&r.op, Role::operation, {}});
    }
  } else if (auto* scan = as<Scan>(stm.op)) {
    found.push_back({&scan->reduction.op, Role::operation, {}});
  } else if (auto* sort = as<Sort>(stm.op)) {
    found.push_back({&sort->key, Role::operation, {}});
  } else if (auto* branches = as<If>(stm.op)) {
    found.push_back({&branches->then_branch, Role::branch, {}});
    found.push_back({&branches->else_branch, Role::branch, {}});
  } else if (auto* loop = as<Loop>(stm.op)) {
    if (!loop->trips) found.push_back({&loop->condition, Role::condition, {}});
    const std::span<const Expr> trips(&loop->trips, loop->trips ? 1 : 0);
    found.push_back({&loop->body, Role::iteration, trips});
  }
  return found;
}

}  // namespace

std::vector<Nested<Lambda>> nested_in(Stm& stm) {
  return nested<Lambda>(stm);
}
std::vector<Nested<const Lambda>> nested_in(const Stm& stm) {
  return nested<const Lambda>(stm);
}

std::span<const Var> state_of(const Loop& loop) {
  return std::span(loop.body.params).last(loop.initial.size());
}

void erase_state(Stm& loop, std::size_t component) {
  auto& op = std::get<Loop>(loop.op);
  const auto erase = [component](auto& list, std::size_t n_before = 0) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(n_before + component));
  };
  if (!op.trips) erase(op.condition.params);
  erase(op.body.params, op.trips ? 1 : 0);
  erase(op.body.results);
  erase(op.initial);
  erase(loop.names);
}

bool reads_at(Expr e, std::span<const Var> indices) {
  return e.op() == scalar::Op::index &&
         std::ranges::equal(e.args().subspan(1), indices,
                            [](Expr index, Var name) { return index.is_name() && index.var() == name; });
}

void add_conjuncts(Expr condition, std::vector<Expr>& to) {
  if (condition.op() != scalar::Op::bit_and) return to.push_back(condition);
  for (Expr part : condition.args()) add_conjuncts(part, to);
}

void for_each_root(const Lambda& lambda, const std::function<void(Expr)>& visit) {
  for (const Stm& stm : lambda.body) for_each_root(stm, visit);
  for (Expr e : lambda.results) visit(e);
}

void for_each_root(const Stm& stm, const std::function<void(Expr)>& visit) {
  for (Expr e : roots_of(stm)) visit(e);
  for (const auto& inner : nested_in(stm)) for_each_root(*inner.lambda, visit);
}

void add_mentioned(std::span<const Expr> roots, Vars& names) {
  scalar::for_each_node(roots, [&](Expr e) {
    if (e.is_name()) names.insert(e.var());
  });
}

void add_mentioned(const Lambda& lambda, Vars& names) {
  std::vector<Expr> roots;
  for_each_root(lambda, [&](Expr e) { roots.push_back(e); });
  add_mentioned(roots, names);
}

void add_mentioned(const Stm& stm, Vars& names) {
  std::vector<Expr> roots;
  for_each_root(stm, [&](Expr e) { roots.push_back(e); });
  add_mentioned(roots, names);
}

bool mentions_any(std::span<const Expr> roots, const Vars& names) {
  Vars mentioned;
  add_mentioned(roots, mentioned);
  return std::ranges::any_of(mentioned, [&](Var name) { return names.contains(name); });
}

bool mentions_any(const Stm& stm, const Vars& names) {
  std::vector<Expr> roots;
  for_each_root(stm, [&](Expr e) { roots.push_back(e); });
  return mentions_any(roots, names);
}

void add_bound(const Lambda& lambda, Vars& names) {
  names.insert(lambda.params.begin(), lambda.params.end());
  for (const Stm& stm : lambda.body) add_bound(stm, names);
}

void add_bound(const Stm& stm, Vars& names) {
  names.insert(stm.names.begin(), stm.names.end());
  for (const auto& inner : nested_in(stm)) add_bound(*inner.lambda, names);
}

bool is_extent(Expr e) {
  return Extents()(e);
}

namespace {

// Whether a divisor is surely not 0: a constant, or at least 1, as sizes are made.
bool is_never_zero(Expr divisor) {
  if (divisor.is_constant()) return true;
  const auto is_positive = [](Expr e) { return e.is_constant() && static_cast<std::int64_t>(e.bits()) > 0; };
  return divisor.op() == scalar::Op::max && divisor.type() == scalar::Type{} &&
         (is_positive(divisor.arg(0)) || is_positive(divisor.arg(1)));
}

}  // namespace

bool is_total(const std::vector<Expr>& roots) {
  bool total = true;
  scalar::for_each_node(roots, [&](Expr e) {
    const bool divides = scalar::is_division(e.op()) && scalar::is_integer(e.kind());
    if (e.op() == scalar::Op::index || (divides && !is_never_zero(e.arg(1)))) total = false;
  });
  return total && std::none_of(roots.begin(), roots.end(), [](Expr e) { return e && scalar::can_fail(e); });
}

bool may_fail(const Stm& stm) {
  if (as<Check>(stm.op) || as<Call>(stm.op)) return true;
  for (Expr e : roots_of(stm))
    if (scalar::can_fail(e)) return true;
  for (const auto& inner : nested_in(stm))
    if (may_fail(*inner.lambda)) return true;
  return false;
}

bool may_fail(const Lambda& lambda) {
  for (const Stm& stm : lambda.body)
    if (may_fail(stm)) return true;
  for (Expr e : lambda.results)
    if (scalar::can_fail(e)) return true;
  return false;
}

bool calls_kernel(const Stm& stm) {
  if (as<Call>(stm.op)) return true;
  for (const auto& inner : nested_in(stm))
    if (calls_kernel(*inner.lambda)) return true;
  return false;
}

bool calls_kernel(const Lambda& lambda) {
  return std::ranges::any_of(lambda.body, [](const Stm& stm) { return calls_kernel(stm); });
}

bool surely_ends(const Stm& stm) {
  if (const auto* loop = as<Loop>(stm.op); loop && !loop->trips) return false;
  for (const auto& inner : nested_in(stm))
    for (const Stm& s : inner.lambda->body)
      if (!surely_ends(s)) return false;
  return true;
}

}  // namespace fulgurite::soac
