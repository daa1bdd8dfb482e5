// Reads in loops whose arrays change and whose indices do not: that the elements exist is checked once,
// before the loop (a gather by the columns of a sparse matrix in each step of a solver).
#pragma once

#include "soac/pass.h"

namespace fulgurite::simplify {

/// Whether the loop's body runs at all, as what is known before the loop says; null: nothing that may be
/// evaluated there says it.
scalar::Expr runs_at_all(scalar::Arena&, const soac::Loop&);

/// Of each map in the body of a loop that surely runs if the loop does, reads of arrays whose shapes do not
/// change, at elements of arrays that do not change: a Soac that only checks the indices stands before the
/// loop, which runs if the body does, and the reads have no sites.
void check_reads_before_loops(soac::Program&, soac::PassContext&);

}  // namespace fulgurite::simplify
