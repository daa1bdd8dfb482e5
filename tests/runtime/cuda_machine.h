// A machine with CUDA devices, which a stand-in for the driver and NVRTC pretends to be
// (cuda_stand_in/machine.h), and kernels for it.
#pragma once

#include <dlfcn.h>
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "cuda_stand_in/machine.h"
#include "runtime/cuda/device.h"

namespace fulgurite::runtime::cuda {

using test::CudaMutant;
using test::CudaStandIn;

inline constexpr const char* library = FULGURITE_CUDA_STAND_IN;

// A kernel of one phase in blocks of 32 threads.
inline KernelSource source(const std::string& name, const std::string& parameters,
                           std::vector<std::int32_t> arguments, const std::string& body) {
  return {.name = name,
          .text = "extern \"C\" __global__ void __launch_bounds__(32) " + name + "_p0(" + parameters +
                  ") {\n" + body + "}\n",
          .arguments = std::move(arguments),
          .block_sizes = {32},
          .shared_bytes = {0}};
}

// y[i] = 2 x[i] of n elements, 1024 to a block.
inline const KernelSource twice = source(
    "twice", "const int* x, int* y, long long n", {0, 0, 8},
    "  const long long first = blockIdx.x * 1024ll;\n"
    "  for (long long i = first + threadIdx.x; i < n && i < first + 1024; i += 32) y[i] = 2 * x[i];\n");

// Fails as the scalars say, at site 0 not at all; at site -1 if its record was not zero.
inline KernelSource failing() {
  KernelSource result = source("failing", "long long site, long long element, long long* record", {8, 8},
                               "  if (threadIdx.x != 0 || site == 0) return;\n"
                               "  int& its_site = ((int*)record)[1];\n"
                               "  its_site = its_site == 0 ? (int)site : -1;\n"
                               "  record[1] = element, record[2] = -3, record[3] = 50;\n");
  result.can_fail = true;
  return result;
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
    const std::int64_t n_tasks = (n + 1023) / 1024;
    device().launch(*device().build(twice), {buffers, {&n, 1}, {&n_tasks, 1}, 80, 8});
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
    m.memory = std::size_t{64} << 20;
    m.registers = fresh.registers;
    m.seed = fresh.seed;
    m.mutant = fresh.mutant;
    m.dropped_statement.clear();
    m.dropped_number = 0;
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
