// Contraction of kernels of the kernel language, by the rules of the array language
// (simplify/contract.cpp): a sum of floats takes a product that nothing else uses without rounding it first,
// unless both its operands are products.
#pragma once

#include "kernel/ir.h"

namespace fulgurite::kernel {

/// Of a kernel as it was recorded (Stage::threads).
Kernel contract(const Kernel&);

}  // namespace fulgurite::kernel
