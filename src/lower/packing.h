// Partitions of few classes in lanes (Blelloch, "Prefix sums and their applications", 1990: split): the
// points of a task go to memory of its own, those of one class without gaps, and from there, as their number
// is known then, to where they belong: whole vectors are packed and stored, and the class of a point is found
// out once.
#pragma once

#include "lower/frame.h"

namespace fulgurite::lower {

/// A constant number, so few that lanes look at each.
bool has_few_classes(const soac::Partition&);

class Packing {
 public:
  explicit Packing(Frame& frame) : at_(frame), arena_(frame.arena) {}

  /// The points of a task are few enough, and either lanes take them or there is one class.
  bool packs(std::size_t partition) const;
  /// Memory for the points of the task: what a walk over them starts with. The arrays are made there.
  Running::Cursor start(const Emitter&, std::size_t partition);
  /// How many points of each class came in.
  std::vector<Expr> counts(const Emitter&, const std::vector<Expr>& next);
  /// Moves them, those of class c to first[c] and behind.
  void finish(const Emitter&, std::size_t partition, const std::vector<Expr>& counts,
              const std::vector<Expr>& first);

 private:
  std::int64_t room() const;  // for one class
  std::vector<Var> arrays(std::size_t partition) const;

  Frame& at_;
  scalar::Arena& arena_;
};

}  // namespace fulgurite::lower
