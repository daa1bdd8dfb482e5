// Components of a reduction or a Scan that always have the same value: they fold equal values from equal
// starts by operators that give equal results wherever they get equal operands.
#pragma once

#include <vector>

#include "soac/ir.h"

namespace fulgurite::simplify {

/// For each component the first one that always has its value: itself, if there is none before it.
std::vector<std::size_t> equal_components(scalar::Arena&, const soac::Reduction&,
                                          std::span<const scalar::Expr> operands);

/// The reduction with the components that are the first of their kind only.
soac::Reduction join_components(scalar::Arena&, const soac::Reduction&,
                                const std::vector<std::size_t>& first_equal);

}  // namespace fulgurite::simplify
