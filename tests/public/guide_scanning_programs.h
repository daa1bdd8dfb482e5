// The programs of docs/guide/scanning.md: lint/guide.py checks that they stand here as they stand there.
#pragma once

#include <fulgurite/fulgurite.h>

#include <tuple>

namespace guide::scanning {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

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

std::tuple<Vec<float>, Vec<float>> waiting_times(Vec<int> batches, Vec<float> durations) {
  return fg::segmented_scan_with_totals(fg::plus, 0.0f, fg::lengths(batches), durations);
}
Mat<float> monthly_sums(Mat<float> daily, Vec<int> days_of_months) {  // a row for each day
  return fg::segmented_reduce(fg::plus, 0.0f, fg::lengths(days_of_months), daily, fg::axis(0));
}
Mat<float> still_to_come(Mat<float> daily, Vec<int> days_of_months) {  // on and after each day of a month
  return fg::segmented_scan_right(fg::plus, 0.0f, fg::lengths(days_of_months), daily, fg::axis(0));
}

}  // namespace

}  // namespace guide::scanning
