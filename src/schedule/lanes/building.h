// A launch for lanes while it is decided.
#pragma once

#include "schedule/lanes/nests.h"

namespace fulgurite::schedule {

struct Building {
  const Surroundings& around;
  scalar::Arena& arena;
  Lanes lanes;
  /// With neutral elements, and with numbers for the Soacs inside.
  soac::Stm lifted;
  /// `lifted` without scatters whose last value stays, which later phases store: what main phases walk.
  soac::Stm posting;
  LaneLoops loops;
  Grid grid;
  /// Tasks take neighbouring points in their order.
  bool in_order = false;
  /// Tasks of the main phase.
  Expr tasks;
  Launch launch;

  Expr i64(std::int64_t value) const { return arena.i64(value); }
  const soac::Soac& op() const { return std::get<soac::Soac>(posting.op); }

  /// An array of the launch alone.
  Var memory(Kind, Expr size, std::string name);
  /// Appends a phase; its name gets a number if there is one of this name.
  Phase& add(std::string name, soac::Stm computes, std::variant<Nest, Skeleton> walk);
  /// From how many bytes on stores bypass the caches. Rows that share the lines which they read need the last
  /// one for these.
  std::int64_t streaming(const LaneLoops&, const Grid&) const;
  /// Appends a phase that maps a function over places. `guard`: 1 where it is to fill them.
  Phase& add_map(std::string name, soac::Stm map, Expr guard = {});
};

}  // namespace fulgurite::schedule
