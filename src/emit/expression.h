// Expressions of vectorised kernels as C-family text: as few parentheses as C's precedences allow (but never
// a reader's doubt about & | ^ beside others), literals exact, + - * wrapping for integers, everything that
// is not an operator of C a function of the prelude.
//
// An operand whose lanes are all one scalar is printed as that scalar: C splats it where a vector meets it.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "emit/dialect.h"

namespace fulgurite::emit {

/// C's levels, from loosest to tightest.
enum class Precedence : std::uint8_t {
  conditional,
  bit_or,
  bit_xor,
  bit_and,
  equality,
  relation,
  shift,
  sum,
  product,
  unary,
  primary
};

struct Text {
  std::string text;
  Precedence precedence = Precedence::primary;
  bool is_scalar = true;    // stands for a vector of equal lanes where a vector is wanted
  bool is_literal = false;  // of no fixed type in C: int or what its size asks for
  bool is_run = false;      // lane l is lane 0 plus l
  // A sum that wraps is printed as (i64)(a + b): here is a + b, of the unsigned kind.
  std::string unsigned_text = {};
  Precedence unsigned_precedence = Precedence::primary;
};

/// "f32", "f32x16"
std::string spelling(const Dialect&, Type);
/// fg_<function>_<kind>_x<lanes>(args); in languages of threads without the lanes
std::string call(const Dialect&, std::string_view function, Kind, int lanes, const std::string& args);
/// A literal of exactly this value. `typed`: that has the kind's C type even where nothing converts it.
Text literal(const Dialect&, Kind, std::uint64_t bits, bool typed);

/// What is known of the operands of a node.
struct Known {
  /// Integers of the operation do not overflow.
  bool fits = false;
  /// The operand of a minimum or maximum of floats that is never NaN.
  std::optional<std::size_t> number = {};
};
/// The text of one node, given the text of its operands.
Text combine(const Dialect&, Expr node, std::span<const Text> operands, const Known& = {});
/// The text as an expression of the node's own type, where C would not splat by itself (masks), for
/// initialisers and arguments.
std::string as_value(const Dialect&, const Text&, Type);
/// In parentheses if its operator binds less tightly than `at_least`.
std::string inside(const Text&, Precedence at_least);

}  // namespace fulgurite::emit
