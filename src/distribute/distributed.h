// A kernel for several machines on its way to a text and footprints.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/ir.h"
#include "runtime/footprint.h"

namespace fulgurite::distribute {

/// Elements of an array whose places the data say, and the array in which tasks mark them.
struct Marked {
  kernel::Var buffer, marks;
};

/// As runtime::PhaseFootprint says.
struct PhaseMarks {
  bool is_inspector = false;
  std::vector<Marked> marks = {};
  /// The arrays of which inspectors before it have marked what it reads.
  std::vector<kernel::Var> inspected = {};
};

struct Distributed {
  kernel::Kernel kernel;
  /// For each phase, as runtime::PhaseFootprint says; a phase has no marks unless inspect() gave it some.
  std::vector<std::int32_t> tasks_of = {};
  std::vector<PhaseMarks> marks = {};
  /// The last array parameters.
  std::vector<runtime::OwnArray> own = {};

  /// Appends a parameter for an array of the engine's own; arrays stand before scalars, and it after
  /// the other arrays.
  kernel::Var add_own(scalar::Kind, const std::string& name, runtime::OwnArray);
};

}  // namespace fulgurite::distribute
