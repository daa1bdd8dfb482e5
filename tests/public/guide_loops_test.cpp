// The code of docs/guide/loops.md, run.
#include "guide_loops_programs.h"

#include "engines.h"

namespace {

using namespace guide::loops;

using Floats = std::vector<float>;
using Ints = std::vector<int>;

TEST(GuideLoops, Branches) {
  EXPECT_EQ(vector_of(fg::run(normalised, Floats{1, -4, 2})), (Floats{0.25f, -1, 0.5f}));
  EXPECT_EQ(vector_of(fg::run(normalised, Floats{0, 0})), (Floats{0, 0}));
  const auto [first, cut] = fg::run(at_most, fg::i64{2}, Ints{1, 2, 3});
  EXPECT_EQ(vector_of(first), (Ints{1, 2}));
  EXPECT_TRUE(cut);
  const auto [all, uncut] = fg::run(at_most, fg::i64{5}, Ints{1, 2, 3});
  EXPECT_EQ(vector_of(all), (Ints{1, 2, 3}));
  EXPECT_FALSE(uncut);
}

TEST(GuideLoops, ThatCount) {
  const auto smooth = vector_of(fg::run(smoothed, Floats{3, 0, 0, 6}, 1));
  EXPECT_NEAR(smooth[0], 2, 1e-6);
  EXPECT_NEAR(smooth[3], 4, 1e-6);
  EXPECT_EQ(vector_of(fg::run(pascal, 5)), (std::vector<fg::i64>{1, 5, 10, 10, 5, 1}));
}

TEST(GuideLoops, ThatDecide) {
  const Floats plate{0, 0, 9, 0, 0, 0, 0, 0, 0};
  const auto flat = vector_of(fg::run(heat, fg::view(plate.data(), {3, 3}), 1e-6f));
  ASSERT_EQ(flat.size(), 9U);
  EXPECT_EQ(vector_of(fg::run(sieve, 30)), (Ints{2, 3, 5, 7, 11, 13, 17, 19, 23, 29}));
}

TEST(GuideLoops, ConjugateGradient) {
  on_every_engine(conjugate_gradient, [](const auto& f) {
    std::vector<double> b(100, 1.0);
    const auto x = vector_of(f(b, 1e-20));
    for (std::size_t i = 0; i < b.size(); ++i)
      EXPECT_NEAR(2.5 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i + 1 < b.size() ? x[i + 1] : 0.0), 1.0, 1e-9);
  });
}

}  // namespace
