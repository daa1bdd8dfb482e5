// What the tasks of a phase read and store, as formulas, by a walk through its code.
#pragma once

#include <cstdint>
#include <map>

#include "distribute/formulas.h"
#include "kernel/ir.h"
#include "runtime/footprint.h"

namespace fulgurite::distribute {

/// The steps of the places of Load and Store statements; in two halves of a loop one has two.
struct Places {
  std::multimap<const void*, Step> loads, stores;
};

/// Finds the touches of a kernel before vectorise; arrays that are no entry of `buffers` count as the task's
/// own. Appends steps, loops and touches to the footprint.
Places find_touches(const kernel::Kernel&, const std::map<kernel::Var, std::int32_t>& buffers,
                    const kernel::Par& phase, runtime::PhaseFootprint& to);

}  // namespace fulgurite::distribute
