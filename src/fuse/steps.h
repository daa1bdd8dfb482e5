// The order in which the statements of a body should run so that few Soacs are left: a step runs
// statements of one space together, and the fewer steps, the fewer Soacs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace fulgurite::fuse {

/// One statement of a body.
struct Task {
  struct Need {
    std::size_t task;  // an earlier one
    bool finished;     // in an earlier step; false: in the same step will do
  };
  std::vector<Need> needs;
  /// Tasks of one space can share a step. Nothing: a task that takes no step, as soon as it can run.
  std::optional<std::size_t> space;
};

/// The step of each task, in the sequence of steps that is the shortest found. A step takes all tasks of its
/// space that can run, as none loses by it; so the search is for a sequence of spaces, breadth
/// first, among the states that have finished most tasks. With one space, or with few steps of
/// several, the shortest of all is found.
std::vector<std::size_t> fewest_steps(const std::vector<Task>&);

}  // namespace fulgurite::fuse
