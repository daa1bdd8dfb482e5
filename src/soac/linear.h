// For schedules: whether the space of a Soac need be walked as a grid, how far neighbours are apart, and how
// much each point gives.
#pragma once

#include "soac/equal_sizes.h"
#include "soac/ir.h"
#include "soac/outputs.h"

namespace fulgurite::soac {

/// Whether the Soac visits every array at the place of its own point: each read is at exactly the indices, of
/// an array of exactly the shape `dims`, results are scalars, and the indices are not used otherwise. Such a
/// Soac of any rank runs over the one-dimensional space 0 <= p < product of dims with every array flat:
/// element p of each, no index arithmetic. (Reductions fold in row-major order, which is the order of p.)
/// This also holds for Soacs of rank 1.
bool is_linear(const Soac&, const Arena&, const EqualSizes&);

/// Whether points that are neighbours along this axis of theirs have places that are neighbours.
bool are_along(Arena&, std::span<const Expr> place, Var axis);

/// Whether neighbouring points of a row scatter to neighbouring places: these are the address of a vector.
bool stores_along_row(Arena&, const Soac&, const OutputView::Scattered&);

/// Whether points do nothing but replace elements along their row.
bool replaces_rows(Arena&, const Stm&);

/// Whether points read or store several elements of a vector that are as far from those of their neighbours
/// as the size of an array says, such as the length of its rows. Some of these are in one cache line.
bool meets_far_lines(Arena&, const Soac&);

/// Whether the points reduce nothing and lie along one axis, and neighbours read or store elements that are
/// as far apart: each point has cache lines of its own.
bool have_lines_of_their_own(Arena&, const Soac&);

/// Elements of the largest array of constant size that the function gives, at least 1.
std::int64_t elements_of_results(const Arena&, const Lambda& f);

}  // namespace fulgurite::soac
