// Arrays that the points of a Soac read as they go, so that it is known what later points will read. Tasks
// that take turns, for instance, find their points in memory one after the other, each thread in leaps that
// no processor predicts: while a thread walks one run of points, it fetches those of its next run.
#pragma once

#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

/// The arrays of which each point reads the element of its own number.
std::vector<Var> read_in_step(const Soac&, bool is_linear);

/// The elements of arrays that the first statement of the map's function, a reduction, reads at its own index
/// and at the map's, of which the last one is the array's last: array[.., row, .., column].
std::vector<Expr> read_down_rows(const Soac& map);

}  // namespace fulgurite::soac
