// A pass over the kernel IR is a named value: its name is the dump label and the timing label, and what the
// checker names if the result breaks a rule. tidy/passes.h lists all passes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "kernel/check.h"
#include "kernel/ir.h"

namespace fulgurite::kernel {

/// What passes are told about the target and about the decisions that made the kernel.
struct PassOptions {
  /// Width of the target's vectors.
  int vector_bytes = 64;
  /// How many lanes transpose_runs transposes at a time: as many as a register has of the widest kind that
  /// the kernel computes with.
  std::int32_t transposed_lanes = 16;
  /// How many elements before they are read the cache is filled.
  std::int64_t ahead = 0;
  /// Threads of a block, if the user states their number.
  std::optional<std::int64_t> threads = {};
};

struct Pass {
  std::string_view name, description;
  Kernel (*run)(Kernel, const PassOptions&);
  /// The dialect of the result; absent: the dialect of the kernel that the pass is given.
  std::optional<Stage> result = {};
  /// A kernel computes the same without this pass, and every later pass accepts it. Bisection leaves out
  /// optional passes only.
  bool is_optional = false;
};

/// What a function makes of a body: it takes the arena, the body, and, if it wants them, the options.
template <auto f>
Block rewritten(scalar::Arena& arena, const Block& body, const PassOptions& options) {
  if constexpr (std::is_invocable_v<decltype(f), scalar::Arena&, const Block&, const PassOptions&>)
    return f(arena, body, options);
  else
    return f(arena, body);
}
/// How a pass runs that rewrites the body of a kernel, or that of each grid.
template <auto f>
Kernel on_body(Kernel kernel, const PassOptions& options) {
  kernel.body = rewritten<f>(*kernel.arena, kernel.body, options);
  return kernel;
}
template <auto f>
Kernel on_grids(Kernel kernel, const PassOptions& options) {
  for (Stm& phase : kernel.body)
    if (auto* grid = std::get_if<Par>(&phase.op))
      grid->body = rewritten<f>(*kernel.arena, grid->body, options);
  return kernel;
}

/// One application of an optional pass to one kernel.
struct Application {
  const Pass* pass;
  Kernel before, after;
};

struct PassContext {
  /// Applications of optional passes that are still allowed; absent: unlimited. Bisecting it finds the
  /// application that breaks a kernel.
  std::optional<std::int64_t> gas = {};
  /// The applications that took gas, in order; empty while gas is unlimited.
  std::vector<Application> log = {};
};

}  // namespace fulgurite::kernel
