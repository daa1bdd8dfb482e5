// Scans of a body that wait for other Scans of it, because their operands depend on values of these.
//
// A launch of the lanes schedule folds the operands of its Scans before it knows what any task goes on from,
// so none of its Scans may wait for another one. There a statement with several levels of Scans becomes
// several statements: the first makes arrays of the running values of the first level, the next one reads
// them, and so on.
#pragma once

#include <vector>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// For each statement of the body, how many Scans are in the longest chain that it depends on, in which each
/// waits for the one before. The depth of a Scan is its level.
std::vector<int> depths_of(const soac::Lambda& body);

/// The Soac statement as statements none of whose Scans waits for another one; the statement itself if that
/// is so already. All but the last make the arrays that the later ones read.
std::vector<soac::Stm> split_levels(scalar::Arena&, const soac::Stm&);

/// The program with the Soac statements split that stand in no Soac.
soac::Program split_levels(soac::Program);

}  // namespace fulgurite::schedule
