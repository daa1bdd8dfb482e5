// The trace that is under way on this thread: the arena, a stack of scopes whose statements are being
// collected, and what is known of the names made so far. Staged values (detail::Value) come in and go out;
// what they say is checked here: that they are of this trace, and still in scope. An exception that a user's
// function throws leaves through Scope and Tracer, whose destructors put everything back.
#pragma once

#include <fulgurite/error.h>
#include <fulgurite/executable.h>
#include <fulgurite/staged.h>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "soac/extents.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::trace {

using detail::Here;
using detail::Value;
using detail::Values;
using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Site;
using scalar::Var;
using Exprs = std::vector<Expr>;
using SiteError = soac::SiteInfo::Error;

/// Makes branches and loops of scalars as they are met, instead of the trace, which keeps them as statements:
/// what a function does in them besides giving values (a kernel's stores and barriers) is in them, too.
class Control {
 public:
  virtual ~Control() = default;
  /// Whether it makes statements of the innermost scope.
  virtual bool is_making() const = 0;
  virtual Values cond(const Value& condition, const detail::Body& yes, const detail::Body& no,
                      const Here&) = 0;
  virtual Values while_loop(const detail::Body& condition, const detail::Body& body,
                            std::span<const Value> initial, const Here&) = 0;
  virtual Values iterate(const Value& trips, const detail::Body& body, std::span<const Value> initial,
                         const Here&) = 0;
};

/// Expressions with one site in place of all their sites: expressions that are equal but for where they fail
/// become one expression.
class OnePlace {
 public:
  explicit OnePlace(Arena& arena) : arena_(arena) {}
  Expr operator()(Expr);

 private:
  Expr placed(Expr);  // its operands are in memo_

  Arena& arena_;
  std::unordered_map<Expr, Expr> memo_;
};

/// How often a function that is traced runs: for each point of a combinator, or where its statement stands,
/// as branches and steps of loops do.
enum class Runs : std::uint8_t { each_point, in_place };

class Tracer {
 public:
  explicit Tracer(std::string name, const Here& where = {});
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// The innermost trace of this thread. Throws TraceError if there is none.
  static Tracer& current(const Here& where);
  /// Operators that have no place for a line, as !mask and mask && true, take that of what was traced before
  /// them.
  Here or_latest(const Here& where) const { return where.line() != 0 ? where : latest_; }

  Arena& arena() { return *program_.arena; }

  void set_control(Control* control) { control_ = control; }
  /// Who makes the branches and loops of the innermost scope; null: they are statements of the trace.
  Control* control() const { return control_ != nullptr && control_->is_making() ? control_ : nullptr; }

  /// Throws TraceError for a value of another trace, or of a scope that is closed.
  Expr expr(const Value&, const Here& where);
  Exprs exprs(std::span<const Value>, const Here& where);
  /// A scalar that becomes part of an extent, or that the host needs: the expression itself if that may be an
  /// extent (soac::is_extent), else a name that is bound to its value from here on, always the same for
  /// expressions that are equal (is_same).
  Expr settled(Expr, const Here& where);
  Expr settled(const Value& v, const Here& where) { return settled(expr(v, where), where); }
  Exprs settled(std::span<const Value>, const Here& where);
  /// The expression with what settled names were bound to in their place.
  Expr unsettled(Expr);
  /// Whether the expressions have one value wherever both have one: they may fail at different lines.
  bool is_same(Expr a, Expr b) {
    const Expr other = wherever_(unsettled(b));
    return wherever_(unsettled(a)) == other;
  }
  Value value(Expr);
  Values values(std::span<const Expr>);

  /// A parameter of the program: a scalar, or an array with extents of its own. `argument`: what the user
  /// calls it.
  Value parameter(scalar::Kind, int rank, unsigned argument);
  /// " (argument 2)" for an array that has the shape of a parameter, else nothing.
  std::string argument_text(Expr array) const;
  /// A parameter that comes after all others, of an array of the host; of one array always the same.
  Value capture(const detail::Capture&);
  const std::vector<detail::Capture>& captures() const { return captures_; }
  soac::Program finish(Exprs results);

  Expr fresh(scalar::Kind, std::string name);
  Expr fresh_array(scalar::Kind, Exprs shape, std::string name);
  /// A name that was made in the arena becomes one of the innermost scope.
  Expr adopt(Expr name);
  /// The statements of the innermost scope so far, which does not have them any more.
  std::vector<soac::Stm> take() {
    scopes_.back().n_looked_at = 0;
    return std::exchange(scopes_.back().body, {});
  }
  std::size_t depth() const { return scopes_.size(); }  // of scopes that are open
  /// Whether the innermost scope runs for each point of a combinator: these are what runs in parallel.
  bool is_in_points() const {
    return std::ranges::any_of(scopes_, [](const Open& scope) { return scope.runs == Runs::each_point; });
  }
  std::span<const Expr> shape(Expr array) const { return program_.arena->info(array.var()).shape; }
  /// The size is one of a loop's state, or of what branches give: of the value with this number, from 1.
  void number_size(Expr size, std::size_t number) { numbers_of_sizes_.emplace(size.var(), number); }
  /// " (while_loop at x.cpp:3 may change the size of state 1)": which statement of the innermost scope gives
  /// a size; else nothing.
  std::string giver_text(Expr size);
  /// Whether the expression's names are all bound outside the innermost scope.
  bool is_outer(Expr);
  /// Whether computing it may fail, or may not end: the expression itself, or what the innermost scope
  /// computes for it.
  bool may_fail(Expr);

  /// A statement of the innermost scope. `names` are fresh.
  void add(const Exprs& names, soac::Operation, std::string origin, const Here& where);
  /// A Soac with these outputs, whose operands `points` computes; it has no results of its own.
  void add(Exprs dims, soac::Lambda points, soac::Outputs, std::string origin, const Here& where);
  Site site(SiteError, std::string message, const Here& where);
  /// The site of a read at these indices.
  Site index_site(std::string message, std::span<const Expr> indices, const Here& where);
  /// Unless the condition is known to hold, a Check of it; throws ShapeError (or IndexError) if it is known
  /// not to. `message` quotes the operands.
  void check(Expr condition, std::string message, Exprs operands, const Here& where,
             SiteError error = SiteError::shape);

 private:
  friend class Scope;
  struct Open {
    std::uint32_t id;
    Runs runs;
    std::vector<soac::Stm> body;
    std::unordered_set<Expr> checked;
    std::unordered_map<Expr, Expr> settled;  // by what the names are bound to, unsettled, wherever it fails
    // Names whose computation may fail, among those that the first statements bind.
    soac::Vars fallible = {};
    std::size_t n_looked_at = 0;
  };
  struct Opened {
    std::string origin;
    Here where;
  };

  std::uint32_t scope_of(Expr);
  bool is_live(std::uint32_t scope) const;
  void open(std::string origin, const Here& where, Runs);
  void refuse_calls_for_elements(const std::vector<soac::Stm>&) const;
  std::vector<soac::Stm> close();
  Expr made(Expr name, std::uint32_t scope);
  Expr parameter_array(scalar::Kind, int rank, const std::string& name);

  soac::Program program_;
  std::uint64_t number_;
  Tracer* outer_;
  Control* control_ = nullptr;
  Here latest_;                              // the last line that was given, first that of the program
  std::vector<Open> scopes_;                 // innermost last
  std::vector<Opened> ever_opened_;          // indexed by scope id
  std::vector<std::uint32_t> scope_of_var_;  // indexed by Var
  // The innermost scope that an expression needs. Nothing goes through all of them, as their order is not
  // fixed.
  std::unordered_map<Expr, std::uint32_t> scope_of_;
  std::vector<std::pair<Exprs, unsigned>> arguments_;  // shapes of parameters and what the user calls them
  std::unordered_map<std::string, Site> sites_;
  std::vector<detail::Capture> captures_;
  std::vector<Value> captured_;
  soac::Extents is_extent_;
  std::unordered_map<Var, Expr> bound_to_;  // of settled names, unsettled
  std::unordered_map<Var, std::size_t> numbers_of_sizes_;
  scalar::Substitution unsettle_;
  OnePlace wherever_;
};

/// A function being traced: parameters first, then its statements are collected until close().
class Scope {
 public:
  Scope(Tracer& tracer, std::string origin, const Here& where, Runs = Runs::each_point);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  Expr parameter(scalar::Kind, std::string name);
  Expr parameter(scalar::Kind, Exprs shape, std::string name);
  const Exprs& parameters() const { return parameters_; }
  soac::Lambda close(Exprs results);

 private:
  Tracer& tracer_;
  Exprs parameters_;
  bool is_open_ = true;
};

inline scalar::Kind kind_of(detail::Kind kind) {
  return static_cast<scalar::Kind>(kind);
}

// What several files of this folder need.

/// An operation on scalars by its name in detail::apply.
Expr apply_scalars(Tracer&, std::string_view op, std::span<const Expr> operands, const Here& where);
std::vector<Var> vars_of(const Exprs& names);
/// One i64 parameter for each axis.
Exprs index_parameters(Scope&, std::size_t rank);
/// array[indices...] of an index that is in range.
Expr element(Tracer&, Expr array, std::span<const Expr> indices);
/// An array of that shape whose elements `f` computes from indices in range.
template <class F>
Expr tabulate(Tracer&, Exprs shape, const char* name, std::string origin, const Here& where, F&& f);
/// Arrays of that shape, made together: `f` computes an element of each.
template <class F>
Exprs tabulate_all(Tracer&, Exprs shape, const char* origin, const Here& where, F&& f);
/// The elements of several arrays at the same indices, which are in range.
Exprs elements(Tracer&, std::span<const Expr> arrays, std::span<const Expr> indices);
/// An axis as the user gives it: from 0, the outermost, or from -1, the innermost. Throws ShapeError if the
/// array does not have it.
std::size_t axis_of(Expr array, int axis, const char* what, const Here& where);
/// The extents of the space over which map runs, and what its function gets of an array at indices in it.
Exprs outer_extents(Tracer&, Expr array, const detail::Operand&, const Here& where);
Expr argument(Tracer&, Expr array, const detail::Operand&, std::span<const Expr> indices, const Here& where);
Values arguments(Tracer&, std::span<const detail::Operand>, std::span<const Expr> indices, const Here& where);
/// The product; 1 for none.
Expr product(Arena&, std::span<const Expr> extents);
/// The remainder that is not negative, of a positive modulus.
Expr modulo(Expr x, Expr modulus);
/// What f() returns, as a function without parameters.
template <class F>
soac::Lambda branch(Tracer&, const char* origin, const Here& where, F&& f);
/// then_branch() or else_branch(), by the condition; both give scalars of the same types.
template <class Then, class Else>
Exprs either(Tracer&, Expr condition, const char* origin, const Here& where, Then&& then_branch,
             Else&& else_branch);
/// The most elements of an array, more than an address space holds.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 47;
/// Sizes of new arrays: each from 0 on, no more elements in all than a machine could hold.
void check_sizes(Tracer&, const char* what, std::span<const Expr> extents, const Here& where);

/// What a message calls an operand: `parts` are the components of one array.
struct NamedOperand {
  std::string name;
  std::span<const Expr> parts;
};
/// Checks that all have the shape of the first in the given axes of each (all axes: the ranks are equal).
void check_equal_shapes(Tracer&, const std::string& what, std::span<const NamedOperand> operands,
                        const Here& where);

/// Checks that a vector is as long as an axis of an array.
void check_fits_axis(Tracer&, const char* what, Expr vector, Expr array, std::size_t axis, const Here& where);

template <class F>
soac::Lambda branch(Tracer& t, const char* origin, const Here& where, F&& f) {
  Scope scope(t, origin, where);
  Exprs results = f();
  return scope.close(std::move(results));
}

template <class Then, class Else>
Exprs either(Tracer& t, Expr condition, const char* origin, const Here& where, Then&& then_branch,
             Else&& else_branch) {
  soac::Lambda yes = branch(t, origin, where, then_branch), no = branch(t, origin, where, else_branch);
  Exprs names;
  for (Expr e : yes.results) names.push_back(t.fresh(e.kind(), origin));
  t.add(names, soac::If{condition, std::move(yes), std::move(no)}, origin, where);
  return names;
}

template <class F>
Exprs tabulate_all(Tracer& t, Exprs shape, const char* origin, const Here& where, F&& f) {
  Scope scope(t, origin, where);
  const Exprs indices = index_parameters(scope, shape.size());
  Exprs results = f(indices);
  Exprs names;
  soac::Lambda body = scope.close(std::move(results));
  for (Expr result : body.results) names.push_back(t.fresh_array(result.kind(), shape, origin));
  t.add(names, soac::Soac{std::move(shape), std::move(body), {}}, origin, where);
  return names;
}

template <class F>
Expr tabulate(Tracer& t, Exprs shape, const char* name, std::string origin, const Here& where, F&& f) {
  Scope scope(t, origin, where);
  const Exprs indices = index_parameters(scope, shape.size());
  const Expr result = f(indices);
  soac::Lambda body = scope.close({result});
  const Expr array = t.fresh_array(result.kind(), shape, name);
  t.add({array}, soac::Soac{std::move(shape), std::move(body), {}}, std::move(origin), where);
  return array;
}

}  // namespace fulgurite::trace
