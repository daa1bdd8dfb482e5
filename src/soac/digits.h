// Whether an integer differs from point to point, where it is a sum of a combinator's indices, times
// constants or extents, with something invariant added. It does where the terms are the digits of the point's
// number in a mixed radix: i * columns + j, j * rows + i, n - 1 - i.
#pragma once

#include <optional>

#include "soac/equal_sizes.h"
#include "soac/walk.h"

namespace fulgurite::soac {

/// An integer of at least 32 bits.
bool is_wide(Kind kind);

class Digits {
 public:
  /// Looks at the points of a space. `variant`: the names that differ from point to point, the parameters
  /// among them.
  Digits(Arena& arena, const EqualSizes& sizes, std::vector<Var> params, const std::vector<Expr>& dims,
         Vars variant)
      : arena_(arena),
        sizes_(sizes),
        params_(std::move(params)),
        dims_(sizes.canonical(dims)),
        variant_(std::move(variant)) {}

  const std::vector<Var>& params() const { return params_; }
  const std::vector<Expr>& dims() const { return dims_; }

  bool varies(Expr e) const;
  /// Proven: the integer is different at every two points.
  bool tells_apart(Expr e) const;
  /// Proven: every axis of the space moves an integer of its own, and alone.
  bool moves_each_axis(std::span<const Expr> places) const;

 private:
  /// The sum of invariants and of terms, modulo a power of two. Atoms are parameters, or the quotient and the
  /// remainder of one.
  struct Sum {
    struct Term {
      Expr atom, coefficient;  // i64
    };
    std::vector<Term> terms;
    int bits = 64;
  };
  std::optional<Sum> sum_of(Expr e) const;
  void scale(Sum& sum, Expr factor) const;
  Expr count_of(Expr atom) const;
  bool is_one_to_one(const Sum& sum) const;
  bool are_digits(const std::vector<Sum::Term>& terms, int bits) const;
  bool has_all_digits(const std::vector<Sum::Term>& terms) const;
  bool is_plus_or_minus(Expr coefficient, Expr stride) const;

  Arena& arena_;
  const EqualSizes& sizes_;
  std::vector<Var> params_;
  std::vector<Expr> dims_;
  Vars variant_;
};

}  // namespace fulgurite::soac
