// The programs of docs/guide.md: lint/guide.py checks that they stand here as they stand there.
#pragma once

#include <fulgurite/fulgurite.h>

#include <tuple>

namespace guide {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {

// Elementwise operations.
Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}
Vec<float> decay(Vec<float> t) {
  return fg::exp(-t) * fg::cos(6.28f * t);
}

// map.
Exp<float> smooth_step(Exp<float> x) {
  auto t = fg::clamp(x, 0.0f, 1.0f);
  return t * t * (3.0f - 2.0f * t);
}
Vec<float> blend(Vec<float> a, Vec<float> b, Vec<float> t) {
  return fg::map([](Exp<float> p, Exp<float> q, Exp<float> s) { return p + (q - p) * smooth_step(s); }, a, b,
                 t);
}

// Generators.
Vec<float> sampled(Exp<fg::i64> n) {
  return fg::generate(n, [&](Exp<fg::i64> i) { return fg::cast<float>(i) / fg::cast<float>(n); });
}

// Reductions.
std::tuple<Exp<float>, Exp<float>> mean_and_deviation(Vec<float> x) {
  auto n = fg::cast<float>(x.size());
  auto mean = fg::sum(x) / n;
  auto d = x - mean;
  return {mean, fg::sqrt(fg::sum(d * d) / n)};
}
Exp<int> last_non_zero(Vec<int> x) {  // not commutative: fg::reduce keeps the order
  return fg::reduce([](Exp<int> a, Exp<int> b) { return fg::select(b != 0, b, a); }, 0, x);
}
Exp<int> from_hundred(Vec<int> x) {
  return fg::fold(fg::plus, 100, x);
}

// Rows and axes.
Vec<float> row_norms(Mat<float> m) {
  return fg::map([](Vec<float> row) { return fg::sqrt(fg::sum(row * row)); }, fg::rows(m));
}
Vec<float> column_means(Mat<float> m) {
  return fg::sum(m, fg::axis(0)) / fg::cast<float>(m.size(0));
}

Vec<float> farthest_from_zero(Mat<float> m) {  // of each row; of equal ones the first
  auto farther = [](Exp<float> a, Exp<float> b) { return fg::select(fg::abs(b) > fg::abs(a), b, a); };
  return fg::reduce(farther, m, fg::axis(1));
}
Vec<int> closing_balances(Mat<int> flows, Exp<int> opening) {
  return fg::fold(fg::plus, opening, flows, fg::axis(0));
}

// Index transforms.
Vec<float> forward_difference(Vec<float> x) {
  auto n = x.size();
  return x.slice(1, n) - x.slice(0, n - 1);
}
Mat<float> corners(Mat<float> m) {
  return fg::transpose(fg::reverse(m.slice({0, m.size(0), 2}, {0, m.size(1), 2})));
}
Exp<bool> is_palindrome(Vec<int> x) {
  return fg::all(x == fg::reverse(x));
}

fg::Acc<fg::u8, 3> planes(fg::Acc<fg::u8, 3> pixels) {  // from rows, columns, colours
  return fg::transpose(pixels, {2, 0, 1});
}
Mat<float> squared_distances(Mat<float> a, Mat<float> b) {  // between the rows, which are points
  auto difference = fg::replicate(b.size(0), a, fg::axis(1)) - fg::replicate(a.size(0), b, fg::axis(0));
  return fg::sum(difference * difference, fg::axis(-1));
}

// Structs as elements.
struct Segment {
  int best, prefix, suffix, total;
};
Exp<int> maximum_segment_sum(Vec<int> xs) {
  auto lift = [](Exp<int> x) {
    auto p = fg::max(x, 0);
    return fg::make<Segment>(p, p, p, x);
  };
  auto join = [](Exp<Segment> a, Exp<Segment> b) {
    auto [a_best, a_prefix, a_suffix, a_total] = a;
    auto [b_best, b_prefix, b_suffix, b_total] = b;
    return fg::make<Segment>(fg::max(fg::max(a_best, b_best), a_suffix + b_prefix),
                             fg::max(a_prefix, a_total + b_prefix), fg::max(b_suffix, a_suffix + b_total),
                             a_total + b_total);
  };
  auto [best, prefix, suffix, total] = fg::reduce(join, Segment{0, 0, 0, 0}, fg::map(lift, xs));
  return best;
}

// Branches and loops.
Exp<float> safe_ratio(Exp<float> a, Exp<float> b) {
  return fg::cond(b != 0.0f, [&] { return a / b; }, [&] { return a; });
}
Exp<int> escape_time(Exp<float> re, Exp<float> im) {
  auto [last_re, last_im, steps] = fg::while_loop(
      [](Exp<float> zr, Exp<float> zi, Exp<int> k) { return zr * zr + zi * zi <= 4.0f && k < 255; },
      [&](Exp<float> zr, Exp<float> zi, Exp<int> k) {
        return std::tuple{zr * zr - zi * zi + re, 2.0f * zr * zi + im, k + 1};
      },
      0.0f, 0.0f, 0);
  return steps;
}
Exp<float> newton_root(Exp<float> x) {
  return fg::iterate(20, [&](Exp<float> y) { return 0.5f * (y + x / y); }, 1.0f);
}

// Dynamic indices.
Vec<float> look_up(Vec<float> table, Vec<int> at) {
  return fg::map([&](Exp<int> i) { return table[i]; }, at);
}

// What explain tells.
Vec<float> mean_in_front(Vec<float> x) {
  return fg::with(x, 0, fg::mean(x));
}

// C++ values.
Vec<float> powers(Vec<float> x, int k) {
  auto result = x;
  for (int i = 1; i < k; ++i) result = result * x;
  return result;
}

}  // namespace

}  // namespace guide
