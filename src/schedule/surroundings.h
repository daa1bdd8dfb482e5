// What a decision may know of the program around a statement and of the machine that will run it.
#pragma once

#include <functional>

#include "schedule/ir.h"
#include "soac/equal_sizes.h"

namespace fulgurite::schedule {

struct Surroundings {
  scalar::Arena& arena;
  const soac::EqualSizes& sizes;
  /// Whether the host can compute the expressions before the launch: all their names are known, no element is
  /// read, and nothing can fail.
  std::function<bool(std::span<const Expr>)> is_known;
  /// Whether the array has memory before the launch.
  std::function<bool(Var)> in_memory;
};

}  // namespace fulgurite::schedule
