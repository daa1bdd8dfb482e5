// The networks by which the elements of a block meet are the same for arrays and for kernels: who exchanges
// one sees both change.
#include "parts/networks.h"

#include "../pipeline/engine_run.h"
#include "soac/parse.h"

#include <fulgurite/kernel.h>
#include <gtest/gtest.h>

#include <numeric>

namespace fulgurite::test {
namespace {

using parts::block_parts, parts::BlockParts;

constexpr std::int64_t n = 64;

std::vector<int> numbers_from_one() {
  std::vector<int> xs(n);
  std::iota(xs.begin(), xs.end(), 1);
  return xs;
}

/// The one result of a program of one array, compiled anew.
std::vector<int> of_array(const char* text) {
  const soac::Program program = soac::parse(text, "test.soac");
  const plan::Loaded loaded = pipeline::load_optimised(program, {.engine = Engine::emulator});
  const soac::Value given = soac::array_value(numbers_from_one());
  return soac::elements_of<int>(testing_pipeline::run_loaded(loaded, program, {&given, 1})[0]);
}
template <class F>
std::vector<int> of_kernel(F f) {
  const auto made = kernel::kernel("made", kernel::block<int>(n), f);
  return kernel::execute(emulator(1), made, numbers_from_one()).to_vector();
}

std::vector<int> array_sum() {
  return of_array(R"(program "sum" (x: i32[n]) {
    s: i32 = redomap (i < n) { return x[i] } reduce add comm neutral 0i32
    return s
  })");
}
std::vector<int> kernel_sum() {
  return of_kernel([](kernel::Pull<int> a) { return kernel::block_reduce(plus, a, true); });
}
std::vector<int> array_scan() {
  return of_array(R"(program "scan" (x: i32[n]) {
    y: i32[n] = map (i < n) {
      s: i32 = scan (x[i]) add comm neutral 0i32
      return s
    }
    return y
  })");
}
std::vector<int> kernel_scan() {
  return of_kernel([](kernel::Pull<int> a) { return kernel::block_scan(plus, a); });
}

class Networks : public testing::Test {
 protected:
  ~Networks() override { block_parts() = BlockParts(); }
};

void no_network(scalar::Arena&, const parts::Team&, std::int64_t, const parts::Meet&) {}

TEST_F(Networks, AReductionIsThatOfArraysAndKernels) {
  const std::vector<int> sum{n * (n + 1) / 2};
  EXPECT_EQ(array_sum(), sum);
  EXPECT_EQ(kernel_sum(), sum);
  block_parts().reduce = no_network;
  EXPECT_EQ(array_sum(), std::vector<int>{1 + 2 + 3 + 4});  // what the first thread has
  EXPECT_EQ(kernel_sum(), std::vector<int>{1});
}

TEST_F(Networks, AScanIsThatOfKernels) {
  std::vector<int> sums = numbers_from_one();
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  EXPECT_EQ(array_scan(), sums);
  EXPECT_EQ(kernel_scan(), sums);
  block_parts().scan = no_network;
  EXPECT_EQ(array_scan(), sums);
  EXPECT_EQ(kernel_scan(), numbers_from_one());
}

}  // namespace
}  // namespace fulgurite::test
