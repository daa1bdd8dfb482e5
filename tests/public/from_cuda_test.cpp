// The code of docs/from_cuda.md, run.
#include <fulgurite/fulgurite.h>
#include <fulgurite/kernel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

namespace {

namespace fg = fulgurite;
namespace k = fulgurite::kernel;
using fg::Exp, fg::Vec;

Vec<float> scaled_sum(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}

Exp<float> distance(Vec<float> x, Vec<float> y) {
  auto difference = x - y;
  return fg::sqrt(fg::sum(difference * difference));
}
std::tuple<Exp<float>, Exp<float>> range_of(Vec<float> x) {
  return {fg::min(x), fg::max(x)};
}

Vec<int> running_maximum(Vec<int> x) {
  return fg::scan(fg::max, x);
}
Vec<float> positive(Vec<float> x) {
  return fg::filter([](Exp<float> v) { return v > 0.0f; }, x);
}
Vec<int> counts(Vec<int> bins, Exp<int> k) {
  return fg::histogram(fg::plus, 0, k, bins, fg::replicate(bins.size(), 1));
}

auto block_sum = k::kernel("block_sum", k::block<int>(256), [](k::Pull<int> a) {
  while (a.size() > 1) {
    auto [low, high] = k::halve(a);
    a = k::sync(k::zip_with(fg::plus, low, high));
  }
  return a;
});
Exp<int> total(Vec<int> xs) {
  return fg::sum(k::call(block_sum, xs));
}

const std::vector<float> ramp{-1, 2, -3, 4};

TEST(FromCuda, ElementsAndFolds) {
  EXPECT_EQ(fg::run(scaled_sum, 2.0f, ramp, ramp).to_vector(), (std::vector<float>{-3, 6, -9, 12}));
  EXPECT_NEAR(fg::run(distance, ramp, std::vector<float>(4, 0)), std::sqrt(30.0), 1e-5);
  EXPECT_EQ(fg::run(range_of, ramp), (std::tuple{-3.0f, 4.0f}));
  EXPECT_NE(fg::explanation(fg::compile(range_of)).find("1 kernel"), std::string::npos);
}

TEST(FromCuda, ScansFiltersHistograms) {
  EXPECT_EQ(fg::run(running_maximum, std::vector<int>{1, 3, 2, 5}).to_vector(),
            (std::vector<int>{1, 3, 3, 5}));
  EXPECT_EQ(fg::run(positive, ramp).to_vector(), (std::vector<float>{2, 4}));
  EXPECT_EQ(fg::run(counts, std::vector<int>{0, 2, 2, 9}, 3).to_vector(), (std::vector<int>{1, 0, 2}));
}

TEST(FromCuda, Kernels) {
  std::vector<int> xs(1024);
  std::iota(xs.begin(), xs.end(), 0);
  EXPECT_EQ(fg::run(total, xs), 1023 * 512);
  EXPECT_NE(k::to_cuda(block_sum).find("__shared__"), std::string::npos);
}

}  // namespace
