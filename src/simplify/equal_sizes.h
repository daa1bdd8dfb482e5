// What the Checks at the top of a program say of sizes: after Check(m == n) the two are one size. Passes and lowering ask whether
// two shapes are equal through this; a canonical size is written with the oldest names.
#pragma once

#include <unordered_map>

#include "soac/ir.h"

namespace fulgurite::simplify {

/// The equations that a condition (a conjunction) states, each solved for its youngest name.
std::unordered_map<scalar::Var, scalar::Expr> equations_of(scalar::Arena&, scalar::Expr condition);

class EqualSizes {
 public:
  explicit EqualSizes(const soac::Program&);

  scalar::Expr canonical(scalar::Expr size) const;
  std::vector<scalar::Expr> canonical(std::vector<scalar::Expr> shape) const;
  bool equal(scalar::Expr a, scalar::Expr b) const { return canonical(a) == canonical(b); }

 private:
  scalar::Arena& arena_;
  std::unordered_map<scalar::Var, scalar::Expr> solved_;
};

}  // namespace fulgurite::simplify
