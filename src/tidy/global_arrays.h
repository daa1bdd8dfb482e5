// Arrays of a block in global memory: slices of parameters, one slice for each task.
#pragma once

#include <vector>

#include "kernel/ir.h"

namespace fulgurite::tidy {

/// A parameter that the kernel has got, behind its other buffers: each task has as many elements of it.
struct Scratch {
  kernel::Var name;
  std::int64_t per_task;
};

/// Replaces Allocate(global), whose arrays have places (shared_layout.h), by one parameter for each kind of
/// elements.
std::vector<Scratch> place_global(kernel::Kernel&);

}  // namespace fulgurite::tidy
