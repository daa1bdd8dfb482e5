// The points of a Soac's space as the loops of one task meet them.
#pragma once

#include "walk/lanes/range.h"

namespace fulgurite::walk::lanes {

class Space {
 public:
  /// The emitter stands in scalar code of the task.
  Space(const Emitter&, const soac::Soac&, bool is_linear);

  /// The rows of the range one after the other, with their outer indices.
  using Row = std::function<void(std::span<const Expr> outer, Expr begin, Expr end)>;
  void rows(const Emitter&, const Range&, const Row&) const;

  /// Calls body with the indices and the number of point j of the innermost axis.
  using AtPoint = std::function<void(const Emitter& at, std::span<const Expr> indices, Expr number)>;
  void at_point(const Emitter&, std::span<const Expr> outer, Expr j, const AtPoint& body) const;
  /// The code of one point.
  void element(const Emitter&, const soac::Stm&, std::span<const Expr> outer, Expr j, const Running&) const;

  const std::vector<Expr>& dims() const { return dims_; }
  bool is_linear() const { return is_linear_; }

 private:
  using DecodedRow = std::function<void(std::span<const Expr> outer, Expr row)>;
  void decoded_rows(const Emitter&, Expr first, Expr last, const DecodedRow&) const;
  std::vector<Expr> decoded(const Emitter&, Expr plane) const;

  scalar::Arena& arena_;
  const bool is_linear_;
  const std::vector<Expr> dims_;  // lowered
};

}  // namespace fulgurite::walk::lanes
