// The boundary between the templates that users see and the tracer (src/trace/), which has all the logic:
// staged values without their C++ types, and the functions that record what is done with them. Nothing here
// is for users.
#pragma once

#include <fulgurite/abi.h>
#include <fulgurite/kind.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite::detail {

using Here = std::source_location;

/// A staged scalar (rank 0) or array: a node of the running trace, or a literal, which belongs to no trace.
struct Value {
  const void* node = nullptr;       // of the trace's expressions; null: a literal
  std::uint64_t bits_or_trace = 0;  // a literal's value; else the number of its trace
  Kind kind = Kind::i64;
  std::uint8_t rank = 0;
};
using Values = std::vector<Value>;

/// A user's function as the tracer calls it, once: flat arguments to flat results. Refers to `f`, which must
/// outlive it.
class Body {
 public:
  template <class F>
  explicit Body(const F& f)
      : object_(&f), call_([](const void* object, std::span<const Value> arguments) -> Values {
          return (*static_cast<const F*>(object))(arguments);
        }) {}
  Values operator()(std::span<const Value> arguments) const { return call_(object_, arguments); }

 private:
  const void* object_;
  Values (*call_)(const void*, std::span<const Value>);
};

/// An operand of map: the components of one array (of equal shapes), and what the function is given of it:
/// elements, innermost vectors, or all that has one index on an axis.
/// (`ragged`: the rows of a ragged array, whose offsets are the first of the parts.)
enum class Pass : std::uint8_t { elements, rows, slices, ragged };
struct Operand {
  std::span<const Value> parts;
  Pass pass = Pass::elements;
  int axis = 0;  // of slices
};

/// start <= index < stop, or start >= index > stop where stride is negative.
struct Bounds {
  Value start, stop, stride;
};

// Every function throws TraceError where a value is not of the running trace, or no longer in scope, and
// ShapeError where shapes known while tracing do not fit; other shapes are checked when the program runs.

/// Marks operators that would assign to a temporary: `x[0] = v` changes no array.
#define FULGURITE_ASSIGNS_TO_NOTHING                                                                      \
  FULGURITE_REFUSED(                                                                                      \
      "an element, slice or result of a staged array is a value of its own, and to assign to it changes " \
      "nothing: fg::with(array, index, value) is the array with another element, fg::with(array, "        \
      "fg::Range{start, stop}, values) with another slice")

/// What to say of an axis that an array of that rank does not have.
std::string no_such_axis(int axis, int rank);

[[noreturn, gnu::cold]] void inexact_literal(Kind kind, double value, Here where);

/// An operation by its name in src/scalar/op.def, or gt, ge, logical_and, logical_or (which spare their right
/// operand). Operands of rank > 0 have equal shapes; scalars among them are broadcast.
Value apply(const char* op, std::initializer_list<Value> operands, Here where);
Value cast(Value, Kind to, Here where);
Value bitcast(Value, Kind to, Here where);

// Every axis is as the user gives it: from 0, the outermost, or from -1, the innermost. Others are
// ShapeErrors.
Value extent(Value array, int axis, Here where);
Value size(Value array, Here where);  // the product of the extents
// An element; with fewer indices than axes, the part of the array that they select.
Value index(Value array, std::span<const Value> indices, Here where);

Values map(std::span<const Operand> operands, Body f, Here where);
Values generate(std::span<const Value> extents, Body f, const char* origin, Here where);
/// A vector that a function returns and whose length is its own: where its components stand among all
/// results.
struct RowOf {
  std::size_t first, components;
};
/// With the offsets and the values of a ragged array in place of each row.
Values map_to_rows(std::span<const Operand> operands, Body f, std::span<const RowOf> rows, Here where);
Values generate_rows(Value n, Body f, std::span<const RowOf> rows, const char* origin, Here where);
Value iota(Value n, Kind kind, Here where);
void require_equal_shapes(const char* what, std::span<const Operand> operands, Here where);
/// That the rows of a matrix are as long as an array's outermost axis.
void matches(const char* what, Value matrix, Value array, Here where);

Value slice(Value array, std::span<const Bounds> axes, Here where);
Value take(Value array, Value n, int axis, Here where);
Value drop(Value array, Value n, int axis, Here where);
Value reverse(Value array, int axis, Here where);
/// Axis k of the result is axis axes[k] of the array.
Value transpose(Value array, std::span<const int> axes, Here where);
/// The array n times along a new axis, which is `axis` of the result.
Value replicate(Value array, Value n, int axis, Here where);
Value reshape(Value array, std::span<const Value> extents, Here where);

/// How to fold arrays of equal shapes, the components of one array: all of it, or along one axis.
struct Fold {
  const char* origin;
  bool commutative = false;        // the caller says so; known operators are recognised
  std::span<const Value> neutral;  // empty: there is none, and nothing to fold is an error
  std::span<const Value> initial;  // empty, or combined once, leftmost; then nothing to fold gives it
  std::optional<int> axis = {};
};
Values reduce(const Fold& fold, Body op, std::span<const Value> parts, Here where);
/// `op` is one of add, mul, min, max, bit_and, bit_or.
Value reduce(const char* op, const char* origin, Value array, std::optional<int> axis, Here where);
Value arg_reduce(const char* order, const char* origin, Value array, int axis,
                 Here where);  // lt: argmin; gt: argmax
/// op is a function of two arrays, which gives their next one, from `neutral` on.
Values reduce(Body op, std::span<const Value> neutral, const Operand& slices, Here where);
Values scan(Body op, std::span<const Value> neutral, const Operand& slices, Here where);

/// How many components each of several staged values has; the components of one array share its shape.
using Widths = std::span<const std::size_t>;

// Branches and loop state may be arrays whose sizes the branch, or the iteration, decides. The first argument
// of iterate's body is the iteration's number.
Values cond(Value condition, Body then_branch, Body else_branch, Widths results, Here where);
Values while_loop(Body condition, Body body, std::span<const Value> initial, Widths state, Here where);
Values iterate(Value trips, Body body, std::span<const Value> initial, Widths state, Here where);

}  // namespace fulgurite::detail

#pragma GCC visibility pop
