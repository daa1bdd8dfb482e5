// Random programs on a device of a test's own, which notes what it finds wrong.
#pragma once

#include "campaign.h"

namespace fulgurite::programs {

/// What the device found, or what differs from the interpreter; empty: nothing. `Device` has `faults`.
template <class Device>
std::string on_device(Device& device, const soac::Program& program, const Runs& runs, const Options& options,
                      Tally& tally) {
  const soac::Program specification = pipeline::specification(program, options.precision);
  std::optional<plan::Loaded> loaded;
  for (const std::vector<soac::Value>& args : runs) {
    const Outcome expected = interpreted(specification, args);
    ++tally.runs;
    tally.failed += !expected.error.empty();
    if (expected.error == "OutOfMemory") continue;
    const Outcome got = outcome_of([&] {
      if (!loaded) loaded = pipeline::load(program, options, device.describe(), device);
      return testing_pipeline::results_of(*loaded, program, args);
    });
    tally.refused += is_refused(got);
    if (!device.faults.empty()) return device.faults.front();
    if (const std::string what = difference(expected, got); !what.empty()) return what;
  }
  return "";
}

}  // namespace fulgurite::programs
