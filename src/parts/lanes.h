// Operations of the lanes of a vector together, in Par(block).
#pragma once

#include "parts/operator.h"

namespace fulgurite::parts {

/// The values of the lane `by` before; the first lanes get `fill`.
std::vector<Expr> shifted(const Builder&, std::span<const Expr> values, std::span<const Expr> fill, int by);

/// The values of all lanes up to each, joined (Hillis and Steele, "Data parallel algorithms", 1986).
/// `neutral`: the operator's neutral elements, lowered.
std::vector<Expr> scan_lanes(const Builder&, const Operator&, std::span<const Expr> neutral,
                             std::vector<Expr> values, int lanes);

}  // namespace fulgurite::parts
