// Comparisons of statements. A header that defaulted them would have each file that includes it
// instantiate them for every form of statement.
#include "kernel/ir.h"

namespace fulgurite::kernel {

bool For::operator==(const For&) const = default;
bool While::operator==(const While&) const = default;
bool If::operator==(const If&) const = default;
bool Par::operator==(const Par&) const = default;
bool InOrder::operator==(const InOrder&) const = default;
bool Stm::operator==(const Stm&) const = default;

}  // namespace fulgurite::kernel
