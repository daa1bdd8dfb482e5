// What the Checks at the top of a program say of sizes: after Check(m == n) the two are one size. Passes and
// lowering ask whether two shapes are equal through this; a canonical size is written with the oldest names.
#pragma once

#include <unordered_map>

#include "soac/ir.h"

namespace fulgurite::soac {

/// The equations that a condition (a conjunction) states, each solved for its youngest name.
std::unordered_map<Var, Expr> equations_of(Arena&, Expr condition);

class EqualSizes {
 public:
  explicit EqualSizes(const Program&);
  /// Without Checks: sizes are equal only if they are one expression.
  explicit EqualSizes(Arena& arena) : arena_(arena) {}

  Expr canonical(Expr size) const;
  std::vector<Expr> canonical(std::vector<Expr> shape) const;
  bool equal(Expr a, Expr b) const {
    const Expr other = canonical(b);
    return canonical(a) == other;
  }

 private:
  Arena& arena_;
  std::unordered_map<Var, Expr> solved_;
};

}  // namespace fulgurite::soac
