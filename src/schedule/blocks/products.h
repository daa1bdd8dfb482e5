// Tiles of a map and its reduction, where points along an axis of the map share operands (matrix products):
// a block brings what its points read, for a few points of the reduction at a time, to shared memory, and
// each thread accumulates some rows and columns in registers, so that what is staged serves many points
// (Volkov, Demmel, "Benchmarking GPUs to tune dense linear algebra", SC 2008).
//
//   tiles        blocks of rows and columns, and of parts of the reduction where these blocks are few
//   join tiles   what blocks have of parts, in order, then the results of the map
#pragma once

#include "schedule/blocks/frame.h"
#include "schedule/shared_operands.h"

namespace fulgurite::schedule::blocks {

class Products {
 public:
  explicit Products(Frame&);

  /// 1 where the phases do all, else 0.
  Expr takes_all() const { return takes_all_; }
  void add_phases();

 private:
  const soac::Soac& reduction() const;
  Expr n_rows() const { return at_.op().dims[at_.op().dims.size() - 2]; }
  Expr n_columns() const { return at_.op().dims.back(); }
  void choose_tile();
  void choose_parts();
  Nest nest() const;
  void add_stage(Nest&, Expr operand, bool by_rows) const;

  Frame& at_;
  const BlocksPolicy& by_;
  Expr takes_all_;
  soac::Stm computes_;  // with neutral elements
  SharedOperands shared_;
  /// Points of the reduction that are staged together; what an accumulator of a thread takes before an outer
  /// one does, if anything rounds.
  std::int64_t depth_ = 1, chain_ = 0;
  std::int64_t threads_ = 1, threads_across_ = 1;
  /// The rows and columns of each thread.
  std::int64_t rows_ = 1, columns_ = 1;
  Expr part_, parts_;
  std::vector<Var> partials_;
};

}  // namespace fulgurite::schedule::blocks
