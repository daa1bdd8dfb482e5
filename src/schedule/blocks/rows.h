// Reductions of the rows of an array. Rows that follow one another and are of any lengths go tile by tile (a
// skeleton). Rows of one length (regular segments) that lie along memory are taken by blocks of threads or,
// where they are short, from tiles (a skeleton as well; Henriksen, Larsen, Oancea, "Strategies for regular
// segmented reductions on GPU", 2017, section 3). A row that lies across memory is taken by a thread, whose
// neighbours take neighbouring rows; where rows are few, by a thread for each part of it. Which of them a
// launch says, by the numbers of rows and columns.
//
//   partials   rows x tiles blocks, or tiles x rows threads: each tile's partial results
//   rows       for each row: the tiles' partial results joined in order, then the results of the map
#pragma once

#include "schedule/blocks/frame.h"

namespace fulgurite::schedule::blocks {

/// The reason of a phase that depends on how rows are taken.
inline constexpr const char* why_version =
    "version: blocks take rows where these are long (short_row); of rows across memory threads take parts "
    "where rows are few (column_part, filling_blocks)";

class Rows {
 public:
  /// `elsewhere`: 1 where other phases do all.
  Rows(Frame&, Expr elsewhere);

  /// 1 where threads take the points one by one, else 0: then these phases do all, or others.
  Expr by_threads() const { return by_threads_; }
  void add_phases();

 private:
  void choose_version();
  void choose_parts();
  void add_ragged();
  void add_tiles();
  void add_partials();
  void add_parts();
  void add_join();
  soac::Stm map_of(soac::Lambda, std::span<const Var> arrays) const;

  Frame& at_;
  bool are_ragged_ = false, lie_along_ = false;
  soac::Lambda body_;                       // the map's, its reduction with a neutral element
  Expr by_threads_, by_blocks_, by_tiles_;  // one of them is 1
  Expr rows_, columns_, tiles_, tile_;      // columns: of the first axis, where rows lie across
  std::vector<Var> partials_;
};

}  // namespace fulgurite::schedule::blocks
