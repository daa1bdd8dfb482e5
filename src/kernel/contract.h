// Contraction of kernels of the kernel language, by the rules of the array language
// (simplify/contract.cpp): a sum of floats takes a product that nothing else uses without rounding it first,
// unless both its operands are products.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::kernel {

/// In: Stage::threads. Its label is contract_kernel, because the pass of the array IR is called contract.
extern const Pass contract;

}  // namespace fulgurite::kernel
