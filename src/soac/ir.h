// The array IR, in reading order: a purely functional program in A-normal form over second-order array
// combinators (SOACs).
//
// Arrays are structure-of-arrays: no tuples here, a tuple is several names. Every variable has a type and a
// symbolic shape (in the arena); equal shapes are equal expressions wherever that can be decided, and Check
// statements decide the rest before anything runs. Scalar computation is interned expressions
// (scalar/expr.h), in which `index(xs, i...)` reads an element of an array; statements bind names to
// everything that is not a scalar expression. Expressions are evaluated on demand: one that no taken path
// needs is not evaluated and cannot fail.
//
// One combinator covers map, generate, reduce and every fusion of them (redomap, section 3 of the redomap
// paper): Soac. Its inputs are index expressions in its body, so a consumer reads `xs[i]` whether xs is an
// array in memory (Manifest) or another Soac's result (Delayed); fusing is substituting the producer's body
// for that expression. After fuse, every array that an expression indexes is manifest.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "scalar/expr.h"

namespace fulgurite::soac {

using scalar::Arena;
using scalar::Expr;
using scalar::Kind;
using scalar::Site;
using scalar::Type;
using scalar::Var;

/// Where in the user's program something was written.
struct Location {
  std::string file;
  unsigned line = 0;
  friend bool operator==(const Location&, const Location&) = default;
};

struct Stm;

/// A function: parameters (scalars, or arrays for loop state), statements, results. A result is a scalar
/// expression, or the name of an array bound by the body or by an enclosing scope. Bodies may mention any
/// name of the enclosing scopes.
struct Lambda {
  std::vector<Var> params;
  std::vector<Stm> body;
  std::vector<Expr> results;
  bool operator==(const Lambda&) const;
};

/// k-ary operator with its neutral elements. `op` has 2k scalar parameters (left operand's components, then
/// right operand's) and k results. `neutral` empty: the reduction has none and its space must not be empty (a
/// Check precedes the Soac). `initial` (fold): any value, combined once, leftmost; empty otherwise.
struct Reduction {
  Lambda op;
  std::vector<Expr> neutral;
  std::vector<Expr> initial;
  bool commutative = false;
  bool operator==(const Reduction&) const = default;
};

/// The combinator. For every point of the iteration space dims (row-major, outermost first) `body` gets the
/// indices (one i64 param for each axis) and gives, in order, the operands of each reduction, then the
/// elements of each mapped result. Reductions fold over the whole space in row-major order. Names bound: the
/// reductions' results (scalars), then one array for each mapped result, of shape dims (element results) or
/// dims ++ shape of the result (array results: nested parallelism).
struct Soac {
  std::vector<Expr> dims;
  Lambda body;
  std::vector<Reduction> reductions;
  bool operator==(const Soac&) const = default;
};

/// Lazily one of two branches (no parameters); binds their results.
struct If {
  Expr condition;
  Lambda then_branch, else_branch;
  bool operator==(const If&) const = default;
};

/// State through a loop. `while` form: trips absent, `condition` (params: state; one boolean result) is
/// tested before each iteration. `for` form: `trips` present and condition empty; body's first parameter is
/// the i64 iteration number, then the state.
struct Loop {
  std::vector<Expr> initial;
  Expr trips;
  Lambda condition;
  Lambda body;
  bool operator==(const Loop&) const = default;
};

/// Binds nothing: raises the site's error unless the condition holds. `operands` are i64 values quoted by the
/// message.
struct Check {
  Expr condition;
  Site site = 0;
  std::vector<Expr> operands;
  bool operator==(const Check&) const = default;
};

using Operation = std::variant<Soac, If, Loop, Check>;

/// `origin` says what the user wrote ("map", "slice", "elementwise '-'"): explain and dumps show it; no pass
/// looks at it.
struct Stm {
  std::vector<Var> names;
  Operation op;
  Location where;
  std::string origin;
  bool operator==(const Stm&) const = default;
};

inline bool Lambda::operator==(const Lambda&) const = default;

/// What a failing operation says. The text may quote values as {0}, {1} ...: the operands of a Check; of an
/// index or a division {0} the index or dividend, {1} the extent (0 for a division), {2} the number of the
/// failing element of the outermost Soac, {3} {1} less one. `error` names the exception to raise.
struct SiteInfo {
  enum class Error : std::uint8_t { shape, index, arithmetic, argument };
  Error error = Error::index;
  Location where;
  std::string message;
  friend bool operator==(const SiteInfo&, const SiteInfo&) = default;
};

/// How the parameters and results of a program look to the caller is kept by the callable (compile.h); here
/// they are flat names. A parameter's shape consists of fresh i64 names, one for each axis, which are bound
/// by the argument's extents.
struct Program {
  std::string name;
  std::shared_ptr<Arena> arena;
  std::vector<Var> params;
  std::vector<Stm> body;
  std::vector<Expr> results;
  std::vector<SiteInfo> sites;  // Site s is sites[s - 1]
};

}  // namespace fulgurite::soac
