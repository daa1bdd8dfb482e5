// The OpenCL text for devices whose work-groups may wait for each other, which PoCL is not: its compiler
// takes it as OpenCL C 3.0.
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include "../runtime/pocl.h"
#include "pipeline.h"
#include "runtime/opencl/catalogue.h"
#include "runtime/opencl/device.h"
#include "soac/parse.h"

namespace fulgurite {
namespace {

using namespace runtime;

TEST(OpenClText, OfScansThatLookBackIsCompiled) {
  test::prepare_pocl();
  std::vector<opencl::DeviceEntry> devices;
  try {
    devices = opencl::list_devices(opencl::api());
  } catch (const DeviceError& error) {
    GTEST_SKIP() << error.what();
  }
  DiskCache none({}, 0);
  opencl::DeviceEntry entry = devices.front();
  entry.groups_wait = true;
  opencl::OpenClDevice device(entry, none);
  EXPECT_TRUE(device.describe().blocks_wait);
  for (const std::string type : {"i32", "i64", "u8"}) {
    const soac::Program program =
        soac::parse(fmt::format("program sums(x: {0}[n]) {{ y: {0}[n] = map (i < n) {{ "
                                "s: {0} = scan (x[i]) add comm neutral 0{0} return s }} return y }}",
                                type));
    const pipeline::Report report = pipeline::compile(program, {.engine = Engine::opencl}, device.describe());
    ASSERT_EQ(report.lowered.plan.kernels.size(), 1U);
    const plan::KernelText& kernel = report.lowered.plan.kernels[0];
    EXPECT_NE(kernel.source.find("atomic_work_item_fence"), std::string::npos) << kernel.source;
    EXPECT_NE(device.build({kernel.name, kernel.source, kernel.n_phases, kernel.arguments, kernel.block_sizes,
                            kernel.can_fail, kernel.shared_bytes}),
              nullptr);
  }
}

}  // namespace
}  // namespace fulgurite
