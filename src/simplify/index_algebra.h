// Index arithmetic under known ranges: with 0 <= j < m, (i * m + j) / m is i and (i * m + j) % m is j. This
// is what makes a reshape of a reshape, and a flattened matrix read in two dimensions, cost nothing.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "scalar/formula.h"

namespace fulgurite::simplify {

class IndexAlgebra {
 public:
  /// `canonical` gives equal sizes one form; shapes of arrays are asked through it.
  explicit IndexAlgebra(scalar::Arena& arena, std::function<scalar::Expr(scalar::Expr)> canonical = {})
      : arena_(arena), canonical_(std::move(canonical)) {}

  /// From here on 0 <= var < extent.
  void range(scalar::Var var, scalar::Expr extent);
  /// What is learned while it lives is forgotten at its end, when indices learned meanwhile are not used any
  /// more.
  class Scope {
   public:
    explicit Scope(IndexAlgebra& algebra) : algebra_(algebra), n_facts_(algebra.atoms_of_facts_.size()) {}
    ~Scope() { algebra_.forget(n_facts_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    IndexAlgebra& algebra_;
    std::size_t n_facts_;
  };
  /// The name is an extent of an array: not negative, and far from the greatest i64.
  void size(scalar::Var name) { sizes_.insert(name); }
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
  /// Proven: 0 <= e < limit.
  bool is_below(scalar::Expr e, scalar::Expr limit) const { return is_below(e, limit, 0); }
  /// dividend = divisor * quotient + remainder with 0 <= remainder < divisor, if that can be proven.
  struct Split {
    scalar::Expr quotient, remainder;
  };
  std::optional<Split> split(scalar::Expr dividend, scalar::Expr divisor) const {
    return split(dividend, divisor, 0);
  }

 private:
  static constexpr int most_facts = 3;

  std::optional<Split> split(scalar::Expr dividend, scalar::Expr divisor, int depth) const;
  bool is_below(scalar::Expr e, scalar::Expr limit, int depth) const;
  std::optional<std::int64_t> greatest(scalar::Expr) const;  // a constant bound of something not negative
  bool is_not_negative(scalar::Expr, int facts = most_facts) const;  // by at most this many facts together
  bool mentions_indices_of(scalar::Expr, scalar::Expr fact) const;
  bool is_small(scalar::Expr) const;  // no sum or difference of a few such things overflows
  void assume(scalar::Expr condition);
  void add_fact(scalar::Expr);
  void forget(std::size_t n_facts);  // but the first ones

  scalar::Arena& arena_;
  std::function<scalar::Expr(scalar::Expr)> canonical_;
  std::unordered_map<scalar::Var, scalar::Expr> extents_;
  std::unordered_set<scalar::Var> sizes_;
  // Facts are small expressions that are not negative, by their first atoms; and these atoms, oldest fact
  // first.
  std::unordered_map<scalar::Expr, std::vector<scalar::Expr>> facts_about_;
  std::vector<scalar::Expr> atoms_of_facts_;
  std::unordered_map<scalar::Expr, scalar::Expr> memo_;
};

}  // namespace fulgurite::simplify
