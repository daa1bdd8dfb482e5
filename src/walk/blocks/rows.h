// Neighbouring rows that a block takes together: points of a map whose function begins with a reduction, a
// thread each, wherever the reductions are folded.
#pragma once

#include "soac/rename.h"
#include "walk/blocks/phase.h"

namespace fulgurite::walk::blocks {

class Rows {
 public:
  /// `function`: the map's.
  Rows(const Phase&, soac::Lambda function);

  const soac::Soac& reduction() const { return std::get<soac::Soac>(function_.body[0].op); }
  /// The block takes `most` rows, or the rows that are left.
  void take(const Emitter& of_block, const Block&, Expr most);
  Expr first() const { return first_; }
  Expr size() const { return n_; }

  /// body(thread, t) for each row t of the block.
  void each(const Emitter& of_block, const Block&, const OfThread& body) const;
  struct Row {
    Emitter e;
    Expr number;
    std::vector<Expr> indices;
    soac::Applied function;
    const soac::Soac& reduction() const { return std::get<soac::Soac>(function.body[0].op); }
  };
  Row row(const Emitter&, Expr t) const;
  /// Binds the names of the reductions, whose values in the row are `totals`.
  void finish(const Row&, std::span<const Expr> totals) const;
  /// What comes after them, at the row with this number.
  void rest(const Row& row, Expr number) const { point(row.e, rest_, row.indices, number, {}); }

 private:
  const Phase& at_;
  scalar::Arena& arena_;
  const soac::Lambda function_;
  const soac::Stm rest_;  // after the reduction
  std::vector<Expr> dims_;
  Expr is_small_, first_, n_;
};

}  // namespace fulgurite::walk::blocks
