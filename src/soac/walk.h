// The shape of statements, for passes: which expressions a statement evaluates where it stands (its roots),
// which functions it holds and how often they run, and which names a function mentions or binds. Names are
// bound once in a program, so that "free in" is "mentioned but not bound in".
#pragma once

#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

using Vars = std::unordered_set<Var>;

/// Replaces every root by f(root).
void map_roots(Stm&, const std::function<Expr(Expr)>& f);
std::vector<Expr> roots_of(const Stm&);

/// A function inside a statement.
enum class Role : std::uint8_t {
  points,     // body of a Soac: once for every point of dims
  contents,   // of a Scatter, before: once for every place of its shape
  operation,  // operator of a reduction, a scatter or a scan
  branch,     // of an If: at most once
  condition,  // of a while Loop
  iteration,  // body of a Loop
};
template <class L>
struct Nested {
  L* lambda;
  Role role;
  std::span<const Expr> extents;  // of its first parameters, which run from 0 to below them; none: unknown
};
std::vector<Nested<Lambda>> nested_in(Stm&);
std::vector<Nested<const Lambda>> nested_in(const Stm&);

/// The parameters of a loop's body that are its state.
std::span<const Var> state_of(const Loop&);
/// Takes a component out of the state of a loop, and of the names that its statement binds.
void erase_state(Stm& loop, std::size_t component);

/// Whether the expression reads an element of an array at exactly these indices.
bool reads_at(Expr, std::span<const Var> indices);
/// Appends the conditions whose conjunction the condition is.
void add_conjuncts(Expr condition, std::vector<Expr>& to);

/// Calls visit(root) for every root of the body, of the functions inside it, and every result.
void for_each_root(const Lambda&, const std::function<void(Expr)>& visit);
void for_each_root(const Stm&, const std::function<void(Expr)>& visit);

/// Names mentioned in expressions.
void add_mentioned(std::span<const Expr> roots, Vars& names);
void add_mentioned(const Lambda&, Vars& names);
void add_mentioned(const Stm&, Vars& names);
/// Whether one of the names is mentioned.
bool mentions_any(std::span<const Expr> roots, const Vars& names);
bool mentions_any(const Stm&, const Vars& names);
/// Names bound: parameters and statements' names, at every depth.
void add_bound(const Lambda&, Vars& names);
void add_bound(const Stm&, Vars& names);

/// Whether the expression may be an extent: names, constants and arithmetic on integers that cannot fail.
bool is_extent(Expr);

/// Whether none of these expressions reads an element, divides by a value that may be 0, or fails.
bool is_total(const std::vector<Expr>& roots);

/// Whether evaluating it may raise an error: a site, a Check or a Call anywhere in it.
bool may_fail(const Stm&);
bool may_fail(const Lambda&);
/// Whether there is a Call in it.
bool calls_kernel(const Stm&);
bool calls_kernel(const Lambda&);
/// Whether it certainly ends: there is no while Loop in it.
bool surely_ends(const Stm&);

}  // namespace fulgurite::soac
