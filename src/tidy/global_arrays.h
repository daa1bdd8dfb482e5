// Arrays of a block in global memory: slices of parameters, one slice for each task.
#pragma once

#include <vector>

#include "kernel/pass.h"

namespace fulgurite::tidy {

/// Replaces Allocate(global), whose arrays have places (shared_layout.h), by one parameter for each kind of
/// elements, after the kernel's other buffers.
extern const kernel::Pass place_global;

/// A parameter that place_global has added, and how many of its elements each task has.
struct Scratch {
  kernel::Var name;
  std::int64_t per_task;
};
std::vector<Scratch> scratch_of(const kernel::Kernel& before, const kernel::Kernel& after);

}  // namespace fulgurite::tidy
