// Bundles on devices: OpenCL C, and cubins on what stands in for a device of CUDA, without a compilation.
#include <dlfcn.h>
#include <fulgurite/bundle.h>
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "../runtime/cuda_stand_in/machine.h"
#include "../runtime/pocl.h"
#include "../runtime/temporary_directory.h"

namespace fulgurite {
namespace {

Exp<float> rmse(Vec<float> x, Vec<float> y) {
  auto d = x - y;
  return sqrt(sum(d * d) / cast<float>(x.size()));
}
Vec<int> sums_of_even(Vec<int> xs) {
  return scan(plus, 0, filter([](Exp<int> x) { return (x & 1) == 0; }, xs));
}
// Ends on the device.
Vec<float> relaxed(Vec<float> x) {
  return std::get<0>(while_loop([](Vec<float>, Exp<float> change) { return change > 0.2f; },
                                [](Vec<float> v, Exp<float>) {
                                  auto next = stencil([](auto w) { return 0.5f * (w(-1) + w(1)); },
                                                      boundary::clamp, v);
                                  return std::tuple{next, max(abs(next - v))};
                                },
                                x, 1.0f));
}
Vec<int> at(Vec<int> xs, Vec<int> places) {
  return map([&](Exp<int> i) { return xs[cast<i64>(i)]; }, places);
}

void expect_results(const Bundle& programs) {
  std::vector<float> x, y;
  std::vector<int> xs;
  for (int i = 0; i < 3000; ++i) {
    x.push_back(static_cast<float>(i * 37 % 101));
    y.push_back(static_cast<float>(i * 11 % 64));
    xs.push_back(i * 7919 % 1000 - 300);
  }
  // Whole numbers, of which no sum is rounded.
  EXPECT_EQ(programs.get<Exp<float>(Vec<float>, Vec<float>)>("rmse")(x, y), run(rmse, x, y));
  EXPECT_EQ(programs.get<Vec<int>(Vec<int>)>("sums_of_even")(xs).to_vector(),
            run(sums_of_even, xs).to_vector());
  const std::vector<float> short_one(x.begin(), x.begin() + 100);
  EXPECT_EQ(programs.get<Vec<float>(Vec<float>)>("relaxed")(short_one).to_vector(),
            run(relaxed, short_one).to_vector());
  const auto index = programs.get<Vec<int>(Vec<int>, Vec<int>)>("at");
  EXPECT_EQ(index(xs, std::vector<int>{2, 0}).to_vector(), (std::vector<int>{xs[2], xs[0]}));
  EXPECT_THROW((void)index(xs, std::vector<int>{2, 3000}).to_vector(), IndexError);
}

TEST(BundlesOnDevices, SlowOpenClComputesWhatTheLibraryDoes) {
  runtime::test::prepare_pocl();
  const runtime::test::TemporaryDirectory directory;
  const std::string file = (directory.path() / "programs.fgb").string();
  BundleOptions options;
  options.cpu_levels.clear();
  bundle({{"rmse", rmse}, {"sums_of_even", sums_of_even}, {"relaxed", relaxed}, {"at", at}}, file, options);
  Options on_device;
  on_device.engine = Engine::opencl;
  expect_results(open(file, on_device));
}

TEST(BundlesOnDevices, SlowCubinsRunWithoutCompiler) {
  Options on_device;
  on_device.engine = Engine::cuda;
  // From here on this process compiles with the stand-in, whose code the stand-in runs.
  EXPECT_EQ(compile([](Vec<int> xs) { return xs + 1; }, on_device)(std::vector<int>{1}).to_vector(),
            std::vector<int>{2});
  const runtime::test::TemporaryDirectory directory;
  const std::string file = (directory.path() / "programs.fgb").string();
  BundleOptions options;
  options.cpu_levels.clear();
  options.opencl = false;
  options.cuda_architectures = {"sm_90"};
  bundle({{"rmse", rmse}, {"sums_of_even", sums_of_even}, {"relaxed", relaxed}, {"at", at}}, file, options);

  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(driver, nullptr) << dlerror();
  const auto found = reinterpret_cast<runtime::test::CudaStandInFunction>(dlsym(driver, "cuda_stand_in"));
  ASSERT_NE(found, nullptr) << "this is a driver of a device";
  runtime::test::CudaStandIn& machine = *found();
  {
    const std::lock_guard lock(machine.mutex);
    machine.options.clear();
    machine.calls.clear();
  }
  expect_results(open(file, on_device));
  const std::lock_guard lock(machine.mutex);
  EXPECT_TRUE(machine.options.empty()) << "NVRTC compiled";
  EXPECT_FALSE(machine.calls.empty()) << "nothing ran on the device";
}

}  // namespace
}  // namespace fulgurite
