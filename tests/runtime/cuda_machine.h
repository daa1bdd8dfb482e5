// A machine with CUDA devices, which a stand-in for the driver and NVRTC pretends to be (cuda_stand_in.h),
// and kernels for it.
#pragma once

#include <dlfcn.h>
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "cuda_stand_in.h"
#include "runtime/cuda/device.h"

namespace fulgurite::runtime::cuda {

using test::CudaStandIn;
using Launched = CudaStandIn::Launched;

inline constexpr const char* library = FULGURITE_CUDA_STAND_IN;

inline KernelSource source(const std::string& name, std::vector<std::int32_t> arguments) {
  return {.name = name,
          .text = " " + name + "_p0() {}",
          .arguments = std::move(arguments),
          .block_sizes = {32},
          .shared_bytes = {0}};
}

// y[i] = 2 x[i] of n elements, one to a block.
inline const KernelSource twice = source("twice", {0, 0, 8});
inline void run_twice(const Launched& l) {
  ASSERT_EQ(l.n_blocks, l.at<std::int64_t>(2));
  for (std::int64_t i = 0; i < l.n_blocks; ++i) l.array<int>(1)[i] = 2 * l.array<int>(0)[i];
}

// Fails as the scalars say, at site 0 not at all.
inline KernelSource failing() {
  KernelSource result = source("failing", {8, 8});
  result.can_fail = true;
  return result;
}
inline void run_failing(const Launched& l) {
  if (l.at<std::int64_t>(0) == 0) return;
  FailureCell& cell = *l.array<FailureCell>(2);
  ASSERT_EQ(cell.site, 0) << "records are zero";
  cell = {0, static_cast<std::int32_t>(l.at<std::int64_t>(0)), l.at<std::int64_t>(1), -3, 50};
}

template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}
#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    void* const handle = dlopen(library, RTLD_NOW);
    ASSERT_NE(handle, nullptr) << dlerror();
    machine_ = reinterpret_cast<test::CudaStandInFunction>(dlsym(handle, "cuda_stand_in"))();
    reset();
    machine().functions["twice_p0"] = {.body = run_twice, .n_arguments = 3};
    machine().functions["failing_p0"] = {.body = run_failing, .n_arguments = 3};
    driver_ = load_driver(library);
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(machine().n_objects, 0);
    EXPECT_EQ(machine().used, 0U);
    reset();
  }

  CudaStandIn& machine() { return *machine_; }
  Driver& driver() { return driver_; }
  const Nvrtc& nvrtc() { return *nvrtc_; }

  // Made by the first call, of a machine as it is then.
  CudaDevice& device() {
    if (device_ == nullptr) device_ = make(none_);
    return *device_;
  }
  std::unique_ptr<CudaDevice> make(DiskCache& disk) {
    nvrtc_ = std::make_unique<Nvrtc>(library);
    return std::make_unique<CudaDevice>(list_devices(driver_).front(), disk, driver_, *nvrtc_);
  }

  Memory upload(const std::vector<int>& values) {
    const Memory memory = device().allocate(values.size() * sizeof(int));
    device().upload(memory, values.data(), memory.bytes);
    return memory;
  }
  std::vector<int> download(Memory memory) {
    std::vector<int> values(memory.bytes / sizeof(int));
    device().download(values.data(), memory, memory.bytes);
    return values;
  }
  void launch_twice(Memory x, Memory y) {
    void* const buffers[] = {x.data, y.data};
    const auto n = static_cast<std::int64_t>(x.bytes / sizeof(int));
    device().launch(*device().build(twice), {buffers, {&n, 1}, {&n, 1}, 80, 8});
  }
  void launch_failing(std::int64_t site, std::int64_t element) {
    const std::int64_t scalars[] = {site, element}, n = 1;
    EXPECT_EQ(device().launch(*device().build(failing()), {{}, scalars, {&n, 1}}), std::nullopt);
  }
  // Numbers of calls that begin so.
  std::ptrdiff_t n_calls(std::string_view beginning) {
    return std::count_if(machine().calls.begin(), machine().calls.end(),
                         [&](const std::string& call) { return call.starts_with(beginning); });
  }

 private:
  void reset() {
    const CudaStandIn fresh;
    CudaStandIn& m = machine();
    m.devices = fresh.devices;
    m.driver_version = fresh.driver_version;
    m.nvrtc_version = fresh.nvrtc_version;
    m.capability = fresh.capability;
    m.capabilities = fresh.capabilities;
    m.memory = fresh.memory;
    m.functions.clear();
    m.statuses.clear();
    m.calls.clear();
    m.compilations_at_once = 1;
    m.most_compilations_at_once = 0;
  }

  CudaStandIn* machine_ = nullptr;
  Driver driver_{};
  std::unique_ptr<Nvrtc> nvrtc_;
  DiskCache none_{{}, 0};
  std::unique_ptr<CudaDevice> device_;
};

inline std::vector<int> numbers(std::size_t n, int first) {
  std::vector<int> xs(n);
  std::iota(xs.begin(), xs.end(), first);
  return xs;
}

}  // namespace fulgurite::runtime::cuda
