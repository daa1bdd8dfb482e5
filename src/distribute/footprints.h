// What the tasks of each phase of a kernel touch (runtime/footprint.h), found in the kernel's own code, so
// that it holds whatever schedule the code came from: tiles, windows, rows of any order.
#pragma once

#include <span>

#include "kernel/ir.h"
#include "runtime/footprint.h"

namespace fulgurite::distribute {

/// Of a kernel before vectorise. `tasks_of` has an entry a phase, and `own_tasks_of` an entry for each of the
/// last array parameters that the engine allocates, as in runtime::Footprints.
runtime::Footprints footprints_of(const kernel::Kernel&, std::span<const std::int32_t> tasks_of,
                                  std::span<const std::int32_t> own_tasks_of);

}  // namespace fulgurite::distribute
