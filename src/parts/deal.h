// The points of a block's tiles go to their classes in their order, as a partition keeps them. A tile is
// sorted by class in shared memory first, so that neighbouring threads store neighbouring elements of a
// class.
//
// Each warp takes neighbouring points, 32 at a time: points of one class find each other by a word of shared
// memory for each class, in which each sets the bit of its lane (as CUB's rank by match does; Adinets,
// Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022, section 3.2).
#pragma once

#include "parts/block.h"
#include "parts/operator.h"

namespace fulgurite::parts {

class Deal {
 public:
  /// Values of class c go to elements table[c * tasks + task] and following ones of the arrays; tiles have
  /// `items` points for each thread. A barrier follows.
  Deal(const Builder&, const Block&, std::int64_t classes, int items, Var table, std::span<const Var> arrays);

  /// Deals a tile of points: posted[0] has their classes (negative: none, or no point), the others their
  /// values. Barriers stand before and after.
  void tile(const Builder&, const Block&, std::span<const Var> posted) const;

 private:
  using OfPoint = std::function<void(Expr at, Expr mine, Expr counter)>;
  void point(const Builder&, Expr t, Expr step, Var classes, const OfPoint& body) const;
  using OfClass = std::function<void(const Builder&, Expr c)>;
  void each_class(const Builder&, const Block&, const OfClass& body) const;
  void clear(const Builder&, Expr t, Var counters) const;
  Expr find_starts(const Builder&, const Block&) const;
  void rank_step(const Builder&, const Block&, Expr step, Var classes) const;

  const std::int64_t classes_;
  const int threads_, items_;
  const std::vector<Var> arrays_;
  Var next_, shift_;     // of each class: where its next point goes, less where it begins in the sorted tile
  Var counts_, masks_;   // of each class of each warp
  Var starts_, totals_;  // of each class in the sorted tile, and what scanning them needs
  Var news_;             // of each thread: if it is the last of its class in a step, what count the class has
  Var source_;           // of each place in the sorted tile: the class and the point in the tile
};

}  // namespace fulgurite::parts
