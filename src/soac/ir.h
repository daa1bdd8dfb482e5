// The array IR, in reading order: a purely functional program in A-normal form over second-order array
// combinators (SOACs).
//
// Arrays are structure-of-arrays: no tuples here, a tuple is several names. Every variable has a type and a
// symbolic shape (in the arena); equal shapes are equal expressions wherever that can be decided, and Check
// statements decide the rest before anything runs. Scalar computation is interned expressions
// (scalar/expr.h), in which `index(xs, i...)` reads an element of an array; statements bind names to
// everything that is not a scalar expression. Expressions are evaluated on demand: one that no taken path
// needs is not evaluated and cannot fail. An extent can be computed wherever its names are known, as often as
// it takes, with one result: it neither fails, nor reads an element, nor computes with floats. A size that
// does is bound by a Let, and the extent is that name.
//
// One combinator covers map, generate, reduce, scan, scatter, histogram, filter and every fusion of them
// (redomap, section 3 of the redomap paper): Soac. Its inputs are index expressions in its body, so a
// consumer reads `xs[i]` whether xs is an array in memory (Manifest) or another Soac's result (Delayed);
// fusing is substituting the producer's body for that expression. Its outputs are told apart by where their
// elements end up: reductions, scatters, partitions, and arrays of the points themselves.
//
// docs/semantics.md says what operations give: integers wrap, floats follow IEEE 754. An index outside
// of its array and an integer divisor of 0 raise the error of the expression's site; site 0 promises that
// neither happens, and the interpreter checks the promise. Points of a space are evaluated in any order; of
// several that fail in one statement the lowest is reported. Nothing is undefined but what docs/semantics.md
// leaves open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "kernel/ir.h"
#include "scalar/formula.h"

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

/// Which point's values stay where several points store to one place. last: the last one's. any: all values
/// of any one of them, as the user says. unordered: the order makes no difference, not even for each
/// component by itself, because no two points have a place in common, or all store the same values
/// (injective.h).
enum class OfEqual : std::uint8_t { last, any, unordered };

/// k arrays of one shape, given by their elements before (`initial`: one i64 param for each axis of `shape`;
/// k results) and by what the points store: each point gives a place, one index for each axis, and k values.
/// A point whose place is outside the arrays stores nothing. `combine` empty (scatter): where several points
/// have one place, the values of one of them stay, all k, as `of_equal` says. With one Reduction (histogram,
/// permute; its `initial` is not used): element = initial value op its values in the order of the points.
struct Scatter {
  std::vector<Expr> shape;
  Lambda initial;
  std::vector<Reduction> combine = {};
  OfEqual of_equal = OfEqual::last;
  /// The arrays begin as what the scatter before it makes of its own, which nothing else reads: both change
  /// one memory, and `initial` is what the other one's are before. Both store in any order, and no point
  /// stores with one of the two where another point stores with the other. So a point may replace several
  /// elements.
  bool goes_on = false;
  /// Whether the components of a point may be stored one by one, before or after the components of others.
  bool stores_in_any_order() const {
    return combine.empty() &&
           (of_equal == OfEqual::unordered || (of_equal == OfEqual::any && initial.results.size() == 1));
  }
  bool operator==(const Scatter&) const;
};

/// The points sorted by class, and within a class in their order (filter: one class). Each point gives its
/// class and `n_values` values; a class outside 0 .. classes - 1 drops the point. Binds the number
/// of points kept (i64), the places where classes begin (i64[classes + 1]; the last is the number kept), and
/// an array of that many elements for each value.
struct Partition {
  Expr classes;  // at least 1
  std::size_t n_values = 0;
  bool operator==(const Partition&) const = default;
};

/// The combinator. For every point of the iteration space dims (row-major, outermost first) `body` gets the
/// indices (one i64 param for each axis) and gives, in this order: the operands of each reduction; for each
/// scatter a place and its values; for each partition a class and its values; the elements of each mapped
/// result. Reductions fold over the whole space in row-major order. Names bound, in the same order: the
/// reductions' results (scalars); the scattered arrays; what each partition binds; one array for each mapped
/// result, of shape dims (element results) or dims ++ shape of the result (array results: nested
/// parallelism; but for axes_behind).
struct Soac {
  std::vector<Expr> dims;
  Lambda body;
  std::vector<Reduction> reductions = {};
  std::vector<Scatter> scatters = {};
  std::vector<Partition> partitions = {};
  /// The position in messages is the number of a point in the space of this many outer axes, where this was a
  /// map inside a map over them; 0: in the space of all axes.
  std::size_t outer_axes = 0;
  /// The axes of array results stand before this many of the last dims: with 1, element [i, j] of the result
  /// of a map over j is element i of the array of its point j.
  std::size_t axes_behind = 0;
  bool operator==(const Soac&) const = default;
};

/// Only as a statement of a Soac's own body: a running reduction over the points of that Soac, in row-major
/// order. Binds at each point the k components of x0 op ... op x, the values of its operands at the points so
/// far, `initial` (if there is one) to the left of them; with the point's own value (`inclusive`) or without
/// it, where the first point has `initial`, else the neutral element. Its operands may depend on Scans that
/// stand before it in the body; its operator, neutral elements and initial values depend on none of them.
/// With `segments`, an array of offsets that ascend from 0 to the number of points, its value at a point is
/// the number of the segment that the point lies in, between its offset and the next. Then it may have no
/// operands, where nothing but the offsets tells the value.
struct Scan {
  Reduction reduction;
  std::vector<Expr> operands;
  bool inclusive = true;
  Expr segments = {};  // absent: the operands tell the value
  bool operator==(const Scan&) const = default;
};

/// Arrays of rank 1 and one length in the order of keys: of each element (params: one of every array) `key`
/// gives an unsigned integer, by an expression that cannot fail. Elements with equal keys stay in their
/// order. With `segments`, an array of offsets that ascend from 0 to the number of elements, each segment is
/// sorted by itself: its elements stay between its offset and the next. Binds the arrays.
struct Sort {
  std::vector<Expr> arrays;
  Lambda key;
  Expr segments = {};  // absent: all elements are one segment
  bool operator==(const Sort&) const = default;
};

/// Lazily one of two branches (no parameters); binds their results. An array whose size depends on the branch
/// has extents that are results before it.
struct If {
  Expr condition;
  Lambda then_branch, else_branch;
  bool operator==(const If&) const = default;
};

/// State through a loop: scalars and arrays. An array whose size may change from iteration to iteration has
/// extents that are state themselves: parameters (and names bound) before it. `while` form: trips absent,
/// `condition` (params: state; one boolean result) is tested before each iteration. `for` form: `trips`
/// present and condition empty; body's first parameter is the i64 iteration number, then the state.
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

/// A launch of a kernel of the kernel language, outside of every Soac. Its parameters get, in order:
/// `arrays`, which it reads; the arrays that the statement binds (rank 1, of the shapes that they are
/// declared with); `scalars`, of which the last is the number of blocks. Result r begins as a copy of
/// `former[r]`, or, where that is absent, with nothing that may be read. The kernel's site s is sites[s - 1]
/// here.
struct Call {
  std::shared_ptr<const kernel::Kernel> kernel;  // kernel::Stage::threads
  std::vector<Expr> arrays, former, scalars;
  std::vector<Site> sites;
  bool operator==(const Call&) const = default;
};

/// Binds the value of a scalar expression, evaluated once, where the statement stands. Extents use such names
/// where an expression is not allowed (is_extent).
struct Let {
  Expr value;
  bool operator==(const Let&) const = default;
};

using Operation = std::variant<Soac, Scan, Sort, If, Loop, Check, Call, Let>;

/// `origin` says what the user wrote ("map", "slice", "elementwise '-'"): explain and dumps show it; no pass
/// looks at it.
struct Stm {
  std::vector<Var> names;
  Operation op;
  Location where;
  std::string origin;
  /// The number of the nest (schedule::Inner) of a Soac that is walked inside of another one; 0: no nest has
  /// been decided.
  std::uint32_t nest = 0;
  bool operator==(const Stm&) const;
};

/// The message of a failing operation. The text may quote values (base/quote.h): the operands of a Check; the
/// index and the extent; the dividend of a division, and 0; and the position, which is the number of the
/// failing point of the outermost Soac. `error` names the exception to raise; the message of `memory` is made
/// where memory is requested.
struct SiteInfo {
  enum class Error : std::uint8_t { shape, index, arithmetic, argument, memory };
  Error error = Error::index;
  Location where;
  std::string message;
  friend bool operator==(const SiteInfo&, const SiteInfo&) = default;
};

/// How the parameters and results of a program look to the caller is kept by the callable (compile.h); here
/// they are flat names. A parameter's shape has for each axis a fresh i64 name, which is bound by the
/// argument's extent, or a constant that the argument's extent is (simplify/specialise.h).
struct Program {
  std::string name;
  std::shared_ptr<Arena> arena;
  std::vector<Var> params;
  std::vector<Stm> body;
  std::vector<Expr> results;
  std::vector<SiteInfo> sites;  // Site s is sites[s - 1]
};

}  // namespace fulgurite::soac
