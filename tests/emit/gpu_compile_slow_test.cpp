// CUDA and OpenCL text compiles: the kernels of threads in tests/kernels, every operation of op.def on every
// kind that it allows, every atomic. CUDA by NVRTC where its library is found (no headers of CUDA's are
// needed), OpenCL as Clang checks it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>

#include "every_operation.h"
#include "gpu_text.h"
#include "nvrtc.h"

namespace fulgurite {
namespace {

using scalar::Kind;

/// The compilers that are here, looked for once for all tests.
class GpuText : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    nvrtc_ = std::make_unique<test::Nvrtc>();
    has_clang_ = std::system("clang-19 --version > /dev/null 2>&1") == 0;
  }
  static void TearDownTestSuite() { nvrtc_.reset(); }

  static void expect_compiles_as_cuda(const kernel::Kernel& kernel, const std::vector<std::string>& targets,
                                      bool is_large) {
    const std::string text = emit::print(kernel, emit::cuda);
    for (const std::string& target : targets) {
      const test::Nvrtc::Result result = (*nvrtc_)(text, target);
      ASSERT_TRUE(result.is_compiled) << target << "\n" << result.log << "\n" << text;
      EXPECT_TRUE(is_large || result.log.find("warning") == std::string::npos) << result.log << "\n" << text;
      const std::regex spills("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
      std::smatch match;
      ASSERT_TRUE(std::regex_search(result.log, match, spills)) << result.log;
      for (std::sregex_iterator m(result.log.begin(), result.log.end(), spills), end; m != end && !is_large;
           ++m)
        EXPECT_TRUE((*m)[1] == "0" && (*m)[2] == "0") << kernel.name << " for " << target << "\n"
                                                      << result.log;
    }
  }

  static void expect_checks_as_opencl(const kernel::Kernel& kernel) {
    const std::string text = emit::print(kernel, emit::opencl);
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("fulgurite_opencl_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::filesystem::path source = folder / "kernel.cl", log = folder / "log";
    std::ofstream(source) << text;
    const std::string command =
        "clang-19 -x cl -cl-std=CL1.2 -fsyntax-only -Werror -Xclang "
        "-finclude-default-header '" +
        source.string() + "' > '" + log.string() + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << test::read(log) << "\n" << text;
    std::filesystem::remove_all(folder);
  }

  static std::unique_ptr<test::Nvrtc> nvrtc_;
  static bool has_clang_;
};
std::unique_ptr<test::Nvrtc> GpuText::nvrtc_;
bool GpuText::has_clang_ = false;

const std::vector<Kind> all_kinds = {Kind::boolean, Kind::i8,  Kind::i16, Kind::i32, Kind::i64, Kind::u8,
                                     Kind::u16,     Kind::u32, Kind::u64, Kind::f32, Kind::f64};

TEST_F(GpuText, SlowCudaKernelsCompileAndDoNotSpill) {
  if (!nvrtc_->is_there()) GTEST_SKIP() << "there is no libnvrtc.so";
  for (const std::string& name : test::kernel_names(true))
    expect_compiles_as_cuda(test::read_kernel(name), {"sm_75", "sm_80", "sm_90"}, false);
}

TEST_F(GpuText, SlowCudaGetsMuchSharedMemoryAtLaunch) {
  if (!nvrtc_->is_there()) GTEST_SKIP() << "there is no libnvrtc.so";
  const auto kernel_of = [](const std::string& n) {
    return kernel::parse(
        "kernel much(out y: i32[])\npar grid task < 4 {\nalloc shared a: i32[" + n +
        "] at 0\npar block t < 32 {\nstore a[t] = 1i32\nload v: i32 = a[t]\nstore y[t] = v\n}\n}\n");
  };
  expect_compiles_as_cuda(kernel_of("12288"), {"sm_80"}, false);
  expect_compiles_as_cuda(kernel_of("12289"), {"sm_80"}, false);
  EXPECT_EQ(emit::print_phases(kernel_of("12288"), emit::cuda).find("extern __shared__"), std::string::npos);
  EXPECT_NE(emit::print_phases(kernel_of("12289"), emit::cuda).find("extern __shared__"), std::string::npos);
}

TEST_F(GpuText, SlowCudaOperationsOfEveryKindCompile) {
  if (!nvrtc_->is_there()) GTEST_SKIP() << "there is no libnvrtc.so";
  for (Kind kind : all_kinds) expect_compiles_as_cuda(test::every_operation(kind), {"sm_75"}, true);
}

TEST_F(GpuText, SlowCudaAtomicsAndShufflesOfEveryKindCompile) {
  if (!nvrtc_->is_there()) GTEST_SKIP() << "there is no libnvrtc.so";
  expect_compiles_as_cuda(test::every_atomic(all_kinds), {"sm_75", "sm_90"}, true);
  expect_compiles_as_cuda(test::every_shuffle(all_kinds), {"sm_75"}, true);
  expect_compiles_as_cuda(test::every_wide(all_kinds), {"sm_75"}, false);
}

TEST_F(GpuText, OpenclKernelsCheck) {
  if (!has_clang_) GTEST_SKIP() << "there is no clang-19";
  for (const std::string& name : test::kernel_names(true)) expect_checks_as_opencl(test::read_kernel(name));
}

TEST_F(GpuText, OpenclOperationsAndAtomicsOfEveryKindCheck) {
  if (!has_clang_) GTEST_SKIP() << "there is no clang-19";
  for (Kind kind : all_kinds) expect_checks_as_opencl(test::every_operation(kind));
  expect_checks_as_opencl(test::every_atomic(all_kinds));
  expect_checks_as_opencl(test::every_shuffle(all_kinds));
  expect_checks_as_opencl(test::every_wide(all_kinds));
}

}  // namespace
}  // namespace fulgurite
