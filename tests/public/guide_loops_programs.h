// The programs of docs/guide/loops.md: lint/guide.py checks that they stand here as they stand there.
#pragma once

#include <fulgurite/fulgurite.h>

#include <limits>

namespace guide::loops {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {

// Branches.
Vec<float> normalised(Vec<float> x) {
  auto largest = fg::max(fg::abs(x));
  return fg::cond(largest > 0.0f, [&] { return x / largest; }, x);
}
std::tuple<Vec<int>, Exp<bool>> at_most(Exp<fg::i64> limit, Vec<int> x) {
  return fg::cond(
      x.size() > limit, [&] { return std::tuple{fg::take(x, limit), Exp<bool>(true)}; },
      [&] { return std::tuple{x, Exp<bool>(false)}; });
}

// Loops that count.
Vec<float> smoothed(Vec<float> x, Exp<int> times) {
  auto average = [](auto v) { return (v(-1) + v(0) + v(1)) / 3.0f; };
  return fg::iterate(times, [&](Vec<float> v) { return fg::stencil(average, fg::boundary::clamp, v); }, x);
}
Vec<fg::i64> pascal(Exp<int> row) {
  return fg::iterate(
      row,
      [](Vec<fg::i64> above) {
        auto zero = fg::replicate(1, fg::i64{0});
        return fg::concat(above, zero) + fg::concat(zero, above);
      },
      fg::replicate(1, fg::i64{1}));
}

// Loops that decide.
Mat<float> heat(Mat<float> start, Exp<float> tolerance) {
  auto around = [](auto u) { return 0.5f * u(0, 0) + 0.125f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1)); };
  auto [result, last_change] =
      fg::while_loop([&](Mat<float>, Exp<float> change) { return change > tolerance; },
                     [&](Mat<float> u, Exp<float>) {
                       auto next = fg::stencil(around, fg::boundary::mirror, u);
                       return std::tuple{next, fg::max(fg::abs(next - u))};
                     },
                     start, std::numeric_limits<float>::infinity());
  return result;
}
Vec<int> sieve(Exp<int> n) {
  auto [rest, primes] =
      fg::while_loop([](Vec<int> candidates, Vec<int>) { return candidates.size() > 0; },
                     [](Vec<int> candidates, Vec<int> found) {
                       auto prime = candidates[0];
                       auto others = fg::filter([&](Exp<int> k) { return k % prime != 0; }, candidates);
                       return std::tuple{others, fg::concat(found, fg::take(candidates, 1))};
                     },
                     fg::iota<int>(n - 2) + 2, fg::replicate(0, 0));
  return primes;
}

// Loops that pass scalars on.
Vec<double> conjugate_gradient(Vec<double> b, Exp<double> tolerance) {
  auto times_matrix = [](Vec<double> v) {
    return fg::stencil([](auto w) { return 2.5 * w(0) - w(-1) - w(1); }, fg::boundary::constant(0.0), v);
  };
  auto dot = [](Vec<double> v, Vec<double> w) { return fg::sum(v * w); };
  auto [x, r, p, rr] =
      fg::while_loop([&](Vec<double>, Vec<double>, Vec<double>, Exp<double> now) { return now > tolerance; },
                     [&](Vec<double> at, Vec<double> rest, Vec<double> direction, Exp<double> now) {
                       auto image = times_matrix(direction);
                       auto alpha = now / dot(direction, image);
                       auto next = rest - alpha * image;
                       auto then = dot(next, next);
                       return std::tuple{at + alpha * direction, next, next + (then / now) * direction, then};
                     },
                     fg::replicate(b.size(), 0.0), b, b, dot(b, b));
  return x;
}

}  // namespace

}  // namespace guide::loops
