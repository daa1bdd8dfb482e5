// Whether a schedule is one that walks can follow: what phases compute is legal, each axis of the space is
// walked once, the cuts of an axis divide each other, an output is combined in a way that its operator
// allows, and memory that a phase mentions is the launch's. Run after each edit, and in tests after each
// decision.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/ir.h"
#include "soac/ir.h"

namespace fulgurite::schedule {

/// What is wrong, a sentence each; empty: nothing. `program` gives the arena and the table of sites.
std::vector<std::string> faults_of(const soac::Program& program, const Launch&);

/// Throws InternalError that names the decision or edit and the first fault.
void check(const soac::Program& program, const Launch&, std::string_view after);

/// Throws InternalError if an edit changes how many tasks a phase has, or the numbers of a skeleton, where
/// the tasks leave something in the launch's memory: its size was decided for as many tasks as there were.
void check_tasks(const Launch& decided, const Launch& edited, std::string_view after);

}  // namespace fulgurite::schedule
