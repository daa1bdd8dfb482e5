// Index arithmetic under known ranges: with 0 <= j < m, (i * m + j) / m is i and (i * m + j) % m is j. This
// is what makes a reshape of a reshape, and a flattened matrix read in two dimensions, cost nothing.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "scalar/formula.h"
#include "simplify/sum.h"

namespace fulgurite::simplify {

class IndexAlgebra {
 public:
  /// `canonical` gives equal sizes one form; shapes of arrays are asked through it.
  explicit IndexAlgebra(scalar::Arena& arena, std::function<scalar::Expr(scalar::Expr)> canonical = {})
      : arena_(arena), canonical_(std::move(canonical)) {}

  /// From here on 0 <= var < extent.
  void range(scalar::Var var, scalar::Expr extent);
  /// From here on 0 <= var < trips, which may be any number.
  void iterations(scalar::Var var, scalar::Expr trips);
  /// What is learned while it lives is forgotten at its end, when indices learned meanwhile are not used any
  /// more.
  class Scope {
   public:
    explicit Scope(IndexAlgebra& algebra)
        : algebra_(algebra),
          n_facts_(algebra.atoms_of_facts_.size()),
          n_sizes_(algebra.names_of_sizes_.size()) {}
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    IndexAlgebra& algebra_;
    std::size_t n_facts_, n_sizes_;
  };
  /// The name is an extent of an array: not negative, and far from the greatest i64.
  void size(scalar::Var name);
  /// From here on the condition holds.
  void learn(scalar::Expr condition);
  /// While it lives, the condition holds: of a branch.
  class Assumption {
   public:
    Assumption(IndexAlgebra&, scalar::Expr condition);
    ~Assumption();
    Assumption(const Assumption&) = delete;
    Assumption& operator=(const Assumption&) = delete;

   private:
    IndexAlgebra& algebra_;
    Scope scope_;
    // The memo of the enclosing scope: what is proven inside holds only there.
    std::unordered_map<scalar::Expr, scalar::Expr> memo_;
  };
  scalar::Expr operator()(scalar::Expr);
  /// Proven: the element that an index expression reads exists.
  bool is_inside(scalar::Expr index) const;
  /// The axes on which the index of such an expression is proven to be one of the array.
  scalar::Axes inside(scalar::Expr index) const;
  /// Proven: 0 <= e < limit.
  bool is_below(scalar::Expr e, scalar::Expr limit) const { return is_below(e, limit, 0); }
  /// The condition without the comparisons that are proven, and with 0 <= w for i <= i + w.
  scalar::Expr simpler(scalar::Expr condition) const;
  /// dividend = divisor * quotient + remainder with 0 <= remainder < divisor, if that can be proven.
  struct Split {
    scalar::Expr quotient, remainder;
  };
  std::optional<Split> split(scalar::Expr dividend, scalar::Expr divisor) const {
    return split(dividend, divisor, 0);
  }

 private:
  static constexpr int most_facts = 4;

  std::optional<Split> split(scalar::Expr dividend, scalar::Expr divisor, int depth) const;
  bool is_below(scalar::Expr e, scalar::Expr limit, int depth) const;
  bool is_below_by_facts(scalar::Expr e, scalar::Expr limit) const;
  std::optional<std::int64_t> greatest(scalar::Expr) const;  // a constant bound of something not negative
  bool is_not_negative(const Sum&, int facts = most_facts) const;  // by at most this many facts together
  bool is_not_negative(scalar::Expr atom) const;
  bool is_sum_of_products(scalar::Expr) const;  // of what is not negative
  bool mentions_indices_of(const Sum&, const Sum& fact) const;
  // What is linear has few terms and small coefficients. No sum of a few small expressions wraps around. The
  // value of an exact expression is that of its sum as integers; so it is of an extent, which is not
  // negative.
  bool is_linear(const Sum&) const;
  bool is_small(const Sum&) const;
  bool is_small(scalar::Expr atom) const;
  double magnitude(const Sum&) const;  // a bound of its value as an integer, whatever its sign
  double magnitude(scalar::Expr atom) const;
  bool is_exact(const Sum&) const;
  bool is_exact_extent(const Sum&) const;
  static bool divides_by_constant(scalar::Expr);
  std::optional<Sum> more_of(scalar::Expr comparison) const;
  void assume(scalar::Expr condition);
  void add_fact(Sum);
  void add_quotient(scalar::Expr);

  scalar::Arena& arena_;
  std::function<scalar::Expr(scalar::Expr)> canonical_;
  std::unordered_map<scalar::Var, scalar::Expr> extents_;
  std::unordered_set<scalar::Var> sizes_;
  std::vector<scalar::Var> names_of_sizes_;  // oldest first
  // Facts are sums that are not negative, by their first atoms; and these atoms, oldest fact first.
  std::unordered_map<scalar::Expr, std::vector<Sum>> facts_about_;
  std::vector<scalar::Expr> atoms_of_facts_;
  std::size_t n_learned_ = 0;  // all facts from here on are of indices
  std::unordered_map<scalar::Expr, scalar::Expr> memo_;
};

}  // namespace fulgurite::simplify
