// What a launch moves between memory and the processor, array by array, and how much it computes meanwhile. A
// phase of a kernel is a pass: it reads each element that it needs once, as caches and shared memory keep
// what it needs again, and stores each element once. What is in memory between phases is read again.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "lower/lower.h"
#include "soac/equal_sizes.h"

namespace fulgurite::tool {

struct Traffic {
  struct Array {
    soac::Var array;
    soac::Expr read, written;  // bytes
    bool reads_at_most = false, writes_at_most = false;
    soac::Expr passes = {};  // phases that read it
    soac::Expr times = {};   // that each pass goes through what it reads; absent: once
    bool often = false;      // an unknown number of times
  };
  /// Memory of the launch alone.
  struct Own {
    soac::Var array;
    soac::Expr bytes;
    soac::Expr read, written;
  };
  /// An array that begins as another one, all of which moves unless it gets its memory.
  struct Copy {
    soac::Var array, from;
    plan::Place place;
    soac::Expr bytes;
  };
  std::vector<Array> arrays;
  std::vector<Own> own;
  std::vector<Copy> copies;
  std::optional<soac::Expr> operations;  // work.h
};

/// The traffic of the launches of one program.
class TrafficOfLaunches {
 public:
  TrafficOfLaunches(const soac::Program&, const lower::Lowered&);

  /// The traffic of a launch that lowering made from `note.source`.
  Traffic operator()(const lower::LaunchNote&) const;

 private:
  scalar::Arena& arena_;
  const soac::EqualSizes sizes_;
  const std::unordered_map<soac::Var, soac::Expr> computed_;  // sizes by what they are computed from
  const std::vector<kernel::Kernel>& kernels_;
};

}  // namespace fulgurite::tool
