// What a language of the C family spells its own way: the only thing in which printed kernels differ. A
// dialect is a table (c.cpp) and the prelude that stands before its kernels; the prelude gives all of
// them the same type names (f32, b1, i64x16) and functions.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
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
  std::string (*prelude)(std::string_view kernel_text);  // what this text needs before it

  // Types and literals, by scalar::Kind.
  std::array<std::string_view, scalar::n_kinds> types;  // also in the names of the prelude's functions
  // Suffixes of literals, where a literal must have the kind's type.
  std::array<std::string_view, scalar::n_kinds> suffixes;
  std::array<std::string_view, 2> infinity;  // f32, f64
  std::string_view from_bits;                // a value from its bits: kind, expression of the unsigned kind
  bool contracts = false;  // the compiler may fuse a product and a sum: products of floats are functions
  bool calls_in_conditions = true;  // compilers accept & and | of conditions that call functions
  bool wraps;                       // + - * and negation of signed integers wrap as they stand

  // Before a line, where debuggers are to know what it is of: number of the user's line, name of the file.
  std::string_view user_line = {};

  // A phase of a kernel.
  // Opens the function. Arguments: the kernel's name, the phase's number, whether tasks are in order; for
  // blocks of threads also how many threads, and the parameters.
  std::string_view phase;
  std::string_view tasks, end_tasks;  // around the body of a task: name of the task's number
  std::string_view context;           // parameter of a phase through which it reports failures
  std::string_view at_once;           // tasks that run at the same time, about
  std::string_view buffer, scalar;    // arguments: number among the buffers, among the scalars (64 bits)

  // Memory.
  std::string_view pointer, constant_pointer;  // type of a buffer: element type
  std::string_view shuffle;                    // lanes {2} of the vectors {0} and {1} side by side
  std::string_view array;                      // memory of a task: element type, name, size

  // Operators of C work on vectors, a scalar beside one is splat, v[l] is a lane, and `shuffle` takes any
  // lanes. Otherwise all of these are functions of the prelude: a vector may be several registers side by
  // side.
  bool has_vector_operators = true;

  // Blocks of threads: kernels before vectorise. A task is a block, arguments are parameters, tasks come in
  // any order; `tasks` says which one this block is.
  bool has_threads = false;      // and functions of the prelude carry no lanes in their names
  std::string_view thread = {};  // says which thread this is: name of its number
  // Around what a guard lets run: its name.
  std::string_view guard = "if ({0}[0] == 0) return;", end_guard = {};
  std::string_view shared = {};  // the bytes that a block shares: name, how many
  std::int64_t most_shared = std::numeric_limits<std::int64_t>::max();  // bytes that can be declared so
  std::string_view shared_at_launch = {};  // more than that, of a size that a launch gives: name
  std::string_view shared_array = {};   // an array among them: element type, name, name of the bytes, offset
  std::string_view shared_value = {};   // a value that a block shares: type, name
  std::string_view shared_suffix = {};  // ends names of functions whose first argument is shared memory
  std::string_view block_barrier = {}, warp_barrier = {};
  std::string_view fence = {};       // what stands before is seen before what stands after
  bool has_acquiring_loads = false;  // of i32 in global memory: load_acquire of the prelude
  std::string_view failure = {};     // the parameter for failures: name
  // Neighbouring elements of global memory by one access. By scalar::Kind, the vector type without its
  // number.
  std::array<std::string_view, scalar::n_kinds> wide_types = {};
  std::string_view wide = {};          // their type: element type, vector type, how many
  std::string_view wide_element = {};  // one of them: name of them all, its number
  bool has_shuffles = false;           // threads exchange values without memory
  // Names that the text above and that of fences need themselves.
  std::array<std::string_view, 3> builtins = {};
};

/// C for Clang, vectors explicit: the kernel ABI is that of prelude/cpu/context.c. Signed arithmetic wants
/// -fwrapv.
extern const Dialect c;

/// C11 for GCC 12 and later and Clang: for kernels that other programs compile with their own flags. What it
/// follows it depends on the processor: portable_prelude.h.
extern const Dialect portable_c;

/// CUDA C++ for NVRTC, without headers. Wants --fmad=false: which products are part of a sum
/// is in the text.
extern const Dialect cuda;

/// CUDA C++ for nvcc, whatever its flags: which products are part of a sum is in the text.
extern const Dialect cuda_in_a_file;

/// OpenCL C 1.2. Division and square root of f32 are correctly rounded with
/// -cl-fp32-correctly-rounded-divide-sqrt only.
extern const Dialect opencl;

}  // namespace fulgurite::emit
