// What a decision may know of the program around a statement and of the machine that will run it.
#pragma once

#include <functional>

#include "schedule/ir.h"
#include "schedule/policy.h"
#include "soac/equal_sizes.h"

namespace fulgurite::schedule {

/// The machine: all that decisions ask of it.
struct Device {
  int vector_bytes = 16;
  std::int64_t last_level_cache = 0;
  std::int64_t shared_memory = 0;  // bytes of a block
  bool tells_occupancy = false;    // how many blocks run at once
  bool blocks_wait = false;        // for blocks that began before them
  bool adds_quarters = false;      // runtime::Description
  bool has_shuffles = false;       // the same
};

struct Surroundings {
  scalar::Arena& arena;
  const soac::EqualSizes& sizes;
  /// Whether the host can compute the expressions before the launch: all their names are known, no element is
  /// read, and nothing can fail.
  std::function<bool(std::span<const Expr>)> is_known;
  /// Whether the array has memory before the launch.
  std::function<bool(Var)> in_memory;
  Device device;
  Policy policy;
  /// The function that gives an element of an array which is nowhere in memory; null: of others.
  std::function<const soac::Lambda*(Var)> element_of = {};
};

}  // namespace fulgurite::schedule
