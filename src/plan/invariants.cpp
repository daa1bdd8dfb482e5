#include "plan/invariants.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/match.h"
#include "plan/traverse.h"

namespace fulgurite::plan {

namespace {

// The slot that a step assigns, or -1.
Slot assigned(const Action& action) {
  constexpr Slot none = -1;
  return base::match(
      action, [](const Compute& s) { return s.to; }, [](const Constant& s) { return s.to; },
      [](const Copy& s) { return s.to; }, [](const Fetch& s) { return s.to; },
      [](const Resident& s) { return s.to; }, [](const Reuse& s) { return s.fresh; },
      [](const Check&) { return none; }, [](const Allocate&) { return none; },
      [](const Share&) { return none; }, [](const CopyArray&) { return none; },
      [](const Shrink&) { return none; }, [](const Release&) { return none; },
      [](const Launch&) { return none; }, [](const If&) { return none; }, [](const While&) { return none; },
      [](const Converge&) { return none; });
}

class Invariants {
 public:
  explicit Invariants(const Steps& all) {
    for_each_step(all, [&](const Action& action) {
      if (const Slot to = assigned(action); to >= 0) ++n_assigned_[to];
      if (const auto* s = base::as<Constant>(action)) constants_[s->to] = s->bits;
    });
  }

  Steps operator()(Steps steps) const {
    Steps out;
    for (Step& step : steps) {
      if (auto* branch = base::as<If>(step.action)) {
        branch->then_steps = (*this)(std::move(branch->then_steps));
        branch->else_steps = (*this)(std::move(branch->else_steps));
      } else if (auto* loop = base::as<While>(step.action)) {
        leave(loop->head, loop->body, out);
      } else if (auto* guarded = base::as<Converge>(step.action)) {
        leave(guarded->head, guarded->body, out);
      }
      out.push_back(std::move(step));
    }
    return out;
  }

 private:
  void leave(Steps& head, Steps& body, Steps& out) const {
    head = (*this)(std::move(head));
    body = (*this)(std::move(body));
    std::unordered_set<Slot> varying;
    for (const Steps* part : {&head, &body})
      for_each_step(*part, [&](const Action& action) { varying.insert(assigned(action)); });
    for (Steps* part : {&head, &body}) {
      Steps staying;
      for (Step& step : *part) {
        const bool leaves = is_invariant(step.action, varying);
        if (leaves) varying.erase(assigned(step.action));
        (leaves ? out : staying).push_back(std::move(step));
      }
      *part = std::move(staying);
    }
  }

  // Whether the action gives its slot, which nothing else assigns, the same value in every iteration.
  bool is_invariant(const Action& action, const std::unordered_set<Slot>& varying) const {
    if (const auto* s = base::as<Constant>(action)) return n_assigned_.at(s->to) == 1;
    if (const auto* s = base::as<Resident>(action)) return n_assigned_.at(s->to) == 1;
    const auto* s = base::as<Compute>(action);
    if (s == nullptr || n_assigned_.at(s->to) != 1 || !is_total(*s)) return false;
    const Slot operands[] = {s->a, s->b, s->c};
    return std::none_of(operands, operands + scalar::info(s->op).arity,
                        [&](Slot operand) { return varying.contains(operand); });
  }

  bool is_total(const Compute& s) const {
    const bool divides = scalar::is_division(s.op) && scalar::is_integer(s.operand);
    if (!divides) return true;
    const auto divisor = constants_.find(s.b);
    return divisor != constants_.end() && n_assigned_.at(s.b) == 1 && divisor->second != 0;
  }

  std::unordered_map<Slot, int> n_assigned_;
  std::unordered_map<Slot, std::uint64_t> constants_;
};

}  // namespace

Plan hoist_invariants(Plan plan) {
  const Invariants invariants(plan.steps);
  plan.steps = invariants(std::move(plan.steps));
  return plan;
}

}  // namespace fulgurite::plan
