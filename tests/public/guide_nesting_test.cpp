// The code of docs/guide/nesting.md, run.
#include "guide_nesting_programs.h"

#include <cmath>

#include "engines.h"

namespace {

using namespace guide::nesting;

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
  on_every_engine(middle_binomials, [](const auto& f) {
    EXPECT_EQ(f(std::vector<int>{4, 0, 1, 10}).to_vector(), (std::vector<int>{6, 1, 1, 252}));
  });
  on_every_engine(primes_below, [](const auto& f) {
    EXPECT_EQ(f(std::vector<int>{4, 0, 600, 10, 2}).to_vector(), (std::vector<int>{2, 0, 109, 4, 0}));
  });
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
