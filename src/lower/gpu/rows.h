// Reductions of the rows of an array. Rows that follow one another and are of any lengths go tile by tile
// (ragged_tiles.h). Of those of one length (regular segments) a thread takes a row, from memory or, where
// rows lie along it and are short, from tiles (row_tiles.h), or blocks of threads do (Henriksen, Larsen,
// Oancea, "Strategies for regular segmented reductions on GPU", 2017, section 3). Which of them a launch
// says, by the numbers of rows and columns.
//
//   partials   rows x tiles blocks: each tile's partial results; one tile where there are rows enough
//   rows       for each row: the tiles' partial results joined in order, then the results of the map
#pragma once

#include <optional>

#include "lower/gpu/frame.h"
#include "lower/ragged_rows.h"

namespace fulgurite::lower::gpu {

class Rows {
 public:
  explicit Rows(Frame&);

  /// 1 where threads take the points one by one, else 0: then the phases do all.
  Expr by_threads() const { return by_threads_; }
  void phases();
  /// What the phases say of themselves, if they are not the ordinary ones.
  const std::optional<Policy>& policy() const { return policy_; }

 private:
  void partials();
  void join();

  Frame& at_;
  scalar::Arena& arena_;
  std::optional<RaggedRows> ragged_;
  std::optional<Policy> policy_;
  soac::Lambda body_;                       // the map's, its reduction with a neutral element
  Expr by_threads_, by_blocks_, by_tiles_;  // one of them is 1
  Expr rows_, columns_, tiles_, tile_;
  std::vector<Var> partials_;
};

}  // namespace fulgurite::lower::gpu
