// Whether a read happens at most once for each element of the array: on the path from a statement to the
// read, no two points have the same indices. Then computing the element at the read repeats no work.
#pragma once

#include <optional>
#include <vector>

#include "scalar/formula.h"

namespace fulgurite::fuse {

/// An index variable of a Soac or Loop around a read.
struct Axis {
  scalar::Var var;
  scalar::Expr extent;
};

/// Whether `indices` determine every axis.
bool is_injective(scalar::Arena&, std::vector<scalar::Expr> indices, const std::vector<Axis>& path);

}  // namespace fulgurite::fuse
