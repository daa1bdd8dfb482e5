// The code of docs/guide/scanning.md, run.
#include "engines.h"

#include <tuple>

namespace {

Vec<float> balances(Exp<float> opening, Vec<float> flows) {  // before each day
  return fg::exclusive_scan(fg::plus, opening, flows);
}
Vec<float> smoothed(Vec<float> x, Exp<float> weight) {  // y[i] = weight * y[i - 1] + x[i]
  using Line = std::tuple<float, float>;                // a y + b, composed
  auto after = [](Exp<Line> f, Exp<Line> g) {
    auto [fa, fb] = f;
    auto [ga, gb] = g;
    return std::tuple{fa * ga, fb * ga + gb};
  };
  auto lines = fg::zip(fg::replicate(x.size(), weight), x);
  auto [a, b] = fg::unzip(fg::scan(after, Line{1.0f, 0.0f}, lines));
  return b;
}

Exp<float> best_trade(Vec<float> prices) {  // buy once, sell later
  return fg::max(fg::scan_right(fg::max, prices) - prices);
}

Vec<float> cumulative_shares(Vec<float> weights) {
  auto [before, total] = fg::scan_with_total(fg::plus, 0.0f, weights);
  return before / total;
}

Mat<float> area_table(Mat<float> m) {  // sums of all rectangles from the corner
  return fg::scan(fg::plus, 0.0f, fg::scan(fg::plus, 0.0f, m), fg::axis(0));
}

Vec<float> spmv(Vec<fg::i64> row_starts, Vec<int> columns, Vec<float> values, Vec<float> x) {
  return fg::segmented_reduce(fg::plus, 0.0f, fg::offsets(row_starts), values * fg::gather(x, columns));
}
Vec<int> lengths_of_runs(Vec<int> xs) {  // of equal neighbours
  auto n = xs.size();
  auto begins = fg::generate(n, [&](Exp<fg::i64> i) { return i == 0 || xs[i] != xs[fg::max(i - 1, 0)]; });
  return fg::segmented_reduce(fg::plus, 0, fg::flags(begins), fg::replicate(n, 1));
}

Vec<int> positions_in_rows(Vec<int> row_lengths, Vec<float> values) {
  return fg::segmented_exclusive_scan(fg::plus, 0, fg::lengths(row_lengths), fg::replicate(values.size(), 1));
}

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

}  // namespace
