// Reads in loops whose arrays change and whose indices do not: that the elements exist is checked once,
// before the loop (a gather by the columns of a sparse matrix in each step of a solver).
#pragma once

#include "soac/pass.h"

namespace fulgurite::simplify {

/// Whether the loop's body runs at all, as an expression of names known before the loop; null: no expression
/// that may be evaluated there tells.
scalar::Expr runs_at_all(scalar::Arena&, const soac::Loop&);

/// Looks at maps in the body of a loop that certainly run if the loop does. Where they read arrays whose
/// shapes do not change, at indices from arrays that do not change, a Soac before the loop checks the
/// indices, if the body runs at all, and the reads have no sites.
void check_reads_before_loops(soac::Program&, soac::PassContext&);

}  // namespace fulgurite::simplify
