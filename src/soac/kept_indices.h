// Reductions that keep the index of a point: the first of the largest elements, the last one that holds.
#pragma once

#include <set>
#include <span>
#include <unordered_map>

#include "soac/ir.h"

namespace fulgurite::soac {

/// Whether the operator gives either the left or the right one of its k-th components.
bool chooses(const Lambda& op, std::size_t k);

/// Whether each component of each reduction is that of one of the operator's two operands: so the same point
/// may be taken twice.
bool chooses_operands(const Stm&);

/// Whether a component of a reduction is the index of one of the points.
bool keeps_index(const Soac&, std::size_t reduction, std::size_t component);
/// Whether one with this operator and these operands keeps it.
bool keeps_index(const Soac&, const Lambda& op, std::span<const Expr> operands, std::size_t component);

/// What a loop in ascending order knows of the components of one reduction. `in_tile`: it stays in a tile of
/// a power of two points, so that an index that is cast to a smaller kind ascends too.
class KeptIndices {
 public:
  KeptIndices(const Soac&, const Reduction&, std::span<const Expr> operands, bool in_tile);

  bool is_less(Expr a, Expr b) const;
  bool is_at_most(Expr a, Expr b) const;

 private:
  bool is_made_of(Expr e, const std::set<std::size_t>& below) const;

  const Lambda& op_;
  const std::size_t n_;
  std::set<Var> rights_, below_;          // right components that are the index; left ones that are less
  std::unordered_map<Var, Var> greater_;  // right component by left one
};

}  // namespace fulgurite::soac
