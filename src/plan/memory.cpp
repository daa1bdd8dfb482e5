#include "plan/memory.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/match.h"

namespace fulgurite::plan {

namespace {

void for_each_place(const Steps& steps, const std::function<void(Place, bool allocated)>& visit) {
  for (const Step& step : steps)
    base::match(
        step.action, [](const Compute&) {}, [](const Constant&) {}, [](const Check&) {}, [](const Copy&) {},
        [](const Release&) {}, [&](const Allocate& s) { visit(s.place, true); },
        [&](const Shrink& s) { visit(s.place, false); }, [&](const Fetch& s) { visit(s.from, false); },
        [&](const Launch& s) {
          for (Place p : s.buffers) visit(p, false);
        },
        [&](const If& s) { for_each_place(s.then_steps, visit), for_each_place(s.else_steps, visit); },
        [&](const While& s) { for_each_place(s.head, visit), for_each_place(s.body, visit); });
}

// An array belongs to the list of steps that allocates it.
Steps with_releases(const Steps& steps, const std::set<Place>& kept) {
  std::set<Place> own;
  std::map<Place, std::size_t> last_use;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (auto* allocate = std::get_if<Allocate>(&steps[i].action); allocate && !kept.contains(allocate->place))
      own.insert(allocate->place);
    for_each_place(Steps{steps[i]}, [&](Place p, bool) { last_use[p] = i; });
  }
  Steps out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step step = steps[i];
    if (auto* branch = std::get_if<If>(&step.action))
      branch->then_steps = with_releases(branch->then_steps, kept),
      branch->else_steps = with_releases(branch->else_steps, kept);
    if (auto* loop = std::get_if<While>(&step.action))
      loop->head = with_releases(loop->head, kept), loop->body = with_releases(loop->body, kept);
    out.push_back(std::move(step));
    for (Place p : own)
      if (last_use[p] == i) out.push_back({Release{p}});
  }
  return out;
}

}  // namespace

Plan release_after_last_use(Plan plan) {
  std::set<Place> kept;
  for (const Result& result : plan.results)
    if (result.rank > 0) kept.insert(result.place);
  plan.steps = with_releases(plan.steps, kept);
  return plan;
}

}  // namespace fulgurite::plan
