// Kernels of random programs fit devices whose blocks have as little shared memory as OpenCL allows.
#include <gtest/gtest.h>

#include "campaign.h"

namespace fulgurite::programs {
namespace {

constexpr std::int32_t shared_memory = 32 << 10;

std::string on_a_small_device(const soac::Program& program, const Runs&, const Options& given, Tally& tally) {
  const runtime::Description device{.engine = "opencl",
                                    .name = "a small device",
                                    .n_cores = 4,
                                    .memory = std::size_t{1} << 30,
                                    .last_level_cache = std::size_t{1} << 20,
                                    .vector_bytes = 16,
                                    .is_host = false,
                                    .shared_memory = shared_memory};
  pipeline::Report report;
  const Outcome compiled = outcome_of([&] {
    report = pipeline::compile(program, {.engine = Engine::opencl, .precision = given.precision}, device);
    return std::vector<soac::Value>();
  });
  if (is_refused(compiled)) {
    ++tally.refused;
    return "";
  }
  if (!compiled.error.empty()) return "fails: " + compiled.message;
  count_constructs(program, tally.constructs);
  count_constructs(report.optimised, tally.constructs);
  for (const plan::KernelText& kernel : report.lowered.plan.kernels)
    for (const std::int32_t bytes : kernel.shared_bytes)
      if (bytes > shared_memory) return kernel.name + " shares " + std::to_string(bytes) + " bytes";
  return "";
}

TEST(RandomPrograms, SlowPropertyKernelsFitSmallDevices) {
  campaign(on_a_small_device, parameter("max_success", 300));
}

}  // namespace
}  // namespace fulgurite::programs
