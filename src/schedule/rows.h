// Maps whose points are rows, which schedules may walk instead of the points.
#pragma once

#include "schedule/surroundings.h"

namespace fulgurite::schedule {

/// Whether it is a map whose function is one reduction over a space that the host knows and that does not
/// depend on the point, and scalars.
bool reduces_rows(const Surroundings&, const soac::Soac&);
/// Whether it is such a map, or stores scalars at places that points compute, in any order.
bool reduces_or_places_rows(const Surroundings&, const soac::Soac&);

/// Whether points reduce such rows along one axis, and some array is read along the space's last axis in one
/// row for each point of the reduction, each of its elements once: no two points of the space share it.
bool folds_outside(const Surroundings&, const soac::Soac&);

/// Whether it is a map of arrays that one Soac along one axis makes by Scans, for points whose arrays lie
/// across them in memory: neighbouring points of the map are neighbours there (soac::Soac::axes_behind).
/// Whatever else the Soac gives are the totals of Scans.
bool scans_outside(const Surroundings&, scalar::Arena&, const soac::Stm&);

/// Whether more reads of inner combinators move along memory with their own innermost index than with that of
/// the space around them.
bool reads_along_rows(const soac::Soac&);

/// The most points that the loops inside of a function take, one in another.
Expr longest_row(scalar::Arena&, const soac::Lambda&);
/// Whether all loops inside of the points of a map take as many points for each of them, none inside of
/// another: a schedule may choose by longest_row() how the map is walked.
bool has_even_rows(const soac::Soac&);
/// The most points of a sum inside that rounds; 0: there is none.
Expr longest_sum(scalar::Arena&, const soac::Lambda&);
/// A row of at most this many points is walked by one lane. A sum with so few roundings keeps
/// float_sum_error; tuples of narrow values, which vectors take long to join, are in longer rows.
std::int64_t most_in_lane(scalar::Arena&, const soac::Soac&, const LanesPolicy&);
/// Whether an operator of the reductions takes tuples.
bool has_tuples(const soac::Soac& row);

}  // namespace fulgurite::schedule
