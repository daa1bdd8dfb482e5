// What must hold for a nest that walks the points of a map together with the points of the reduction inside.
#pragma once

#include <string>
#include <vector>

#include "schedule/ir.h"

namespace fulgurite::schedule {

/// Faults of its stages, and of the tile that the threads of a block take. `combined`: the reduction.
std::vector<std::string> faults_of_tiles(scalar::Arena&, const Nest&, const soac::Soac& combined);

}  // namespace fulgurite::schedule
