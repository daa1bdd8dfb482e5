// The code of docs/from_futhark.md, run.
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

// clang-format off
Exp<int> maximum_prefix_sum(Vec<int> xs) { return fg::max(fg::scan(fg::plus, xs)); }
Mat<float> product(Mat<float> a, Mat<float> b) {
  auto columns = fg::rows(fg::transpose(b));
  return fg::map([&](Vec<float> row) { return fg::map([&](Vec<float> column) { return fg::sum(row * column); }, columns); }, fg::rows(a));
}

std::tuple<Exp<float>, Exp<float>> sum_and_maximum(Vec<float> xs) {
  auto roots = fg::sqrt(xs);
  return {fg::sum(roots), fg::max(roots)};   // one kernel, one reading of xs
}

std::tuple<Exp<fg::i64>, Exp<float>> first_largest(Vec<float> xs) {
  auto better = [](Exp<std::tuple<fg::i64, float>> a, Exp<std::tuple<fg::i64, float>> b) {
    auto [i, x] = a;
    auto [j, y] = b;
    auto second = y > x || (y == x && j < i);
    return std::tuple{fg::select(second, j, i), fg::select(second, y, x)};
  };
  auto [index, value] = fg::reduce(better, fg::zip(fg::iota(xs.size()), xs));
  return {index, value};
}
Vec<float> column_sums(Mat<float> m) {
  return fg::reduce([](Vec<float> a, Vec<float> b) { return a + b; }, fg::replicate(m.size(1), 0.0f), fg::rows(m));
}

Vec<bool> primes_below(Exp<fg::i64> n) {
  auto candidates = fg::generate(n, [](Exp<fg::i64> i) { return i >= 2; });
  return fg::iterate(n, [&](Exp<fg::i64> i, Vec<bool> sieve) {
    return fg::cond(i >= 2 && i * i < n && sieve[i],
                    [&] {
                      auto count = (n - 1 - i * i) / i + 1;
                      return fg::with(sieve, fg::Range{i * i, n, i}, fg::replicate(count, false));
                    },
                    sieve);
  }, candidates);
}
// clang-format on

TEST(FromFuthark, NestsAndFusion) {
  EXPECT_EQ(fg::run(maximum_prefix_sum, std::vector<int>{1, -2, 4, -1}), 3);
  const float a[2][2] = {{1, 2}, {3, 4}}, b[2][2] = {{1, 0}, {1, 1}};
  EXPECT_EQ(fg::run(product, a, b).to_vector(), (std::vector<float>{3, 2, 7, 4}));
  EXPECT_EQ(fg::run(sum_and_maximum, std::vector<float>{1, 4, 9}), (std::tuple{6.0f, 3.0f}));
  EXPECT_NE(fg::explanation(fg::compile(sum_and_maximum)).find("1 kernel"), std::string::npos);
}

TEST(FromFuthark, OperatorsOfTuplesAndRows) {
  EXPECT_EQ(fg::run(first_largest, std::vector<float>{1, 7, 3, 7}), (std::tuple{fg::i64{1}, 7.0f}));
  const float m[3][2] = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(fg::run(column_sums, m).to_vector(), (std::vector<float>{9, 12}));
}

TEST(FromFuthark, UpdatesInPlace) {
  const fg::Array<bool> sieve = fg::run(primes_below, fg::i64{20});
  std::vector<int> primes;
  for (int i = 0; i < 20; ++i)
    if (sieve[i]) primes.push_back(i);
  EXPECT_EQ(primes, (std::vector<int>{2, 3, 5, 7, 11, 13, 17, 19}));
}

}  // namespace
