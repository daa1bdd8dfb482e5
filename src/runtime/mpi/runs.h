// Runs of bytes at equal distances, as a task touches them of a matrix, and sets of bytes that are put
// together of such runs: of neighbouring tasks by arithmetic, so that a set costs what its tasks are, not
// what their rows are.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/mpi/intervals.h"

namespace fulgurite::runtime::mpi {

/// `n` runs of `bytes` bytes each, the first at `begin`, each `distance` after the former: more than
/// `bytes`. The distance of one run is 0.
struct Runs {
  std::int64_t begin, bytes;
  std::int64_t n = 1, distance = 0;

  Bytes hull() const { return {begin, begin + (n - 1) * distance + bytes}; }
  friend bool operator==(const Runs&, const Runs&) = default;
};

/// Whether some byte of a run is in the set.
bool meet(const Intervals&, const Runs&);

class CollectedRuns {
 public:
  void add(Runs);
  bool empty() const { return last_.empty() && earlier_.empty(); }
  /// All that was added; it is empty then.
  Intervals take();

 private:
  void settle();

  std::vector<Runs> last_;  // none can be joined to one of the few before it
  std::int64_t n_last_ = 0;
  Intervals earlier_;
};

}  // namespace fulgurite::runtime::mpi
