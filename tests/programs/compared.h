// The runs of a random program, each with what the interpreter gives, on an engine or on a device of a test's
// own, which notes what it finds wrong.
#pragma once

#include "campaign.h"

namespace fulgurite::programs {

/// What `found` tells after a run, or what differs from the interpreter; empty: nothing. `load` loads the
/// program for the arguments, unless what is loaded serves them.
template <class Load, class Found>
std::string compared(const soac::Program& program, const Runs& runs, Precision precision, Tally& tally,
                     const Load& load, const Found& found) {
  const soac::Program specification = pipeline::specification(program, precision);
  std::optional<plan::Loaded> loaded;
  for (const std::vector<soac::Value>& args : runs) {
    const Outcome expected = interpreted(specification, args);
    ++tally.runs;
    tally.failed += !expected.error.empty();
    if (expected.error == "OutOfMemory") continue;
    const Outcome got = outcome_of([&] {
      load(loaded, args);
      return testing_pipeline::results_of(*loaded, program, args);
    });
    tally.refused += is_refused(got);
    if (const std::string what = found(); !what.empty()) return what;
    if (const std::string what = difference(expected, got); !what.empty()) return what;
  }
  return "";
}

/// On a device that has `faults`.
template <class Device>
std::string on_device(Device& device, const soac::Program& program, const Runs& runs, const Options& options,
                      Tally& tally) {
  const auto load = [&](std::optional<plan::Loaded>& loaded, const auto&) {
    if (!loaded) loaded = pipeline::load(program, options, device.describe(), device);
  };
  return compared(program, runs, options.precision, tally, load,
                  [&] { return device.faults.empty() ? std::string() : device.faults.front(); });
}

}  // namespace fulgurite::programs
