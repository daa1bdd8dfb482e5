#include "fuse/repeats.h"

#include <algorithm>

#include "simplify/index_algebra.h"

namespace fulgurite::fuse {

using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;

namespace {

/// x / d and x % d together determine what x determines.
void join_quotients(std::vector<Expr>& indices) {
  for (bool joined = true; joined;) {
    joined = false;
    for (std::size_t q = 0; q < indices.size() && !joined; ++q) {
      const Expr quotient = indices[q];
      if (quotient.op() != Op::div) continue;
      auto rest = std::find_if(indices.begin(), indices.end(), [&](Expr e) {
        return e.op() == Op::rem && e.arg(0) == quotient.arg(0) && e.arg(1) == quotient.arg(1);
      });
      if (rest == indices.end()) continue;
      indices[q] = quotient.arg(0);
      indices.erase(rest);
      joined = true;
    }
  }
}

/// start(row) + place for place < start(row + 1) - start(row), as segments are read: rows that follow each
/// other determine both. (If starts do not ascend, rows may overlap, and work in them is repeated.)
bool rows_follow_each_other(Arena& arena, Expr index, const Axis& row, const Axis& place) {
  const auto affine = scalar::affine_in(arena, index, place.var);
  if (!affine || !affine->coefficient.is_constant(1) || !scalar::mentions(affine->base, row.var))
    return false;
  const Expr next_row = arena.name(row.var) + 1;
  const Expr next = scalar::substitute(arena, affine->base, {{row.var, next_row}});
  return place.extent == (next - affine->base);
}

}  // namespace

bool is_injective(Arena& arena, std::vector<Expr> indices, const std::vector<Axis>& path) {
  simplify::IndexAlgebra algebra(arena);
  std::vector<Axis> open;
  for (const Axis& axis : path) {
    algebra.range(axis.var, axis.extent);
    if (!axis.extent.is_constant(1)) open.push_back(axis);
  }
  join_quotients(indices);
  for (bool progress = true; progress && !open.empty();) {
    progress = false;
    for (std::size_t k = 0; k < indices.size() && !progress; ++k) {
      std::vector<std::size_t> in_it;
      for (std::size_t a = 0; a < open.size(); ++a)
        if (scalar::mentions(indices[k], open[a].var)) in_it.push_back(a);
      for (std::size_t a : in_it) {
        const Axis axis = open[a];
        const auto affine = scalar::affine_in(arena, indices[k], axis.var);
        if (!affine || affine->coefficient.is_constant(0)) continue;
        if (in_it.size() > 1) {
          // extent * q + axis determines both q and the axis.
          const auto parts = algebra.split(indices[k], axis.extent);
          if (parts && parts->remainder == arena.name(axis.var)) {
            indices.push_back(parts->quotient);
          } else {
            const auto row = std::find_if(in_it.begin(), in_it.end(), [&](std::size_t r) {
              return r != a && rows_follow_each_other(arena, indices[k], open[r], axis);
            });
            if (row == in_it.end() || in_it.size() > 2) continue;
            indices.push_back(arena.name(open[*row].var));
          }
        }
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(a));
        progress = true;
        break;
      }
    }
  }
  return open.empty();
}

}  // namespace fulgurite::fuse
