// A step of a loop as an update: a map that makes a matrix of the loop's state anew becomes copies of what
// its points read of each other, and one Soac that replaces elements where they lie.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::fuse {

/// A map in the body of a loop that makes components of its state anew.
struct Step {
  std::size_t statement;                // of the body
  std::vector<std::size_t> components;  // of the state, by result of the map
};

struct ChangedStep {
  std::vector<soac::Stm> statements;  // the last one makes the results
  bool is_part;                       // conditions on single axes leave points out, which change nothing
};

/// Gives equal sizes one form.
using Canonical = std::function<scalar::Expr(scalar::Expr)>;

/// The map as an update of the state, whose former elements nothing after it needs. Absent: what its points
/// read of each other depends on all axes, or may fail where it would not; or it reads nothing of the kind.
std::optional<ChangedStep> changed_step(scalar::Arena&, const soac::Loop&, const Step&, const Canonical&);

}  // namespace fulgurite::fuse
