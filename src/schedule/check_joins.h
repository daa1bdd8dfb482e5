// Whether an output may be combined by the joins that a nest says.
#pragma once

#include <string>
#include <vector>

#include "schedule/ir.h"

namespace fulgurite::schedule {

/// Faults of the joins of one output of the Soac, which has it: each join takes outputs of some kinds, and
/// asks something of their operator. `nest`: has the cuts whose pieces are joined.
std::vector<std::string> faults_of_joins(scalar::Arena&, const Nest&, const soac::Soac&, const Combine&);

}  // namespace fulgurite::schedule
