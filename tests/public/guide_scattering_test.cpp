// The code of docs/guide/scattering.md, run.
#include "engines.h"

#include <limits>
#include <tuple>

namespace {

Exp<float> mean_of_positive(Vec<float> xs) {
  auto kept = fg::filter([](Exp<float> x) { return x > 0.0f; }, xs);
  return fg::sum(kept) / fg::cast<float>(kept.size());
}

std::tuple<Vec<int>, Vec<int>> by_sign(Vec<int> xs) {
  return fg::partition([](Exp<int> x) { return x < 0; }, xs);
}
Vec<int> sums_by_remainder(Vec<int> xs) {
  auto [grouped, offsets] = fg::partition(3, [](Exp<int> x) { return x % 3; }, xs);
  return fg::segmented_reduce(fg::plus, 0, fg::offsets(offsets), grouped);
}

Vec<float> shaded(Vec<float> palette, Vec<fg::u8> pixels) {
  return fg::gather(palette, pixels);
}
Vec<float> diagonal(Mat<float> m) {
  auto n = fg::min(m.size(0), m.size(1));
  return fg::backpermute(n, [](Exp<fg::i64> i) { return std::tuple{i, i}; }, m);
}

Vec<int> inverse(Vec<int> permutation) {
  auto n = permutation.size();
  return fg::scatter(fg::replicate(n, 0), permutation, fg::iota<int>(n));
}
Mat<float> dense(Vec<int> rows, Vec<int> columns, Vec<float> values, Exp<int> n) {
  return fg::scatter(fg::replicate({n, n}, 0.0f), std::tuple{rows, columns}, values);
}

Vec<int> ranks(Vec<float> xs) {  // argsort is an iota, sorted
  auto n = xs.size();
  return fg::scatter(fg::replicate(n, 0), fg::argsort(xs), fg::iota<int>(n));
}
Vec<int> inverse_of_known(Vec<int> permutation) {  // the caller's promise
  auto n = permutation.size();
  return fg::scatter(fg::replicate(n, 0), permutation, fg::iota<int>(n), fg::any_of_equal);
}

Vec<int> counts(Vec<int> bins, Exp<int> k) {
  return fg::histogram(fg::plus, 0, k, bins, fg::replicate(bins.size(), 1));
}
Vec<fg::i64> nearest(Vec<int> cluster, Vec<float> distance, Exp<int> k) {  // of each cluster, the first
                                                                           // nearest point
  using Candidate = std::tuple<float, fg::i64>;
  auto nearer = [](Exp<Candidate> a, Exp<Candidate> b) { return fg::select(b.get<0>() < a.get<0>(), b, a); };
  const Candidate nobody{std::numeric_limits<float>::infinity(), -1};
  auto [least, at] =
      fg::unzip(fg::histogram(nearer, nobody, k, cluster, fg::zip(distance, fg::iota(distance.size()))));
  return at;
}

Vec<float> polynomial_product(Vec<float> p, Vec<float> q) {
  auto products = fg::map([&](Exp<float> a) { return a * q; }, p);
  return fg::permute(
      fg::plus, fg::replicate(p.size() + q.size() - 1, 0.0f),
      [](Exp<fg::i64> i, Exp<fg::i64> j) { return i + j; }, products);
}
Vec<int> every_third(Vec<int> xs) {
  return fg::permute(
      fg::plus, fg::replicate((xs.size() + 2) / 3, 0),
      [](Exp<fg::i64> i) { return fg::select(i % 3 == 0, i / 3, fg::i64(-1)); }, xs);
}

Vec<int> fibonacci(Exp<int> n) {
  auto step = [](Exp<fg::i64> i, Vec<int> f) { return fg::with(f, i + 2, f[i] + f[i + 1]); };
  return fg::iterate(n - 2, step, fg::replicate(n, 1));
}
Mat<float> framed(Mat<float> m) {
  auto [rows, columns] = m.shape();
  auto bar = fg::replicate({1, columns}, 1.0f);
  return fg::with(fg::with(m, {fg::Range{0, 1}, fg::Range{0, columns}}, bar),
                  {fg::Range{rows - 1, rows}, fg::Range{0, columns}}, bar);
}

const std::vector<float> ramp{0, 1, 2, 3, 4, 5};

TEST(GuideScattering, FilterAndPartition) {
  EXPECT_EQ(fg::run(mean_of_positive, ramp), 3.0f);
  const auto [negative, others] = fg::run(by_sign, std::vector<int>{3, -1, 0, -5});
  EXPECT_EQ(negative.to_vector(), (std::vector<int>{-1, -5}));
  EXPECT_EQ(others.to_vector(), (std::vector<int>{3, 0}));
  EXPECT_EQ(fg::run(sums_by_remainder, std::vector<int>{1, 2, 3, 4, 5}).to_vector(),
            (std::vector<int>{3, 5, 7}));
}

TEST(GuideScattering, GatherAndBackpermute) {
  EXPECT_EQ(fg::run(shaded, ramp, std::vector<fg::u8>{5, 0, 5}).to_vector(), (std::vector<float>{5, 0, 5}));
  EXPECT_THROW(fg::run(shaded, ramp, std::vector<fg::u8>{6}), fg::IndexError);
  EXPECT_EQ(fg::run(diagonal, fg::view(ramp.data(), {2, 3})).to_vector(), (std::vector<float>{0, 4}));
}

TEST(GuideScattering, Scatter) {
  EXPECT_EQ(fg::run(inverse, std::vector<int>{2, 0, 1}).to_vector(), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(
      fg::run(dense, std::vector<int>{0, 1}, std::vector<int>{1, 0}, std::vector<float>{3, 4}, 2).to_vector(),
      (std::vector<float>{0, 3, 4, 0}));
  EXPECT_EQ(fg::run(ranks, std::vector<float>{5, 1, 3}).to_vector(), (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(fg::run(inverse_of_known, std::vector<int>{2, 0, 1}).to_vector(), (std::vector<int>{1, 2, 0}));
}

TEST(GuideScattering, HistogramAndPermute) {
  EXPECT_EQ(fg::run(counts, std::vector<int>{1, 0, 1, 7}, 3).to_vector(), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(fg::run(nearest, std::vector<int>{1, 0, 1, 1}, std::vector<float>{3, 9, 2, 2}, 3).to_vector(),
            (std::vector<fg::i64>{1, 2, -1}));
  EXPECT_EQ(fg::run(polynomial_product, std::vector<float>{1, 2}, std::vector<float>{3, 0, 1}).to_vector(),
            (std::vector<float>{3, 6, 1, 2}));
  EXPECT_EQ(fg::run(every_third, std::vector<int>{1, 2, 3, 4, 5, 6, 7}).to_vector(),
            (std::vector<int>{1, 4, 7}));
}

TEST(GuideScattering, Updates) {
  EXPECT_EQ(fg::run(fibonacci, 7).to_vector(), (std::vector<int>{1, 1, 2, 3, 5, 8, 13}));
  EXPECT_EQ(fg::run(framed, fg::view(ramp.data(), {3, 2})).to_vector(),
            (std::vector<float>{1, 1, 2, 3, 1, 1}));
}

}  // namespace
