// What simplify, hoist, selection, fields, contract, few_folds, fma_sum, flattened, small_arrays,
// former_elements and largest_sizes make of the programs in this folder.
#include "simplify/simplify.h"

#include "pass_file.h"

namespace fulgurite {
namespace {

class SimplifyFile : public ::testing::TestWithParam<std::string> {};

TEST_P(SimplifyFile, Becomes) {
  testing::expect_pass_file(
      std::filesystem::path(FULGURITE_TEST_DATA) / (GetParam() + ".soac"),
      {&simplify::simplify, &simplify::hoist, &simplify::selection, &simplify::fields, &simplify::contract,
       &simplify::few_folds, &simplify::fma_sum, &simplify::flattened, &simplify::small_arrays,
       &simplify::former_elements, &simplify::largest_sizes});
}

INSTANTIATE_TEST_SUITE_P(Files, SimplifyFile, ::testing::ValuesIn(testing::pass_files(FULGURITE_TEST_DATA)),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace fulgurite
