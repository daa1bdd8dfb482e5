#include "plan/assume.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/match.h"
#include "plan/traverse.h"

namespace fulgurite::plan {

namespace {

// Slots whose values depend on elements: grows until nothing is added, as loops carry values round.
class FromElements {
 public:
  explicit FromElements(const Steps& steps) {
    std::size_t before = 0;
    do {
      before = slots_.size();
      for_each_step(steps,
                    [&](const Action& action) { base::match(action, [&](const auto& s) { add(s); }); });
    } while (slots_.size() != before);
  }
  bool contains(Slot s) const { return slots_.contains(s); }

 private:
  void add(const Fetch& s) { slots_.insert(s.to); }
  void add(const Compute& s) {
    if (contains(s.a) || contains(s.b) || contains(s.c)) slots_.insert(s.to);
  }
  void add(const Copy& s) {
    if (contains(s.from)) slots_.insert(s.to);
  }
  void add(const auto&) {}

  std::set<Slot> slots_;
};

class Assuming {
 public:
  Assuming(Plan& plan, Assumptions& assumed) : plan_(plan), assumed_(assumed), unknown_(plan.steps) {}

  Steps steps(const Steps& all) {
    Steps to;
    for (const Step& step : all) base::match(step.action, [&](const auto& action) { add(to, action); });
    return to;
  }

 private:
  Slot fresh() { return plan_.n_slots++; }

  // An unknown divisor is taken to divide.
  void add(Steps& to, const Compute& s) {
    if (s.site != 0 && unknown_.contains(s.b))
      to.push_back({Copy{s.to, s.a}});
    else
      to.push_back({s});
  }
  void add(Steps& to, const Check& s) {
    const bool is_unknown =
        unknown_.contains(s.condition) ||
        std::ranges::any_of(s.operands, [&](Slot operand) { return unknown_.contains(operand); });
    if (!is_unknown) to.push_back({s});
  }
  void add(Steps& to, const If& s) {
    if (!unknown_.contains(s.condition)) {
      to.push_back({If{s.condition, steps(s.then_steps), steps(s.else_steps)}});
      return;
    }
    assumed_.branches = true;
    for (Step& step : steps(s.then_steps)) to.push_back(std::move(step));
  }
  void add(Steps& to, const While& s) {
    if (!unknown_.contains(s.condition)) {
      to.push_back({While{steps(s.head), s.condition, steps(s.body)}});
      return;
    }
    to.push_back({counted(to, s.head, s.body)});
  }
  void add(Steps& to, const Converge& s) { to.push_back({counted(to, s.head, s.body)}); }
  void add(Steps& to, const Allocate& s) { with_sizes(to, s, s.shape); }
  void add(Steps& to, const Reuse& s) { with_sizes(to, s, s.shape); }
  void add(Steps& to, const Shrink& s) { with_sizes(to, s, {s.extent}); }
  void add(Steps& to, const Launch& s) { with_sizes(to, s, s.tasks); }
  void add(Steps& to, const auto& s) { to.push_back({s}); }

  void with_sizes(Steps& to, const auto& s, const std::vector<Slot>& sizes) {
    assumed_.sizes |= std::ranges::any_of(sizes, [&](Slot size) { return unknown_.contains(size); });
    to.push_back({s});
  }

  // A loop of as many iterations as are assumed.
  While counted(Steps& before, const Steps& head, const Steps& body) {
    assumed_.loops = true;
    const Slot done = fresh(), all = fresh(), one = fresh(), goes_on = fresh();
    before.push_back({Constant{done, 0}});
    before.push_back({Constant{all, static_cast<std::uint64_t>(assumed_.iterations)}});
    before.push_back({Constant{one, 1}});
    While loop{steps(head), goes_on, steps(body)};
    loop.head.push_back({Compute{Op::lt, Kind::i64, Kind::boolean, goes_on, done, all, done, 0}});
    loop.body.push_back({Compute{Op::add, Kind::i64, Kind::i64, done, done, one, done, 0}});
    return loop;
  }

  Plan& plan_;
  Assumptions& assumed_;
  const FromElements unknown_;
};

}  // namespace

Plan without_elements(Plan plan, Assumptions& assumed) {
  plan.steps = Assuming(plan, assumed).steps(plan.steps);
  return plan;
}

}  // namespace fulgurite::plan
