// Reads that are inside of their arrays where a condition on sizes holds, which is tested once for all
// points.
#pragma once

#include <functional>
#include <optional>

#include "soac/ir.h"

namespace fulgurite::soac {

/// Takes the checks from the reads of a function whose parameters are indices below `dims`. Returns when no
/// read is outside of its array. Absent: that is known only at the points, or something else may fail; what
/// `f` is then is of no use. `is_known`: whether an expression can be computed before the points, and cannot
/// fail.
std::optional<Expr> take_checks(Arena&, Lambda& f, const std::vector<Expr>& dims,
                                const std::function<bool(Expr)>& is_known);

/// Whether every point reads elements at places that are affine in its indices, and nothing else may fail:
/// then what take_checks returns is exact, as the ends of the space read at the ends of the arrays.
bool reads_affine_places(Arena&, const Lambda& f);

/// The extents of the arrays that the function reads.
std::vector<Expr> sizes_of_arrays(Arena&, const Lambda& f);

}  // namespace fulgurite::soac
