// Gathers and scatters: a task's places are elements of arrays, so that no footprint says them before it
// runs. inspect() has tasks mark them. For reads, an inspector stands before the phase: as much of the same
// code as computes the places, which marks them instead of reading, so that ranks ask each other for what is
// marked and for nothing else (Saltz, Crowley, Mirchandaney, Berryman: Run-time scheduling and execution of
// loops on message passing machines, Journal of Parallel and Distributed Computing 8, 1990). Where places are
// elements that stand at such places themselves, as in x[column[k]], one inspector follows another. Stores
// are marked by the phase itself: no two of its tasks store to the same element, since they run at once on
// one machine too, so that whoever owns an element gets it from the one rank that has marked it. Tasks may
// mark the same byte at once: all of them store 1, and the marks are read only after they have ended.
#pragma once

#include "distribute/distributed.h"

namespace fulgurite::distribute {

Distributed inspect(Distributed);

}  // namespace fulgurite::distribute
