// Plans as text: for dumps, and for the program cache. parse(print(p)) == p.
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.h"

namespace fulgurite::plan {

/// `with_sources`: kernels' texts too (each after its length); without them a dump stays readable.
std::string print(const Plan&, bool with_sources);
/// Throws InternalError for a text that print(p, true) did not make.
Plan parse(std::string_view);

}  // namespace fulgurite::plan
