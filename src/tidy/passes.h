// All passes over the kernel IR in the order in which they run, and which kernels take which of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/pass.h"

namespace fulgurite::tidy {

/// Where a kernel comes from, and what becomes of it. A route begins with a kernel of kernel::Stage::threads.
enum class Route : std::uint8_t {
  /// A user's kernel as the kernel language records it: equal code is joined, barriers that order nothing go.
  recorded,
  /// A user's kernel is given as many threads as a block may have.
  folded,
  /// A user's kernel is given its memory.
  placed,
  /// A user's kernel is contracted: this is what runs.
  contracted,
  /// A user's kernel is printed for a GPU, or for a CPU.
  user_on_gpu,
  user_on_cpu,
  /// A kernel made by lowering is printed for a GPU (lower::Schedule::blocks), or for a CPU (lanes).
  blocks,
  lanes,
};
inline constexpr Route routes[] = {Route::recorded,    Route::folded,      Route::placed, Route::contracted,
                                   Route::user_on_gpu, Route::user_on_cpu, Route::blocks, Route::lanes};

/// The passes of a route, in the order in which they run.
std::vector<const kernel::Pass*> passes(Route);

/// Runs the passes of a route. Each pass is timed, dumped under its own name if it changed the kernel, and
/// its result is checked.
kernel::Kernel run(Route, kernel::Kernel, const kernel::PassOptions&, kernel::PassContext&);
/// Runs them on a user's kernel, or on another one that bisection does not look at.
kernel::Kernel run(Route, kernel::Kernel, const kernel::PassOptions&);

/// Runs the given passes in the same way.
kernel::Kernel run(std::span<const kernel::Pass* const>, kernel::Kernel, const kernel::PassOptions&,
                   kernel::PassContext&);

}  // namespace fulgurite::tidy
