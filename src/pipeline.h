// The spine: every stage from a traced program to a loaded plan, in order, in pipeline.cpp.
#pragma once

#include <fulgurite/options.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "kernel/pass.h"
#include "lower/lower.h"
#include "plan/execute.h"
#include "schedule/ir.h"
#include "schedule/policy.h"
#include "soac/pass.h"

namespace fulgurite::pipeline {

/// The array passes in the order in which they run; the name of each is its dump label.
std::span<const soac::Pass* const> passes(Precision);

/// Everything that compilation finds out, kept for explain and emit.
struct Report {
  soac::Program traced, optimised;
  std::vector<soac::Event> events;  // what the passes did
  lower::Lowered lowered;           // kernels vectorised; sources in lowered.plan.kernels
  schedule::Policy policy = {};     // the tuning numbers
};

/// Traced program to plan and kernel texts: optimise, lower, vectorise, print. No cache, no engine. For the
/// engine's device, or as for one that need not be here.
Report compile(const soac::Program& traced, const Options&);
Report compile(const soac::Program& traced, const Options&, const runtime::Description& device);

/// Compiles with the schedule of each launch edited after it has been decided; absent: it stays.
Report compile(const soac::Program& traced, const Options&, const runtime::Description& device,
               const lower::EditSchedule&);

/// Array passes only, with the checker after each. `gas`: see soac::PassContext.
soac::Program optimise(soac::Program, soac::PassContext&, Precision);

/// The traced program as the interpreter runs it, which says what all engines compute: contracted if that is
/// the precision, and nothing else done to it.
soac::Program specification(soac::Program traced, Precision);

/// The plan of a traced program with its kernels loaded: from an open bundle, from the program cache (in
/// memory, then on disk) or by compile().
plan::Loaded load(const soac::Program& traced, const Options&);

/// The plan of a traced program, compiled anew as for the machine that is described, with kernels of
/// `device`, which executes any plan for such a machine. For tests: of wide vectors on a processor with
/// narrower ones.
plan::Loaded load(const soac::Program& traced, const Options&, const runtime::Description& machine,
                  runtime::Device& device);

/// The plan of a program as some passes have left it, compiled anew. The context limits the kernel passes.
plan::Loaded load_optimised(const soac::Program& optimised, const Options&);
plan::Loaded load_optimised(const soac::Program& optimised, const Options&, kernel::PassContext&);
/// load_optimised() with only the optional rewrites of statements for schedules that are kept.
plan::Loaded load_rewritten(const soac::Program& optimised, const Options&, const schedule::KeepsRewrite&);
/// load_optimised() with the schedule of each launch edited.
plan::Loaded load_edited(const soac::Program& optimised, const Options&, const lower::EditSchedule&);

/// A loaded plan to be called.
std::shared_ptr<const detail::Executable> executable_of(plan::Loaded);

}  // namespace fulgurite::pipeline
