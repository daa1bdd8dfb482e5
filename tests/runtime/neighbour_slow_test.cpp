// Programs that bring an LLVM of their own: PoCL, through the OpenCL library, loaded before and after our
// compiler. Each order in a process of its own.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels.h"
#include "pocl.h"
#include "runtime/cpu/device.h"

namespace fulgurite::runtime {
namespace {

// As much of OpenCL 1.2 as makes PoCL compile a kernel. 0: done; negative: there is no OpenCL here; positive:
// what failed.
int compile_with_opencl() {
  using Handle = void*;
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return -1;
  const auto platforms =
      reinterpret_cast<int (*)(unsigned, Handle*, unsigned*)>(dlsym(library, "clGetPlatformIDs"));
  const auto devices = reinterpret_cast<int (*)(Handle, std::uint64_t, unsigned, Handle*, unsigned*)>(
      dlsym(library, "clGetDeviceIDs"));
  const auto context =
      reinterpret_cast<Handle (*)(const std::intptr_t*, unsigned, const Handle*, void*, void*, int*)>(
          dlsym(library, "clCreateContext"));
  const auto program = reinterpret_cast<Handle (*)(Handle, unsigned, const char**, const std::size_t*, int*)>(
      dlsym(library, "clCreateProgramWithSource"));
  const auto build = reinterpret_cast<int (*)(Handle, unsigned, const Handle*, const char*, void*, void*)>(
      dlsym(library, "clBuildProgram"));
  Handle platform = nullptr, device = nullptr;
  unsigned n = 0;
  if (platforms(1, &platform, &n) != 0 || n == 0) return -2;
  if (devices(platform, 0xffffffff, 1, &device, &n) != 0 || n == 0) return -3;
  int error = 0;
  const Handle c = context(nullptr, 1, &device, nullptr, nullptr, &error);
  if (error != 0) return 1;
  const char* text = "kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }";
  const Handle p = program(c, 1, &text, nullptr, &error);
  if (error != 0) return 2;
  return build(p, 1, &device, "", nullptr, nullptr) == 0 ? 0 : 3;
}

bool compile_and_run_ours() {
  DiskCache none({}, 0);
  cpu::CpuDevice device("native", none);
  const auto kernel = device.build(test::sum());
  std::vector<std::int64_t> x(5000, 3), partial(5);
  std::int64_t result = 0;
  void* buffers[] = {x.data(), partial.data(), &result};
  const std::int64_t n = 5000, tasks[] = {5, 1};
  return !device.launch(*kernel, {buffers, {&n, 1}, tasks}) && result == 15000;
}

[[noreturn]] void try_orders(bool opencl_first) {
  test::prepare_pocl();
  if (!opencl_first && !compile_and_run_ours()) std::exit(20);
  const int opencl = compile_with_opencl();
  if (opencl != 0) std::exit(opencl > 0 ? 21 : 30);
  if (!compile_and_run_ours()) std::exit(22);
  const int again = compile_with_opencl();
  std::exit(again == 0 ? 0 : 23);
}

bool finished_or_absent(int status) {
  return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 30);
}

class Neighbour : public testing::TestWithParam<bool> {};

TEST_P(Neighbour, SlowOpenClBesideOurCompiler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(try_orders(GetParam()), finished_or_absent, "");
}

INSTANTIATE_TEST_SUITE_P(Orders, Neighbour, testing::Bool(),
                         [](const auto& order) { return order.param ? "OpenClFirst" : "OursFirst"; });

}  // namespace
}  // namespace fulgurite::runtime
