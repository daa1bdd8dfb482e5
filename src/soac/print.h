// Programs as text; soac/parse.h reads it back as exactly the same program.
//
//   program "dot" (x: f32[n], y: f32[m]) {
//     check n == m site 1 (n, m)
//     s: f32 = redomap (i < n) { x[i] * y[i] } reduce add comm neutral 0f @"dot.cpp":5 "sum"
//     return s
//   }
//   kernels {                                                 that are called, as kernel/print.h writes them
//     1 "kernel ..."
//   }
//   sites {
//     1 shape @"dot.cpp":5 "needs equal shapes: left is f32[{0}], right is f32[{1}]"
//   }
//
// Statements: NAMES = OPERATION [@"file":line] ["origin"], where NAMES are `name: type, ...` with an array's
// shape in its type.
//   let t = EXPRESSION                                        a shared part of expressions
//   map (i < n, j < m) BLOCK                                  Soac without reductions
//   redomap (i < n) BLOCK REDUCTION...                        Soac
//     REDUCTION: reduce OP [comm] [neutral e, ...] [initial e, ...]; OP is an operation's name or (a: f32, b:
//     f32) BLOCK
//   if CONDITION BLOCK else BLOCK
//   loop (initial, ...) times e do (k: i64, s: f32, ...) BLOCK
//   loop (initial, ...) while (s: f32, ...) BLOCK do (s: f32, ...) BLOCK
//   check CONDITION site s (operands, ...)                    binds no names
//   call 1 (arrays, ...) former (array, [], ...) scalars (e, ...) sites (s, ...)
// BLOCK: { STATEMENT... return e, ... } or { e, ... }. Expressions: scalar/print.h.
#pragma once

#include <string>

#include "scalar/print.h"
#include "soac/ir.h"

namespace fulgurite::soac {

struct PrintOptions {
  bool locations = true;  // also the name, origins and the table of sites
};
std::string print(const Program&, PrintOptions = {});

/// One statement, with the names that `names` gives, also for variables of enclosing scopes.
std::string print(Arena&, const Stm&, scalar::Names& names, PrintOptions = {});

/// The text whose digest names a program in caches: names renumbered in the order of the text, without the
/// program's name, locations, origins and sites. Two traces of one function give the same text.
std::string canonical(const Program&);

}  // namespace fulgurite::soac
