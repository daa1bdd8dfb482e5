// Nests of lanes: how numbers of loops.h and grid.h become axes, cuts and combines, and are read again.
#pragma once

#include "schedule/lanes/grid.h"

namespace fulgurite::schedule {

/// What a nest is made for.
struct Place {
  const Grid* grid = nullptr;  // absent: inside of a task
  bool in_order = false;       // the grid is points_grid()
  bool packs = true;           // all partitions pack
};

/// Keeps a nest inside of another one in one piece where it would have many splits.
void limit_inner_splits(Nest&, const LanesPolicy&);

/// The nest of a Soac statement with neutral elements, and of the Soacs inside that scalar code walks. The
/// caller adds to its combines what tasks leave for later phases.
Nest nest_of(scalar::Arena&, const soac::Stm&, const LaneLoops&, const Lanes&, const Place&);

/// The numbers of a nest.
LaneLoops loops_of(const Nest&);
/// Adds the reasons for the cuts of a phase of this grid whose rows share cache lines, if they do.
void tell_across(const Grid&, Phase&);

/// The versions of the nest of a Soac or Sort statement in scalar code of a task, shorter ones first.
std::vector<Inner> inner_versions(scalar::Arena&, const soac::Stm&, const Lanes&);

/// Numbers the Soacs inside the statement's functions, from 1 on, in the order of the text.
void number_inner(soac::Stm&);

/// A nest that takes the axis of the Soac inside of a map as well, which is not cut yet: the map's last
/// `n_last` axes, the ones around them as one, and that axis.
Nest nest_with_inner(scalar::Arena&, const soac::Soac& map, std::size_t n_last, const soac::Stm& inner,
                     Axis::Role);

/// Appends levels to how an output is combined.
void add_level(Nest&, Combine::Part, std::size_t which, Combine::Level, std::vector<Var> memory);

}  // namespace fulgurite::schedule
