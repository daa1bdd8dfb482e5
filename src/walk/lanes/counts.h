// Counts of the points of each class, in scalar code.
#pragma once

#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

/// to[0 .. n) = 0
void clear(const Emitter&, Expr n, const Destination& to);

/// counts[t][c], the number of points of class c in task t of `tasks`, becomes the place of the first of them
/// among all points by class and task; offsets[c] where class c begins, and after the classes the number of
/// all points, which is the result.
Expr count_off(const Emitter&, const Destination& counts, Expr tasks, Expr classes,
               const Destination& offsets);

}  // namespace fulgurite::walk::lanes
