// Operators of the array IR for parts of kernels.
#pragma once

#include "parts/operator.h"
#include "walk/emitter.h"

namespace fulgurite::walk {

parts::Operator operator_of(const Emitter&, const soac::Reduction&);
std::vector<parts::Operator> operators_of(const Emitter&, std::span<const soac::Reduction>);

}  // namespace fulgurite::walk
