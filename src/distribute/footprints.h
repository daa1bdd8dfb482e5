// What the tasks of each phase of a kernel touch (runtime/footprint.h), found in the kernel's own code, so
// that it holds whatever schedule the code came from: tiles, windows, rows of any order.
#pragma once

#include <set>

#include "distribute/distributed.h"
#include "runtime/footprint.h"

namespace fulgurite::distribute {

/// The footprints of a kernel before vectorise.
runtime::Footprints footprints_of(const Distributed&);

/// The Load and Store statements of a phase whose places in array parameters the data say (places.h).
std::set<const void*> said_by_data(const kernel::Kernel&, const kernel::Par& phase);

}  // namespace fulgurite::distribute
