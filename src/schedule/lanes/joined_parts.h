// Points of a map whose reductions several tasks share: each task leaves its partial results, a row of an
// array for each component, and a phase joins the rows.
#pragma once

#include "schedule/lanes/building.h"
#include "schedule/rewrites/partial_rows.h"

namespace fulgurite::schedule {

/// Memory for n values of each component of the reductions.
std::vector<Var> memory_of_parts(Building&, const soac::Soac& reduction, Expr n);

/// Tasks leave what they have in these arrays, one for each component. in_chains: and where an operator
/// rounds, accumulators of a loop take fold_chain points before outer ones do.
void leave_parts(const Building&, const soac::Soac& reduction, std::span<const Var> parts, bool in_chains,
                 Nest&);

/// The phase "join columns", in which tasks join the rows of neighbouring points in this many lanes,
/// neighbours first, and compute the results of the map. The caller says why there is one.
Phase& add_joined_parts(Building&, std::string name, const PartialRows&, std::int64_t lanes);

}  // namespace fulgurite::schedule
