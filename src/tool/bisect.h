// Which rewrite made a program wrong, of the program or of a statement for its schedule, or which kernel pass
// made a kernel wrong. Passes spend gas, one unit
// for each rewrite that they could leave; with less gas the program is the same up to there. Between no gas
// (right) and enough gas (wrong) lies a unit that makes the difference; halving finds it in a logarithmic
// number of runs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/pass.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/interpret.h"
#include "soac/pass.h"
#include "tool/run.h"

namespace fulgurite::tool {

using Outcome = std::vector<soac::Value>;

/// The first difference between two outcomes, as a sentence; empty if there is none. Floats may differ by
/// `tolerance` times the greater magnitude (NaN equals NaN), all else not at all.
std::string difference(const Outcome& expected, const Outcome& got, double tolerance);

struct Culprit {
  std::int64_t gas = 0;  // the number of the rewrite; 0: wrong without any
  std::optional<soac::Event> rewrite;
  std::string difference;
  soac::Program before, after;  // with one unit less, and with it
};

/// Runs the program as the passes make it with this much gas. An exception counts as a wrong outcome.
using Runner = std::function<Outcome(const soac::Program& optimised)>;

/// Nothing if the outcome is right with gas enough.
std::optional<Culprit> bisect(const soac::Program& traced, std::span<const soac::Pass* const> passes,
                              const Outcome& expected, const Runner&, double tolerance);

/// The application of an optional kernel pass that makes a program wrong.
struct KernelCulprit {
  std::int64_t gas = 0;  // the number of the application; 0: wrong without any
  std::optional<kernel::Application> application;
  std::string difference;
};

/// Compiles the program's kernels with this context and runs them. An exception counts as a wrong outcome.
using KernelRunner = std::function<Outcome(kernel::PassContext&)>;

/// Nothing if the outcome is right with enough gas.
std::optional<KernelCulprit> bisect_kernels(const Outcome& expected, const KernelRunner&, double tolerance);

/// The application of an optional rewrite, of a statement for its schedule, that makes a program wrong.
struct RewriteCulprit {
  std::int64_t gas = 0;  // the number of the application; 0: wrong without any
  const schedule::Rewrite* rewrite = nullptr;
  std::string difference, before, after;  // the statement
};

/// Compiles the program with these rewrites and runs it. An exception counts as a wrong outcome.
using RewriteRunner = std::function<Outcome(const schedule::KeepsRewrite&)>;

/// Nothing if the outcome is right with enough gas. The arena is that of the program.
std::optional<RewriteCulprit> bisect_rewrites(scalar::Arena&, const Outcome& expected, const RewriteRunner&,
                                              double tolerance);

/// The command `bisect`: compares what the interpreter makes of the traced program with what it makes of the
/// optimised one, then with what the engine makes of that, and prints the rewrite, of the program or of a
/// statement for its schedule, or the application of a kernel pass that makes the difference. True if all
/// agree.
bool bisect(const detail::ToolProgram&, const std::vector<std::string>& arguments, const Options&,
            double tolerance);

}  // namespace fulgurite::tool
