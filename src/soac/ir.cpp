// Comparisons of statements. A header that defaulted them would have each file that includes it
// instantiate them for every form of statement.
#include "soac/ir.h"

namespace fulgurite::soac {

bool Lambda::operator==(const Lambda&) const = default;
bool Scatter::operator==(const Scatter&) const = default;
bool Stm::operator==(const Stm&) const = default;

}  // namespace fulgurite::soac
