// NVRTC itself, where it is found: what it makes is an object for the device.
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <memory>

#include "runtime/cuda/nvrtc.h"

namespace fulgurite::runtime::cuda {
namespace {

std::unique_ptr<Nvrtc> find_nvrtc() {
  for (const std::string& candidate : nvrtc_candidates(13000)) try {
      return std::make_unique<Nvrtc>(candidate);
    } catch (const DeviceError&) {
    }
  return nullptr;
}

TEST(Nvrtc, MakesObjectsForDevices) {
  const auto nvrtc = find_nvrtc();
  if (nvrtc == nullptr) GTEST_SKIP() << "there is no libnvrtc.so";
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != text.npos; };
  KernelSource kernel{
      .name = "twice",
      .text = "extern \"C\" __global__ void twice_p0(int* x, int* y, long long n) { y[n] = 2 * x[n]; }",
      .arguments = {0, 0, 8},
      .block_sizes = {32},
      .shared_bytes = {0}};
  for (const int capability : {75, 80, 90}) {
    const std::string code = nvrtc->compile(kernel, capability);
    EXPECT_TRUE(code.starts_with("\177ELF"));
    EXPECT_TRUE(has(code, "twice_p0"));
  }
  EXPECT_TRUE(has(nvrtc->compile(kernel, 999), ".visible .entry twice_p0")) << "PTX for devices to come";

  const auto expect_says = [&](int capability, const char* part) {
    try {
      nvrtc->compile(kernel, capability);
      ADD_FAILURE() << "compiled: " << kernel.text;
    } catch (const Error& e) {
      EXPECT_TRUE(has(e.what(), part)) << e.what();
    }
  };
  expect_says(20, "compute capability 2.0");
  kernel.text += "undeclared";
  expect_says(90, "error: ");
}

}  // namespace
}  // namespace fulgurite::runtime::cuda
