// Runs a plan on a device: no compiler stage, no lock, no hashing, no allocation except for arrays.
#pragma once

#include <fulgurite/error.h>
#include <fulgurite/executable.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plan/code.h"
#include "plan/plan.h"
#include "plan/raise.h"
#include "runtime/background_build.h"
#include "runtime/device.h"

namespace fulgurite::plan {

/// A plan with its kernels loaded, or compiling. Immutable: any number of threads may run it at once.
struct Loaded {
  Plan plan;
  Instructions instructions = {};  // of the plan's steps
  runtime::Device* device = nullptr;
  bool is_host = true, reads_host = false;  // as the device says of itself
  std::string identity = {};  // of the plan, on several ranks, which have to run one plan; else empty
  std::vector<std::shared_ptr<const runtime::Kernel>> kernels;  // of Plan::kernels, unless they are in
  std::unique_ptr<const runtime::BackgroundBuild> later;        // in this, which makes them meanwhile
  std::vector<SiteText> sites;                                  // Site s is sites[s - 1]
  bool is_bundled = false;                                      // an open bundle has it
};

/// The plan on a device that describes itself so. Its kernels are loaded afterwards.
Loaded without_kernels(Plan, runtime::Device&, const runtime::Description&);

/// The user's line that the kernel is of; no line if it is of none.
inline Where where_of(const Loaded& loaded, const KernelText& kernel) {
  return kernel.where == 0 ? Where() : loaded.sites.at(kernel.where - 1).where;
}

/// Arguments and results in the plan's order; the caller has checked their number, kinds and ranks. Throws
/// ShapeError, IndexError, ArithmeticError, OutOfMemory; nothing is leaked or half-written then.
void execute(const Loaded&, std::span<const detail::ArgumentView> arguments,
             std::span<detail::ResultValue> results);

}  // namespace fulgurite::plan
