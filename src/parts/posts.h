// What the threads of a block have posted, one point each: the number of a place (-1: none), and values. It
// goes to the places in the order of the points, which is the order of the threads, although threads work
// side by side: threads whose points have one place find each other in shared memory.
#pragma once

#include "parts/block.h"
#include "parts/operator.h"

namespace fulgurite::parts {

/// The row-major number of a place of this shape (a class: of as many as there are), whose indices
/// stand first; -1 outside.
Expr place_of(const Builder&, std::span<const Expr> indices, std::span<const Expr> shape);

/// The bins of a scatter that a block has for itself: bins[task * size + place], and while the block goes
/// over its points, in shared memory if they take no more than `most_bytes`.
class OwnBins {
 public:
  /// Sets each to the neutral element. A barrier follows.
  OwnBins(const Builder&, const Block&, Operator by, Expr size, std::span<const Var> bins,
          std::int64_t most_bytes);

  /// For each point, bin of the place = bin op values. posted[0] has the places, the others the values. A
  /// barrier stands before and after.
  void combine(const Builder&, const Block&, std::span<const Var> posted) const;
  /// After the last point.
  void flush(const Builder&, const Block&) const;

 private:
  // body(bins, number of the first)
  void where_they_are(const Builder&, const std::function<void(std::span<const Var>, Expr)>& body) const;
  using OfBin = std::function<void(const Builder&, Expr place, Expr number)>;
  void each(const Builder&, const Block&, const OfBin& body) const;

  const Operator by_;
  const std::vector<Var> bins_;
  std::vector<Var> shared_;
  Expr size_, first_;  // of the block
  Expr are_shared_;
};

/// arrays[table[place * tasks + task]++] = values, for each point: a place is a class.
void deal_in_turn(const Builder&, const Block&, std::span<const Var> posted, Var table,
                  std::span<const Var> arrays);

}  // namespace fulgurite::parts
