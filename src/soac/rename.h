// Substitution for statements. Names never change their type or shape, so where a substitution reaches into
// an array's shape the array gets another name; `Binders::fresh` gives every bound name another one, which is
// how a body is copied.
#pragma once

#include <optional>
#include <unordered_map>

#include "soac/walk.h"

namespace fulgurite::soac {

class Renaming {
 public:
  enum class Binders : std::uint8_t { keep, fresh };
  Renaming(Arena& arena, Binders binders);
  Renaming(const Renaming&) = delete;
  Renaming& operator=(const Renaming&) = delete;

  /// From here on `from` means `to`. It must not have been met before.
  void bind(Var from, Expr to);
  /// As bind(), for a name that may have been met.
  void bind_late(Var from, Expr to);
  bool empty() const { return values_.empty(); }

  Expr operator()(Expr e) { return values_.empty() ? e : (*substitute_)(e); }
  void in_place(std::vector<Expr>&);
  Lambda operator()(Lambda);
  Stm operator()(Stm);
  /// Only the statement's own roots; its functions and names stay for the caller to do, in this order.
  void roots(Stm&);
  /// A bound name in the new program: itself, or another one.
  Var binder(Var);

 private:
  void start();

  Arena& arena_;
  Binders binders_;
  std::unordered_map<Var, Expr> values_;
  std::optional<scalar::Substitution> substitute_;
};

/// Replaces the roots of a function or a statement, at every depth, in place. Names stay.
void substitute_in(Lambda&, scalar::Substitution&);
void substitute_in(Stm&, scalar::Substitution&);

/// A copy of the body with its parameters replaced by `arguments` and everything bound in it renamed.
struct Applied {
  std::vector<Stm> body;
  std::vector<Expr> results;
};
Applied apply(Arena&, const Lambda&, std::span<const Expr> arguments);

}  // namespace fulgurite::soac
