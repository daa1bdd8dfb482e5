// Plans whose steps do not wait for elements: what a device without elements can execute.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace fulgurite::plan {

/// What was assumed about values that elements decide.
struct Assumptions {
  std::int64_t iterations = 1;  // of each loop
  bool loops = false, branches = false;
  bool sizes = false;  // of arrays, or numbers of tasks: as they are fetched
};

/// The plan with other steps where these depend on elements that were fetched: loops run as often as is
/// assumed, of branches the first is taken, and checks hold. Notes in `assumed` which of these there were.
Plan without_elements(Plan, Assumptions& assumed);

}  // namespace fulgurite::plan
