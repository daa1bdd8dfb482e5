#include "tidy/passes.h"

#include <string>

#include "base/dump.h"
#include "kernel/contract.h"
#include "kernel/print.h"
#include "tidy/barriers.h"
#include "tidy/dead.h"
#include "tidy/exchanges.h"
#include "tidy/fold_blocks.h"
#include "tidy/forward.h"
#include "tidy/global_arrays.h"
#include "tidy/kept_runs.h"
#include "tidy/permutes.h"
#include "tidy/rows.h"
#include "tidy/shared_layout.h"
#include "tidy/strips.h"
#include "tidy/thread_forms.h"
#include "tidy/transpose.h"
#include "tidy/turns.h"
#include "tidy/vectorise.h"
#include "tidy/windows.h"

namespace fulgurite::tidy {
namespace {

using kernel::Kernel, kernel::Pass, kernel::PassContext, kernel::PassOptions, kernel::Stage;

// A set of routes, one bit each.
constexpr unsigned on(auto... routes) {
  return ((1u << static_cast<unsigned>(routes)) | ...);
}

struct Step {
  const Pass* pass;
  unsigned routes;
};

constexpr Step steps[] = {
    {&without_split_warps, on(Route::recorded)},
    {&take_turns, on(Route::recorded)},
    {&thread_forms, on(Route::recorded)},
    {&lay_out, on(Route::recorded)},
    {&barriers, on(Route::recorded)},
    // Statements that barriers has joined share more.
    {&thread_forms, on(Route::recorded)},
    {&forward, on(Route::recorded)},
    {&remove_dead, on(Route::recorded)},

    {&fold_blocks, on(Route::folded)},
    {&place_global, on(Route::placed)},

    {&kernel::contract, on(Route::contracted)},
    {&remove_dead, on(Route::contracted)},

    {&remove_dead, on(Route::blocks)},
    {&lay_out, on(Route::blocks)},

    {&exchanges, on(Route::user_on_cpu)},
    {&strips, on(Route::user_on_cpu)},
    {&vectorise, on(Route::user_on_cpu, Route::lanes)},
    {&permutes, on(Route::user_on_cpu, Route::lanes)},
    {&remove_dead, on(Route::user_on_cpu, Route::lanes)},
    {&transpose_runs, on(Route::lanes)},
    {&transpose_rows, on(Route::lanes)},
    {&keep_runs, on(Route::lanes)},
    {&share_windows, on(Route::user_on_cpu, Route::lanes)},
};

Kernel applied(const Pass& pass, Kernel kernel, const PassOptions& options, Stage stage) {
  const base::Timed timed(pass.name);
  const bool is_wanted = base::dumps(pass.name);
  const std::string before = is_wanted ? kernel::print(kernel) : std::string();
  kernel = pass.run(std::move(kernel), options);
  kernel::check(kernel, stage, pass.name);
  if (is_wanted) base::dump_change(pass.name, before, kernel::print(kernel));
  return kernel;
}

}  // namespace

std::vector<const Pass*> passes(Route route) {
  std::vector<const Pass*> taken;
  for (const Step& step : steps)
    if ((step.routes & on(route)) != 0) taken.push_back(step.pass);
  return taken;
}

Kernel run(std::span<const Pass* const> passes, Kernel kernel, const PassOptions& options,
           PassContext& context) {
  Stage stage = Stage::threads;
  for (const Pass* pass : passes) {
    stage = pass->result.value_or(stage);
    if (!pass->is_optional || !context.gas) {
      kernel = applied(*pass, std::move(kernel), options, stage);
      continue;
    }
    if (*context.gas <= 0) continue;
    --*context.gas;
    Kernel after = applied(*pass, kernel, options, stage);
    context.log.push_back({pass, std::move(kernel), after});
    kernel = std::move(after);
  }
  return kernel;
}

Kernel run(Route route, Kernel kernel, const PassOptions& options, PassContext& context) {
  return run(passes(route), std::move(kernel), options, context);
}

Kernel run(Route route, Kernel kernel, const PassOptions& options) {
  PassContext unlimited;
  return run(route, std::move(kernel), options, unlimited);
}

}  // namespace fulgurite::tidy
