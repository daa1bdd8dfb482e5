// The text of a few kernels (tests/kernels/NAME.kernel), to be read by people: tests/kernels/NAME.golden in
// C, those of threads in NAME.cuda.golden and NAME.opencl.golden. `./dev golden` rewrites it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "gpu_text.h"

namespace fulgurite {
namespace {

void expect_golden(const kernel::Kernel& kernel, const emit::Dialect& dialect, const std::string& file) {
  const std::filesystem::path golden = test::kernels_folder / file;
  const std::string text = emit::print_phases(kernel, dialect);
  if (std::getenv("FULGURITE_UPDATE_GOLDEN")) std::ofstream(golden) << text;
  EXPECT_EQ(text, test::read(golden)) << "if the new text is better: ./dev golden";
}

const auto name_of_test = [](const auto& instance) { return instance.param; };

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, TextOfKernel) {
  const kernel::Kernel k = test::read_kernel(GetParam());
  kernel::check(k, kernel::Stage::vectors, "parse");
  expect_golden(k, emit::c, GetParam() + ".golden");
}

INSTANTIATE_TEST_SUITE_P(Kernels, Golden, testing::ValuesIn(test::kernel_names(false)), name_of_test);

class GoldenOfThreads : public testing::TestWithParam<std::string> {};

TEST_P(GoldenOfThreads, TextOfKernel) {
  const kernel::Kernel k = test::read_kernel(GetParam());
  kernel::check(k, kernel::Stage::threads, "parse");
  for (const emit::Dialect* dialect : {&emit::cuda, &emit::opencl})
    expect_golden(k, *dialect, GetParam() + "." + std::string(dialect->name) + ".golden");
}

INSTANTIATE_TEST_SUITE_P(Kernels, GoldenOfThreads, testing::ValuesIn(test::kernel_names(true)), name_of_test);

}  // namespace
}  // namespace fulgurite
