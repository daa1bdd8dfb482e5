// The code of docs/guide/nesting.md, run.
#include "engines.h"

#include <cmath>
#include <limits>

namespace {

// Functions of rows, columns and slices.
Mat<float> softmax(Mat<float> m) {
  return fg::map(
      [](Vec<float> row) {
        auto powers = fg::exp(row - fg::max(row));
        return powers / fg::sum(powers);
      },
      fg::rows(m));
}
std::tuple<Vec<float>, Vec<float>> ranges(Mat<float> m) {
  return fg::unzip(fg::map([](Vec<float> column) { return std::tuple{fg::min(column), fg::max(column)}; },
                           fg::columns(m)));
}
Vec<float> traces(fg::Acc<float, 3> matrices) {
  return fg::map(
      [](Mat<float> m) { return fg::sum(fg::generate(m.size(0), [&](Exp<fg::i64> i) { return m(i, i); })); },
      fg::slices(matrices));
}

// Everything against everything.
Vec<double> potentials(Vec<double> places) {
  return fg::map(
      [&](Exp<double> p) {
        return fg::sum(fg::map([&](Exp<double> q) { return 1.0 / (1.0 + fg::abs(p - q)); }, places));
      },
      places);
}

// Sizes that depend on the element.
Vec<float> trimmed_means(Mat<float> samples, Vec<fg::i64> wanted) {
  return fg::map(
      [](Vec<float> row, Exp<fg::i64> n) { return fg::mean(fg::drop(fg::take(fg::sort(row), n), n / 4)); },
      fg::rows(samples), wanted);
}
Vec<int> survivors(Mat<int> hands) {
  return fg::map(
      [](Vec<int> hand) {
        auto left = fg::while_loop(
            [](Vec<int> v) { return v.size() > 1; },
            [](Vec<int> v) { return fg::filter([&](Exp<int> card) { return card > v[0]; }, v); }, hand);
        return fg::sum(left);
      },
      fg::rows(hands));
}

// Folds of arrays.
Vec<float> envelope(Mat<float> curves) {
  auto lowest = fg::replicate(curves.size(1), -std::numeric_limits<float>::infinity());
  return fg::reduce([](Vec<float> a, Vec<float> b) { return fg::max(a, b); }, lowest, fg::rows(curves));
}
Mat<float> composed(fg::Acc<float, 3> matrices) {
  auto identity = fg::generate({matrices.size(1), matrices.size(1)},
                               [](Exp<fg::i64> i, Exp<fg::i64> j) { return fg::cast<float>(i == j); });
  return fg::reduce([](Mat<float> a, Mat<float> b) { return fg::matmul(a, b); }, identity,
                    fg::slices(matrices));
}
Mat<float> accumulated(Mat<float> payments) {
  auto nothing = fg::replicate(payments.size(1), 0.0f);
  return fg::scan([](Vec<float> a, Vec<float> b) { return a + b; }, nothing, fg::rows(payments));
}

// The numeric library.
Vec<float> gradient(Mat<float> a, Vec<float> x, Vec<float> b) {
  return fg::matvec(fg::transpose(a), fg::matvec(a, x) - b);
}
Mat<float> covariance(Mat<float> samples) {
  auto means = fg::mean(samples, fg::axis(0));
  auto centred = fg::map([&](Vec<float> row) { return row - means; }, fg::rows(samples));
  return fg::matmul(fg::transpose(centred), centred) / fg::cast<float>(samples.size(0));
}
Vec<fg::i64> nearest(Mat<float> distances) {
  return fg::argmin(distances, fg::axis(1));
}

using Floats = std::vector<float>;

TEST(GuideNesting, RowsColumnsSlices) {
  const Floats m{0, 0, 1, 2, 3, 5};
  const auto shares = fg::run(softmax, fg::view(m.data(), {2, 3}));
  EXPECT_NEAR(shares(0, 0) + shares(0, 1) + shares(0, 2), 1, 1e-6);
  EXPECT_NEAR(shares(0, 2) / shares(0, 0), std::exp(1.0), 1e-5);
  const auto [low, high] = fg::run(ranges, fg::view(m.data(), {2, 3}));
  EXPECT_EQ(vector_of(low), (Floats{0, 0, 1}));
  EXPECT_EQ(vector_of(high), (Floats{2, 3, 5}));
  const Floats cubes{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(vector_of(fg::run(traces, fg::view(cubes.data(), {2, 2, 2}))), (Floats{5, 13}));
}

TEST(GuideNesting, EverythingAgainstEverything) {
  EXPECT_EQ(vector_of(fg::run(potentials, std::vector<double>{0, 1, 3})),
            (std::vector<double>{1.75, 1.0 / 2 + 1 + 1.0 / 3, 0.25 + 1.0 / 3 + 1}));
}

TEST(GuideNesting, SizesThatDependOnTheElement) {
  const Floats samples{5, 1, 4, 2, 8, 6, 7, 1};
  EXPECT_EQ(vector_of(fg::run(trimmed_means, fg::view(samples.data(), {2, 4}), std::vector<fg::i64>{2, 4})),
            (Floats{1.5, 7}));
  const std::vector<int> hands{1, 5, 2, 9, 4, 3, 2, 1};
  EXPECT_EQ(vector_of(fg::run(survivors, fg::view(hands.data(), {2, 4}))), (std::vector<int>{9, 0}));
}

TEST(GuideNesting, FoldsOfArrays) {
  const Floats curves{1, 5, 2, 4, 3, 9};
  EXPECT_EQ(vector_of(fg::run(envelope, fg::view(curves.data(), {2, 3}))), (Floats{4, 5, 9}));
  const Floats shears{1, 1, 0, 1, 1, 0, 2, 1};
  EXPECT_EQ(vector_of(fg::run(composed, fg::view(shears.data(), {2, 2, 2}))), (Floats{3, 1, 2, 1}));
}

TEST(GuideNesting, ScansOfArrays) {
  const Floats payments{1, 10, 2, 20, 3, 30};
  EXPECT_EQ(vector_of(fg::run(accumulated, fg::view(payments.data(), {3, 2}))),
            (Floats{1, 10, 3, 30, 6, 60}));
}

TEST(GuideNesting, NumericLibrary) {
  const Floats a{1, 2, 3, 4};
  EXPECT_EQ(vector_of(fg::run(gradient, fg::view(a.data(), {2, 2}), Floats{1, 1}, Floats{2, 6})),
            (Floats{4, 6}));
  const Floats samples{1, 2, 3, 6};
  EXPECT_EQ(vector_of(fg::run(covariance, fg::view(samples.data(), {2, 2}))), (Floats{1, 2, 2, 4}));
  EXPECT_EQ(vector_of(fg::run(nearest, fg::view(a.data(), {2, 2}))), (std::vector<fg::i64>{0, 0}));
}

}  // namespace
