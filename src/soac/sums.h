// Contraction, as far as the array IR goes: which reductions may take an fma_sum as an operand, and the
// kernels that a program calls.
#pragma once

#include "soac/ir.h"

namespace fulgurite::soac {

/// Whether the reduction has a neutral element and gives, as its k-th component, the sum of the k-th left and
/// right components of its operator, which stand nowhere else in the operator. Its accumulation step is then
/// s + x by itself, whatever the other components are.
bool is_sum_of_floats(const Reduction&, std::size_t k);

/// The operand of a reduction as a value: a product that a sum takes without rounding it first is rounded.
Expr by_itself(Expr operand);

/// The kernel in which sums take products (kernel/contract.h).
std::shared_ptr<const kernel::Kernel> contracted(const kernel::Kernel&);

}  // namespace fulgurite::soac
