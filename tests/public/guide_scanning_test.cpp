// The code of docs/guide/scanning.md, run.
#include "guide_scanning_programs.h"

#include "engines.h"

namespace {

using namespace guide::scanning;

const std::vector<float> ramp{0, 1, 2, 3, 4, 5};

TEST(GuideScanning, RunningResults) {
  EXPECT_EQ(fg::run(balances, 10.0f, ramp).to_vector(), (std::vector<float>{10, 10, 11, 13, 16, 20}));
  EXPECT_EQ(fg::run(smoothed, std::vector<float>{1, 0, 4}, 0.5f).to_vector(),
            (std::vector<float>{1, 0.5f, 4.25f}));
  EXPECT_EQ(fg::run(best_trade, std::vector<float>{5, 3, 6, 1, 4}), 3.0f);
  EXPECT_EQ(fg::run(cumulative_shares, std::vector<float>{1, 2, 1}).to_vector(),
            (std::vector<float>{0, 0.25f, 0.75f}));
}

TEST(GuideScanning, Axes) {
  EXPECT_EQ(fg::run(area_table, fg::view(ramp.data(), {2, 3})).to_vector(),
            (std::vector<float>{0, 1, 3, 3, 8, 15}));
}

TEST(GuideScanning, Segments) {
  const auto y = fg::run(spmv, std::vector<fg::i64>{0, 2, 2, 3}, std::vector<int>{0, 2, 1},
                         std::vector<float>{1, 2, 3}, std::vector<float>{10, 20, 30});
  EXPECT_EQ(y.to_vector(), (std::vector<float>{70, 0, 60}));
  EXPECT_EQ(fg::run(lengths_of_runs, std::vector<int>{7, 7, 8, 9, 9, 9}).to_vector(),
            (std::vector<int>{2, 1, 3}));
  EXPECT_EQ(fg::run(positions_in_rows, std::vector<int>{2, 0, 4}, ramp).to_vector(),
            (std::vector<int>{0, 1, 0, 1, 2, 3}));
  EXPECT_THROW(fg::run(positions_in_rows, std::vector<int>{2, 0, 3}, ramp), fg::ShapeError);
}

TEST(GuideScanning, SegmentsOfAnyAxis) {
  const auto [waits, totals] = fg::run(waiting_times, std::vector<int>{2, 0, 4}, ramp);
  EXPECT_EQ(waits.to_vector(), (std::vector<float>{0, 0, 0, 2, 5, 9}));
  EXPECT_EQ(totals.to_vector(), (std::vector<float>{1, 0, 14}));
  const auto days = fg::view(ramp.data(), {3, 2});
  EXPECT_EQ(fg::run(monthly_sums, days, std::vector<int>{1, 2}).to_vector(),
            (std::vector<float>{0, 1, 6, 8}));
  EXPECT_EQ(fg::run(still_to_come, days, std::vector<int>{1, 2}).to_vector(),
            (std::vector<float>{0, 1, 6, 8, 4, 5}));
}

}  // namespace
