// What a language of the C family spells its own way: the only thing in which printed kernels differ. A
// dialect is a table (c.cpp) and the prelude that stands in front of its kernels; the prelude gives all of
// them the same type names (f32, b1, i64x16) and functions.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kernel/ir.h"

namespace fulgurite::emit {

using scalar::Expr;
using scalar::Kind;
using scalar::Type;
using scalar::Var;

/// {0}, {1} ... are what the comment lists, in its order.
struct Dialect {
  std::string_view name;                                 // "c": on the command line, and of goldens
  std::string (*prelude)(std::string_view kernel_text);  // what this text needs in front of it

  // Types and literals, by scalar::Kind.
  std::array<std::string_view, scalar::n_kinds> types;     // also in the names of the prelude's functions
  std::array<std::string_view, scalar::n_kinds> suffixes;  // of literals, where these must have the kind's
                                                           // type
  std::array<std::string_view, 2> infinity;                // f32, f64
  std::string_view from_bits;  // a value from its bits: kind, expression of the unsigned kind
  bool wraps;                  // + - * and negation of signed integers wrap as they stand

  // A phase of a kernel.
  std::string_view phase;  // opens the function: kernel's name, phase's number, whether tasks are in order
  std::string_view contract, no_contract;  // the body's first line: multiplication and addition may be fused
                                           // or not
  std::string_view tasks, end_tasks;       // around the body of a task: name of the task's number
  std::string_view context;                // parameter of a phase through which it reports failures
  std::string_view at_once;                // tasks that run at the same time, about
  std::string_view buffer, scalar;         // arguments: number among the buffers, among the scalars (64 bits)

  // Memory.
  std::string_view pointer, constant_pointer;  // type of a buffer: element type
  std::string_view shuffle;                    // lanes {2} of the vectors {0} and {1} side by side
  std::string_view array;                      // memory of a task: element type, name, size
};

/// C for Clang, vectors explicit: the kernel ABI is that of prelude/cpu/context.c. Signed arithmetic wants
/// -fwrapv.
extern const Dialect c;

}  // namespace fulgurite::emit
