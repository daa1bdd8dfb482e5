// From the machine's libraries to a compiled kernel, on a stand-in for CUDA's driver and NVRTC
// (cuda_stand_in/machine.h).
#include <thread>

#include "cuda_machine.h"
#include "kernels.h"
#include "runtime/build_all.h"
#include "runtime/stats.h"
#include "temporary_directory.h"

namespace fulgurite::runtime::cuda {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

constexpr std::uint64_t plenty = std::uint64_t{64} << 20;

TEST_F(Cuda, MissingLibrariesAreNamed) {
  for (const std::string& text : {message([] { load_driver("libcuda_that_nobody_has.so.1"); }),
                                  message([] { Nvrtc("libnvrtc_that_nobody_has.so.12"); })}) {
    EXPECT_SAYS(text, "DeviceError");
    EXPECT_SAYS(text, "that_nobody_has.so.1");
    EXPECT_SAYS(text, "install");
  }
  EXPECT_SAYS(message([] { load_driver("libm.so.6"); }), "libm.so.6 lacks 'cuInit'");
  EXPECT_SAYS(message([] { Nvrtc("libm.so.6"); }), "libm.so.6 lacks 'nvrtcVersion'");
  const std::vector<std::string> of_12 = nvrtc_candidates(12040), of_13 = nvrtc_candidates(13000);
  EXPECT_EQ(of_12.front(), "libnvrtc.so.12");
  EXPECT_EQ(of_13.front(), "libnvrtc.so.13");
  EXPECT_EQ(of_12.back(), "libnvrtc.so");
}

TEST_F(Cuda, DevicesAreListedAndChosen) {
  const std::vector<DeviceEntry> devices = list_devices(driver());
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].name, "Stand-in GPU 1");
  EXPECT_EQ(devices[0].capability, 90);
  EXPECT_EQ(devices[0].driver_version, 12040);
  EXPECT_EQ(wanted_device(devices), 0);
  setenv("FULGURITE_CUDA_DEVICE", "other", 1);
  EXPECT_EQ(wanted_device(devices), 1);
  setenv("FULGURITE_CUDA_DEVICE", "2", 1);
  const std::string text = message([&] { wanted_device(devices); });
  unsetenv("FULGURITE_CUDA_DEVICE");
  EXPECT_SAYS(text, "FULGURITE_CUDA_DEVICE is '2'");
  EXPECT_SAYS(text, "1 (Other GPU 2)");
  EXPECT_EQ(&device_with(devices, 1), &devices[1]);
  EXPECT_SAYS(message([&] { device_with(devices, 2); }),
              "the engine cuda has no device 2: set Options::device");

  machine().statuses["cuInit"] = {700, 100};
  EXPECT_SAYS(message([&] { list_devices(driver()); }), "there is no CUDA device: ");
  EXPECT_SAYS(message([&] { list_devices(driver()); }), "an illegal memory access was encountered: install");
  machine().devices.clear();
  EXPECT_SAYS(message([&] { list_devices(driver()); }), "there is no CUDA device: ");
}

TEST_F(Cuda, CompilesForTheDeviceAndFindsThatAgain) {
  const TemporaryDirectory directory;
  DiskCache disk(directory.path(), plenty);
  auto one = make(disk);
  reset_stats();
  one->build(twice);
  EXPECT_EQ(machine().options,
            (std::vector<std::string>{"--gpu-architecture=sm_90", "--std=c++17", "--fmad=false"}));
  EXPECT_EQ(one->build(twice), one->build(twice));
  EXPECT_EQ(stats().compilations, 1U);
  one->forget_kernels();
  one->build(twice);
  EXPECT_EQ(stats().disk_hits, 1U);

  one->forget_kernels();
  for (const auto& file : fs::directory_iterator(directory.path())) fs::resize_file(file.path(), 60);
  one->build(twice);
  EXPECT_EQ(stats().compilations, 2U) << "a damaged entry is compiled again";
  one->forget_kernels();
  machine().statuses["cuModuleLoadData"] = {200};
  one->build(twice);
  EXPECT_EQ(stats().compilations, 3U) << "so is one that the driver does not take";

  // Another version of the compiler, and a device that it does not know: PTX for the latest that it knows.
  const auto expect_compiled = [&](int version, int capability, const std::string& target) {
    machine().nvrtc_version = version;
    machine().capability = capability;
    one.reset();
    one = make(disk);
    const auto before = stats().compilations;
    one->build(twice);
    EXPECT_EQ(stats().compilations, before + 1);
    EXPECT_EQ(machine().options[0], "--gpu-architecture=" + target);
    EXPECT_EQ(machine().calls.back(), "load stand-in code for " + target);
  };
  expect_compiled(12050, 90, "sm_90");
  expect_compiled(12050, 86, "compute_80");
  expect_compiled(12050, 120, "compute_90");
  machine().capability = 61;
  one.reset();
  one = make(disk);
  EXPECT_SAYS(message([&] { one->build(twice); }), "compute capability 6.1, and NVRTC 12.5 compiles for 7.5");
}

TEST_F(Cuda, OneBinaryIsLoadedIntoEachDeviceAndKernelsOutliveTheirs) {
  const TemporaryDirectory directory;
  DiskCache disk(directory.path(), plenty);
  auto one = make(disk);
  auto other = std::make_unique<CudaDevice>(list_devices(driver()).back(), disk, driver(), nvrtc());
  EXPECT_EQ(other->describe().name, "Other GPU 2");
  reset_stats();
  auto kernel = one->build(twice), same = other->build(twice);
  EXPECT_NE(kernel, same);
  EXPECT_EQ(stats().compilations, 1U);
  EXPECT_EQ(n_calls("load stand-in code for sm_90"), 2);

  // An array has a copy on each.
  const std::vector<int> x = numbers(64, 3);
  for (CudaDevice* device : {one.get(), other.get()}) {
    const Memory in = device->allocate(256), out = device->allocate(256);
    device->upload(in, x.data(), 256);
    void* const buffers[] = {in.data, out.data};
    const std::int64_t n = 64;
    device->launch(device == one.get() ? *kernel : *same, {buffers, {&n, 1}, {&n, 1}});
    std::vector<int> result(64);
    device->download(result.data(), out, 256);
    EXPECT_EQ(result[63], 2 * 66);
    device->release(in);
    device->release(out);
  }
  one.reset();
  EXPECT_GT(machine().n_objects, 0) << "its context, which the kernel keeps";
  kernel.reset();
  other.reset();
  same.reset();
  EXPECT_EQ(machine().n_objects, 0);
}

TEST_F(Cuda, KernelsOfAProgramCompileAtTheSameTime) {
  machine().compilations_at_once = 4;
  std::vector<KernelSource> sources;
  for (int i = 0; i < 4; ++i) {
    sources.push_back(twice);
    sources.back().text += std::string(static_cast<std::size_t>(i), ' ');
  }
  const auto kernels = build_all(device(), sources, 4);
  EXPECT_EQ(machine().most_compilations_at_once, 4);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(kernels[i], device().build(sources[i]));
  sources[1].text += "undeclared";
  sources[3].block_sizes = {1 << 20};
  EXPECT_SAYS(message([&] { build_all(device(), sources, 2); }), "undeclared") << "the first that failed";
}

TEST_F(Cuda, WhatIsRefusedSaysWhy) {
  KernelSource wrong = twice;
  wrong.text += "undeclared";
  for (int round = 0; round < 2; ++round) {
    const std::string text = message([&] { device().build(wrong); });
    EXPECT_SAYS(text, "NVRTC 12.4 refuses kernel 'twice' for sm_90 (NVRTC_ERROR_COMPILATION)");
    EXPECT_SAYS(text, "'undeclared'");
  }
  wrong = twice;
  wrong.n_phases = 2;
  wrong.block_sizes = {32, 32};
  wrong.shared_bytes = {};
  EXPECT_SAYS(message([&] { device().build(wrong); }), "lacks function 'twice_p1'");
  wrong = twice;
  wrong.block_sizes = {2048};
  EXPECT_SAYS(message([&] { device().build(wrong); }), "blocks of 2048 threads");
  wrong = twice;
  wrong.shared_bytes = {1 << 20};
  EXPECT_SAYS(message([&] { device().build(wrong); }),
              "share 1048576 bytes, and the CUDA device 'Stand-in GPU 1' has");
  machine().statuses["cuModuleLoadData"] = {700};
  EXPECT_SAYS(message([&] { device().build(twice); }),
              "the CUDA driver does not take the code of kernel 'twice'");
  EXPECT_NE(device().build(twice), nullptr);
}

TEST_F(Cuda, OccupancyIsThatOfTheCompiledKernel) {
  machine().registers = 64;
  KernelSource large = twice;
  large.text =
      "extern \"C\" __global__ void __launch_bounds__(256) twice_p0(const int* x, int* y, long long n) {\n"
      "  __shared__ __align__(16) unsigned char own[112];\n"
      "  extern __shared__ __align__(16) unsigned char shared[];\n"
      "}\n";
  large.block_sizes = {256};
  large.shared_bytes = {50000};
  const std::shared_ptr<const Kernel> built = device().build(large);
  // Each of three multiprocessors runs four.
  EXPECT_EQ(device().resident_blocks(*built, 256), 3 * 4);
  EXPECT_EQ(device().resident_blocks(*built, 64), 3 * 16);
  EXPECT_EQ(device().resident_blocks(*built, 2048), 1) << "some run at any rate";
  const std::vector<Occupancy> found = built->occupancy();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (Occupancy{.block_size = 256,
                                 .registers = 64,
                                 .thread_bytes = 0,
                                 .shared_bytes = 50112,
                                 .n_blocks = 4,
                                 .n_threads = 1024,
                                 .most_threads = 2048}));
}

}  // namespace
}  // namespace fulgurite::runtime::cuda
