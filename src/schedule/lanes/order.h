// What tasks of neighbouring points need to know of the points before theirs. Either phases before the main
// one find it out ("fold", "carry", "count"), or, where nobody needs later points, tasks take
// turns to join what they have to what all before them had (Merrill, Garland, "Single-pass parallel prefix
// scan with decoupled look-back", 2016), while their points are in the cache.
#pragma once

#include <optional>

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

struct Order {
  struct Scan {
    const soac::Stm* stm = nullptr;
    std::vector<Var> carries;  // for each component
  };
  struct Partition {
    bool packs = false, takes_turns = false, is_late = false;
    Var counts{}, kept{};
  };
  std::vector<Scan> scans;
  std::vector<Partition> partitions;
  bool scans_take_turns = false;
  /// Whose turn it is, of the Scans and of the partitions.
  std::optional<Var> turn_of_scans, turn_of_partitions;

  bool takes_turns() const { return turn_of_scans || turn_of_partitions; }
};

/// Decides it, and makes the memory.
Order order_of(Building&);
/// The phases before the main one.
void add_order_phases(Building&, const Order&);
/// How the main phase combines Scans and partitions.
void combine_in_order(const Building&, const Order&, Nest&);

}  // namespace fulgurite::schedule
