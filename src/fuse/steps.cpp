#include "fuse/steps.h"

#include <algorithm>
#include <set>

namespace fulgurite::fuse {

namespace {

/// Where the tasks are after some steps.
struct State {
  static constexpr std::size_t waiting = static_cast<std::size_t>(-1);
  std::vector<std::size_t> step;    // of each task
  std::size_t now = 1, n_done = 0;  // the next step

  std::vector<bool> done() const {
    std::vector<bool> done;
    for (std::size_t s : step) done.push_back(s != waiting);
    return done;
  }
};

class Search {
 public:
  explicit Search(const std::vector<Task>& tasks) : tasks_(tasks) {}

  std::vector<std::size_t> run() const {
    // More states than this gain nothing but time; fewer where there is much to do for each.
    const std::size_t beam = std::clamp<std::size_t>(4096 / (tasks_.size() + 1), 4, 64);
    std::vector<State> states(1);
    states[0].step.assign(tasks_.size(), State::waiting);
    run_free(states[0]);
    for (;;) {
      for (const State& state : states)
        if (state.n_done == tasks_.size()) return state.step;
      std::vector<State> next;
      std::set<std::vector<bool>> seen;
      for (const State& state : states)
        for (State& after : successors(state))
          if (seen.insert(after.done()).second) next.push_back(std::move(after));
      if (next.size() > beam) {
        std::stable_sort(next.begin(), next.end(),
                         [](const State& a, const State& b) { return a.n_done > b.n_done; });
        next.resize(beam);
      }
      states = std::move(next);
    }
  }

 private:
  bool can_run(const State& state, std::size_t task) const {
    return std::all_of(tasks_[task].needs.begin(), tasks_[task].needs.end(), [&](const Task::Need& need) {
      const std::size_t step = state.step[need.task];
      return step != State::waiting && (!need.finished || step < state.now);
    });
  }

  /// Tasks that take no step. They count for the step before, which has ended.
  void run_free(State& state) const {
    for (std::size_t k = 0; k < tasks_.size(); ++k)
      if (!tasks_[k].space && state.step[k] == State::waiting && can_run(state, k)) {
        state.step[k] = state.now - 1;
        ++state.n_done;
      }
  }

  /// One step of a space; true if nothing of it waits then.
  bool run_step(State& state, std::size_t space) const {
    bool is_last = true;
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      if (tasks_[k].space != space || state.step[k] != State::waiting) continue;
      if (can_run(state, k)) {
        state.step[k] = state.now;
        ++state.n_done;
      } else {
        is_last = false;
      }
    }
    ++state.now;
    run_free(state);
    return is_last;
  }

  /// The states one step on. A step that is the last of its space has to come once, and now is as good as
  /// later.
  std::vector<State> successors(const State& state) const {
    std::vector<State> states;
    std::set<std::size_t> tried;
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      if (!tasks_[k].space || state.step[k] != State::waiting || !can_run(state, k)) continue;
      if (!tried.insert(*tasks_[k].space).second) continue;
      State after = state;
      const bool is_last = run_step(after, *tasks_[k].space);
      if (is_last) return {std::move(after)};
      states.push_back(std::move(after));
    }
    return states;
  }

  const std::vector<Task>& tasks_;
};

}  // namespace

std::vector<std::size_t> fewest_steps(const std::vector<Task>& tasks) {
  return Search(tasks).run();
}

}  // namespace fulgurite::fuse
