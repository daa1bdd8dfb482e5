#include "plan/memory.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/check.h"
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

// The places that a step without steps inside touches.
Touched touched(const Action& action) {
  return base::match(
      action, [](const Compute&) { return Touched(); }, [](const Constant&) { return Touched(); },
      [](const Check&) { return Touched(); }, [](const Copy&) { return Touched(); },
      [](const Resident&) { return Touched(); }, [](const Release&) { return Touched(); },
      [](const Allocate& s) { return Touched{{s.place}, {}}; },
      [](const Share& s) { return Touched{{s.to}, {s.from}}; },
      [](const Reuse& s) { return Touched{{s.to}, {s.from}}; },
      [](const CopyArray& s) { return Touched{{}, {s.to, s.from}}; },
      [](const Shrink& s) { return Touched{{}, {s.place}}; },
      [](const Fetch& s) { return Touched{{}, {s.from}}; },
      [](const Launch& s) { return Touched{{}, s.buffers}; }, [](const If&) { return Touched(); },
      [](const While&) { return Touched(); }, [](const Converge& s) { return Touched{{}, {s.flags}}; });
}

// What a list of steps does to a set of live places: before the steps, `used` and what is live after them
// but not `made` is live.
struct Effect {
  Live used, made;

  // A step that comes before.
  void prepend(const Live& used_before, const Live& made_before) {
    for (Place p : made_before) used.erase(p);
    add(used, used_before);
    add(made, made_before);
  }
};

// The effects of steps inside others. A loop inside a loop is looked at once.
class Effects {
 public:
  const Effect& operator()(const Steps& steps) {
    const auto [found, is_new] = known_.try_emplace(&steps);
    if (!is_new) return found->second;
    Effect effect;
    for (const Step& step : std::views::reverse(steps)) {
      if (const auto* branch = base::as<If>(step.action)) {
        const Effect &yes = (*this)(branch->then_steps), &no = (*this)(branch->else_steps);
        Live used = yes.used, made;
        add(used, no.used);
        std::ranges::set_intersection(yes.made, no.made, std::inserter(made, made.end()));
        effect.prepend(used, made);
      } else if (const auto* loop = base::as<While>(step.action)) {
        prepend_loop(loop->head, loop->body, effect);
      } else if (const auto* guarded = base::as<Converge>(step.action)) {
        prepend_loop(guarded->head, guarded->body, effect);
      } else {
        const Touched places = touched(step.action);
        effect.prepend({places.used.begin(), places.used.end()}, {places.made.begin(), places.made.end()});
      }
    }
    return known_[&steps] = std::move(effect);
  }

 private:
  // head; while (..) { body; head }: an iteration may read what the one before left.
  void prepend_loop(const Steps& head, const Steps& body, Effect& effect) {
    Effect loop = (*this)(head);
    for (Place p : (*this)(body).used)
      if (!loop.made.contains(p)) loop.used.insert(p);
    effect.prepend(loop.used, loop.made);
  }

  std::unordered_map<const Steps*, Effect> known_;
};

class Releases {
 public:
  explicit Releases(const Plan& plan) {
    for (const Param& param : plan.params)
      if (param.rank > 0) params_.insert(param.place);
  }

  // The steps with releases; `live`: after them, then before them.
  Steps operator()(const Steps& steps, Live& live) {
    Steps backwards;
    Live behind_launch = live;  // the launch that comes next
    for (const Step& given : std::views::reverse(steps)) {
      Live dead;
      if (const auto* branch = base::as<If>(given.action)) {
        backwards.push_back({conditional(*branch, live)});
        continue;
      }
      std::optional<Action> action;
      if (const auto* loop = base::as<While>(given.action)) {
        While with_releases{{}, loop->condition, {}};
        dead = repeat(loop->head, loop->body, live, with_releases.head, with_releases.body);
        action = std::move(with_releases);
      } else if (const auto* guarded = base::as<Converge>(given.action)) {
        Converge with_releases{{}, guarded->flags, {}};
        dead = repeat(guarded->head, guarded->body, live, with_releases.head, with_releases.body);
        action = std::move(with_releases);
      } else {
        action = given.action;
        if (base::as<Launch>(*action)) behind_launch = live;
        if (auto* reuse = base::as<Reuse>(*action)) reuse->is_last = !behind_launch.contains(reuse->from);
        const Touched places = touched(*action);
        for (const auto* list : {&places.made, &places.used})
          for (Place p : *list)
            if (!live.contains(p)) dead.insert(p);
        for (Place p : places.made) live.erase(p);
        live.insert(places.used.begin(), places.used.end());
      }
      release(dead, backwards);
      backwards.push_back({std::move(*action)});
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
  If conditional(const If& given, Live& live) {
    Live yes = live, no = live;
    If branch{given.condition, (*this)(given.then_steps, yes), (*this)(given.else_steps, no)};
    live = yes;
    add(live, no);
    release_in_front(live, yes, branch.then_steps);
    release_in_front(live, no, branch.else_steps);
    return branch;
  }

  // Places that are dead after the loop. What is live before the head is live after the body.
  Live repeat(const Steps& given_head, const Steps& given_body, Live& live, Steps& head, Steps& body) {
    const Live behind = live;
    const Effect &of_head = effects_(given_head), &of_body = effects_(given_body);
    Live before_head = of_head.used;
    for (const Live* read_behind : {&behind, &of_body.used})
      for (Place p : *read_behind)
        if (!of_head.made.contains(p)) before_head.insert(p);
    Live before_body = before_head;
    body = (*this)(given_body, before_body);
    Live tested = behind;
    add(tested, before_body);
    Live start = tested;
    head = (*this)(given_head, start);
    FULGURITE_CHECK(start == before_head, "{} places are live before a loop, not {}", start.size(),
                    before_head.size());
    release_in_front(tested, before_body, body);
    live = before_head;
    Live dead;
    std::ranges::set_difference(tested, behind, std::inserter(dead, dead.end()));
    return dead;
  }

  Live params_;
  Effects effects_;
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
