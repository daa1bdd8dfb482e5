// Scatters with an operator (histograms, permutes) of few points into many places, for CPUs. Bins are as many
// as there are places, and are cleared and joined, however few points there are. Few points are sorted by
// their place instead; the points of a place are joined by a scan, and one of each place stores the result,
// in no order.
#pragma once

#include <optional>
#include <vector>

#include "schedule/policy.h"
#include "soac/ir.h"

namespace fulgurite::schedule {

/// The statement as others for few points. Nothing if it is no map to one array of one axis that scatters
/// with an operator, or the operator rounds, or it or what is in the places before can fail.
std::optional<std::vector<soac::Stm>> sorted_by_place(scalar::Arena&, const soac::Stm&);

/// The program with such statements in two versions, of which sizes choose one: few are points where there
/// are `sparse_places` places for each. What a statement makes besides its scatter is a statement by itself
/// in the version for few points. Only in loops outside of Soacs, which may make little of much often:
/// the second version takes as long to compile as a sort.
soac::Program sort_few_points(soac::Program, const LanesPolicy&);

}  // namespace fulgurite::schedule
