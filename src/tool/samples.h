// Sizes drawn for a program: which of two formulas is larger, or whether a phase runs at all, is asked of
// them where it cannot be proven.
#pragma once

#include <cstdint>
#include <optional>

#include "soac/ir.h"

namespace fulgurite::tool {

inline constexpr int n_samples = 64;

/// The value of an integer expression where every name has the size that sample number `sample` draws for
/// it; nothing if it reads an array or divides by 0.
std::optional<std::int64_t> sampled(soac::Expr, int sample);

/// The smaller or larger one: by what the samples say, or an expression that asks.
soac::Expr smaller(soac::Expr a, soac::Expr b);
soac::Expr larger(soac::Expr a, soac::Expr b);

}  // namespace fulgurite::tool
