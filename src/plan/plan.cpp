// Comparisons of plans. A header that defaulted them would have each file that includes it
// instantiate them for every form of statement.
#include "plan/plan.h"

namespace fulgurite::plan {

bool If::operator==(const If&) const = default;
bool While::operator==(const While&) const = default;
bool Converge::operator==(const Converge&) const = default;
bool Step::operator==(const Step&) const = default;
bool Plan::operator==(const Plan&) const = default;

}  // namespace fulgurite::plan
