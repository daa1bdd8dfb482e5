// The programs of docs/guide/arranging.md: lint/guide.py checks that they stand here as they stand there.
#pragma once

#include <fulgurite/fulgurite.h>

namespace guide::arranging {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {

// Joining and rotating.
Vec<float> closed(Vec<float> polygon) {
  return fg::concat(polygon, fg::take(polygon, 1));
}
Mat<float> with_margins(Mat<float> m) {
  auto side = fg::replicate({m.size(0), 1}, 0.0f);
  return fg::concat(fg::axis(1), side, m, side);
}
Vec<float> circular_difference(Vec<float> x) {
  return fg::rotate(x, 1) - x;
}

// Stencils.
Mat<int> life(Mat<int> cells) {
  auto rule = [](auto c) {
    auto around = c(-1, -1) + c(-1, 0) + c(-1, 1) + c(0, -1) + c(0, 1) + c(1, -1) + c(1, 0) + c(1, 1);
    return fg::select(around == 3 || (around == 2 && c(0, 0) == 1), 1, 0);
  };
  return fg::stencil(rule, fg::boundary::wrap, cells);
}
Vec<float> flow(Vec<float> height, Vec<float> speed) {
  auto upwind = [](auto h, auto v) {
    return fg::select(v(0) > 0.0f, v(0) * (h(0) - h(-1)), v(0) * (h(1) - h(0)));
  };
  return fg::stencil(upwind, fg::boundary::constant(0.0f), height, speed);
}
Vec<float> second_difference(Vec<float> x, Exp<float> slope) {
  auto line = [&](Exp<fg::i64> i) { return slope * fg::cast<float>(i); };
  return fg::stencil([](auto u) { return u(-1) - 2.0f * u(0) + u(1); }, fg::boundary::function(line), x);
}

// Sorting.
Exp<float> median(Vec<float> x) {
  auto sorted = fg::sort(x);
  return sorted[x.size() / 2];
}
std::tuple<Vec<int>, Vec<float>> by_score(Vec<float> scores, Vec<int> players) {
  auto [sorted_scores, sorted_players] =
      fg::sort_by_key([](Exp<float> a, Exp<float> b) { return a > b; }, scores, players);
  return {sorted_players, sorted_scores};
}
Vec<fg::i64> ranks(Vec<int> x) {
  return fg::argsort(fg::argsort(x));
}
Vec<fg::i64> podium(Vec<float> scores) {
  auto [best, places] =
      fg::sort_by_key([](Exp<float> a, Exp<float> b) { return a > b; }, scores, fg::iota(scores.size()));
  return fg::take(places, 3);
}

Vec<float> medians(Mat<float> columns) {
  return fg::sort(columns, fg::axis(0))[columns.size(0) / 2];
}
Mat<float> longest_first(Mat<float> vectors) {
  auto squares = fg::sum(vectors * vectors, fg::axis(1));
  auto [lengths, sorted] =
      fg::sort_by_key([](Exp<float> a, Exp<float> b) { return a > b; }, squares, vectors);
  return sorted;
}

}  // namespace

}  // namespace guide::arranging
