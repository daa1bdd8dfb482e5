// A kernel on every engine: cpu, opencl and cuda where there is a device, and the emulator in several orders
// of threads, which proves it free of races.
#pragma once

#include <fulgurite/kernel.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "../runtime/pocl.h"

namespace fulgurite::test {

inline bool runs_kernels(kernel::Runner engine) {
  try {
    const auto probe = kernel::kernel("probe", kernel::block<int>(1), [](kernel::Pull<int> a) { return a; });
    kernel::execute(engine, probe, std::vector<int>{1});
    return true;
  } catch (const DeviceError&) {
    return false;
  }
}
/// PoCL would compile a kernel once more for each block size and each small number of blocks, as it does in
/// tests of other folders. Here it would take a sixth of the time.
inline bool has_opencl() {
  static const bool has = [] {
    runtime::test::prepare_pocl();
    setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 1);
    return runs_kernels(opencl());
  }();
  return has;
}
inline bool has_cuda() {
  static const bool has = runs_kernels(cuda());
  return has;
}

inline constexpr std::uint64_t n_seeds = 6;

/// 0, 7919, 15838 ... modulo `below`.
inline std::vector<int> numbers(std::int64_t n, std::size_t below = 10007) {
  std::vector<int> xs(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = static_cast<int>(i * 7919 % below);
  return xs;
}

/// Calls check with what each engine makes of the arguments.
template <class Check, class K, class... Arguments>
void on_every_engine(const Check& check, const K& kernel, const Arguments&... arguments) {
  {
    SCOPED_TRACE("cpu");
    check(kernel::execute(cpu(), kernel, arguments...));
  }
  if (has_opencl()) {
    SCOPED_TRACE("opencl");
    check(kernel::execute(opencl(), kernel, arguments...));
  }
  if (has_cuda()) {
    SCOPED_TRACE("cuda");
    check(kernel::execute(cuda(), kernel, arguments...));
  }
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    SCOPED_TRACE("emulator " + std::to_string(seed));
    check(kernel::execute(emulator(seed), kernel, arguments...));
  }
}
template <class T, class K, class... Arguments>
void expect_everywhere(const std::vector<T>& expected, const K& kernel, const Arguments&... arguments) {
  on_every_engine([&](const auto& result) { EXPECT_EQ(result.to_vector(), expected); }, kernel, arguments...);
}

}  // namespace fulgurite::test
