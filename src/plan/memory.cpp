#include "plan/memory.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/match.h"

namespace fulgurite::plan {

namespace {

using Live = std::set<Place>;  // places whose arrays are still read

void add(Live& live, const Live& more) {
  live.insert(more.begin(), more.end());
}

struct Touched {
  std::vector<Place> made, used;
};

// Of a step without steps inside.
Touched touched(const Action& action) {
  return base::match(
      action, [](const Compute&) { return Touched(); }, [](const Constant&) { return Touched(); },
      [](const Check&) { return Touched(); }, [](const Copy&) { return Touched(); },
      [](const Release&) { return Touched(); }, [](const Allocate& s) { return Touched{{s.place}, {}}; },
      [](const Share& s) { return Touched{{s.to}, {s.from}}; },
      [](const Reuse& s) { return Touched{{s.to}, {s.from}}; },
      [](const CopyArray& s) { return Touched{{}, {s.to, s.from}}; },
      [](const Shrink& s) { return Touched{{}, {s.place}}; },
      [](const Fetch& s) { return Touched{{}, {s.from}}; },
      [](const Launch& s) { return Touched{{}, s.buffers}; }, [](const If&) { return Touched(); },
      [](const While&) { return Touched(); }, [](const Converge& s) { return Touched{{}, {s.flags}}; });
}

class Releases {
 public:
  explicit Releases(const Plan& plan) {
    for (const Param& param : plan.params)
      if (param.rank > 0) params_.insert(param.place);
  }

  // The steps with releases; `live`: behind them, then before them.
  Steps operator()(const Steps& steps, Live& live) const {
    Steps backwards;
    Live behind_launch = live;  // the launch that comes next
    for (std::size_t i = steps.size(); i-- > 0;) {
      Step step = steps[i];
      Live dead;
      if (auto* branch = base::as<If>(step.action)) {
        dead = conditional(*branch, live);
      } else if (auto* loop = base::as<While>(step.action)) {
        dead = repeat(loop->head, loop->body, live);
      } else if (auto* guarded = base::as<Converge>(step.action)) {
        dead = repeat(guarded->head, guarded->body, live);
      } else {
        if (base::as<Launch>(step.action)) behind_launch = live;
        if (auto* reuse = base::as<Reuse>(step.action)) reuse->is_last = !behind_launch.contains(reuse->from);
        const Touched places = touched(step.action);
        for (const auto* list : {&places.made, &places.used})
          for (Place p : *list)
            if (!live.contains(p)) dead.insert(p);
        for (Place p : places.made) live.erase(p);
        live.insert(places.used.begin(), places.used.end());
      }
      release(dead, backwards);
      backwards.push_back(std::move(step));
    }
    std::ranges::reverse(backwards);
    return backwards;
  }

 private:
  void release(const Live& dead, Steps& to) const {
    for (Place p : dead)
      if (!params_.contains(p)) to.push_back({Release{p}});
  }
  void release_in_front(const Live& live, const Live& needed, Steps& steps) const {
    Steps all;
    Live dead;
    std::ranges::set_difference(live, needed, std::inserter(dead, dead.end()));
    release(dead, all);
    std::ranges::move(steps, std::back_inserter(all));
    steps = std::move(all);
  }

  // What one branch reads and the other does not is released where the other begins.
  Live conditional(If& branch, Live& live) const {
    Live yes = live, no = live;
    branch.then_steps = (*this)(branch.then_steps, yes);
    branch.else_steps = (*this)(branch.else_steps, no);
    live = yes;
    add(live, no);
    release_in_front(live, yes, branch.then_steps);
    release_in_front(live, no, branch.else_steps);
    return {};
  }

  // An iteration may read what the one before left: to a fixed point.
  Live repeat(Steps& loop_head, Steps& loop_body, Live& live) const {
    const Live behind = live;
    Live before_head, before_body, tested;
    Steps head, body;
    for (;;) {
      before_body = before_head;
      body = (*this)(loop_body, before_body);
      tested = behind;
      add(tested, before_body);
      Live start = tested;
      head = (*this)(loop_head, start);
      if (start == before_head) break;
      before_head = std::move(start);
    }
    release_in_front(tested, before_body, body);
    loop_head = std::move(head);
    loop_body = std::move(body);
    live = before_head;
    Live dead;
    std::ranges::set_difference(tested, behind, std::inserter(dead, dead.end()));
    return dead;
  }

  Live params_;
};

}  // namespace

Plan release_after_last_use(Plan plan) {
  Live live;
  for (const Result& result : plan.results)
    if (result.rank > 0) live.insert(result.place);
  plan.steps = Releases(plan)(plan.steps, live);
  return plan;
}

}  // namespace fulgurite::plan
