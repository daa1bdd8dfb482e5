// Reads the text of scalar/print.h. What is written is what is built: nothing is folded or reordered, so that
// printing gives the same text again. Two spellings are read but not printed: a > b (b < a) and, for
// integers, x - 3 (x + -3).
#pragma once

#include <functional>
#include <string_view>

#include "scalar/expr.h"
#include "scalar/lex.h"

namespace fulgurite::scalar {

/// The expression of a name, variable or shared part; absent: unknown, which is an error of the text.
using Lookup = std::function<Expr(std::string_view)>;

/// One expression at the lexer's position. Throws FormatError with the line.
Expr parse(Lexer&, Arena&, const Lookup&);
/// "f32"
Kind parse_kind(Lexer&);

}  // namespace fulgurite::scalar
