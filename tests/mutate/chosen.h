// The run-time half of `./dev mutate`: each site of the library that has a mutant asks here whether it is to
// behave as the mutant does.
#pragma once

#include <vector>

namespace fulgurite::mutants {

// Whether the environment variable FULGURITE_MUTANT chose this mutant. Marks the mutant as reached.
bool chosen(int mutant);

// The mutants that `chosen` was asked about since the last call, in order. A process that never calls this
// adds them, when it ends, to the file that FULGURITE_REACHED_BELOW names.
std::vector<int> take_reached();

}  // namespace fulgurite::mutants
