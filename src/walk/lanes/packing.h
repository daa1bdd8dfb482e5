// Partitions of few classes in lanes (Blelloch, "Prefix sums and their applications", 1990: split): the
// points of a task go to memory of its own, each class without gaps, and from there, once their number is
// known, to their places: whole vectors are packed and stored, and the class of a point is computed once.
#pragma once

#include "walk/lanes/range.h"

namespace fulgurite::walk::lanes {

struct Packing {
  const soac::Stm& s;
  std::size_t partition;
  std::int64_t most_points;  // of a task

  /// Memory for the points of the task: what a walk over them starts with. The arrays are made there.
  Running::Cursor start(const Emitter&) const;
  /// How many points of each class came in.
  std::vector<Expr> counts(const Emitter&, std::span<const Expr> next) const;
  /// Moves the points: class c goes to first[c] and after.
  void finish(const Emitter&, std::span<const Expr> counts, std::span<const Expr> first,
              const schedule::Lanes&) const;

 private:
  std::int64_t room() const;  // for one class
};

}  // namespace fulgurite::walk::lanes
