// The code of docs/guide/scattering.md, run.
#include "guide_scattering_programs.h"

#include "engines.h"

namespace {

using namespace guide::scattering;

const std::vector<float> ramp{0, 1, 2, 3, 4, 5};

TEST(GuideScattering, FilterAndPartition) {
  EXPECT_EQ(fg::run(mean_of_positive, ramp), 3.0f);
  const auto [negative, others] = fg::run(by_sign, std::vector<int>{3, -1, 0, -5});
  EXPECT_EQ(negative.to_vector(), (std::vector<int>{-1, -5}));
  EXPECT_EQ(others.to_vector(), (std::vector<int>{3, 0}));
  EXPECT_EQ(fg::run(sums_by_remainder, std::vector<int>{1, 2, 3, 4, 5}).to_vector(),
            (std::vector<int>{3, 5, 7}));
}

TEST(GuideScattering, FilteredRows) {
  const float gap = std::numeric_limits<float>::quiet_NaN();
  const float samples[3][2] = {{1, 2}, {3, gap}, {5, 6}};
  const auto rows = fg::run(without_gaps, samples);
  EXPECT_EQ(rows.to_vector(), (std::vector<float>{1, 2, 5, 6}));
  EXPECT_EQ(fg::run(chosen_columns, rows, std::vector<bool>{false, true}).to_vector(),
            (std::vector<float>{2, 6}));
  EXPECT_THROW(fg::run(chosen_columns, rows, std::vector<bool>(3)), fg::ShapeError);
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
