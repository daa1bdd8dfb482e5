// Few and long rows (sums of the rows of a wide matrix): tasks share a row. The regular segmented reduction
// on two levels (Henriksen, Larsen, Oancea, "Strategies for regular segmented reductions on GPU", 2017).
#pragma once

#include "lower/frame.h"

namespace fulgurite::lower {

/// Whether it is a map whose function is one reduction over a space that the host knows and that does not
/// depend on the point, and scalars.
bool reduces_rows(Launches&, const soac::Soac&);

/// A map whose function is one reduction over a space that does not depend on the point, and scalars.
///
///   partials   rows x tiles tasks: each tile's partial results
///   rows       for each row: the tiles' partial results joined in order, then the results of the map
class LongRows {
 public:
  explicit LongRows(Frame&);

  /// 1 where the launch takes this way, by sizes only, else 0.
  Expr are_few() const { return are_few_; }
  void phases();

 private:
  std::vector<Expr> indices_of(const Emitter&, Expr row);
  soac::Applied at_row(const Emitter&, Expr row);

  Frame& at_;
  scalar::Arena& arena_;
  soac::Lambda body_;  // the map's, its reduction with a neutral element
  Expr are_few_, rows_, tiles_, tile_, columns_;
  std::vector<Var> partials_;
};

}  // namespace fulgurite::lower
