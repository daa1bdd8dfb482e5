// Expressions as text, the same in both IRs; scalar/parse.h reads it back as exactly the same expression.
//   x[i, j] * 2f + select(a < b, exp(a), f32(k))        operators as in C, other operations by their names of
//   op.def 3  3i32  0.5  0.5f  f32:inf  f64:nan  true          literals: i64 and f64 plain, f32 with f, other
//   kinds by their names f32(x)  bitcast(u32, x)  splat(x, 16)  lane(i32, 16) x /@3 y   x %@3 y   xs[i]@4 an
//   operation that may fail, with its site
//   xs[i, j]@4~1 whose index on axis 1 is proven to be inside
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "scalar/expr.h"
#include "scalar/value.h"

namespace fulgurite::scalar {

/// What is printed in place of a node and all below it; must give the name of every variable. Empty: the node
/// is printed itself.
using NameOf = std::function<std::string_view(Expr)>;
void print(std::string& to, Expr, const NameOf&);
std::string print_constant(Kind, Bits);

/// Unique names for variables: the arena's names, numbered where two would be equal. `canonical`: v0, v1 ...
/// in the order of asking.
class Names {
 public:
  explicit Names(const Arena& arena, bool canonical = false) : arena_(arena), canonical_(canonical) {}
  std::string_view operator()(Var);
  bool has(Var var) const { return names_.contains(var); }  // it has been asked for
  std::string unique(std::string_view base);                // a new name for something that is not a variable

 private:
  const Arena& arena_;
  bool canonical_;
  std::unordered_map<Var, std::string> names_;
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> next_;  // number to try first
};

/// For messages and debuggers: the expression with the arena's names, shared parts printed again and again up
/// to a length.
std::string describe(const Arena&, Expr);

}  // namespace fulgurite::scalar
