// Sums: an i64 expression as integers times atoms, which are the expressions that are no sums. Modulo 2^64
// the expression is its sum; where the sum of the atoms' values, as integers, is one of i64, they are one
// number.
#pragma once

#include <cstdint>
#include <vector>

#include "scalar/expr.h"

namespace fulgurite::simplify {

struct Term {
  scalar::Expr atom;  // absent: a constant
  std::int64_t coefficient;
};

/// The terms of an expression from left to right; an atom may stand twice.
std::vector<Term> terms_of(scalar::Expr);

/// Terms by the numbers of their atoms, the constant first. No coefficient is 0, no atom stands twice.
class Sum {
 public:
  Sum() = default;
  explicit Sum(scalar::Expr e);
  explicit Sum(std::vector<Term> terms);

  const std::vector<Term>& terms() const { return terms_; }
  /// The first term that has an atom; absent: it is a constant.
  const Term* first() const;
  /// This and `factor` times the other one.
  Sum plus(std::int64_t factor, const Sum& other) const;
  /// The atom, if this is nothing else; absent: it is.
  scalar::Expr atom() const;

 private:
  std::vector<Term> terms_;
};

}  // namespace fulgurite::simplify
