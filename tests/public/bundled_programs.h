// Programs that tests bundle: a reduction, one whose sizes the data decide, a histogram, sorts, a loop that
// converges, kernels of the user's own, captured arrays, elements of several scalars, failures.
#pragma once

#include <fulgurite/fulgurite.h>
#include <fulgurite/kernel.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

namespace bundled_programs {

namespace fg = fulgurite;
namespace k = fulgurite::kernel;
using fg::Exp, fg::Mat, fg::Vec;

inline Exp<float> rmse(Vec<float> a, Vec<float> b) {
  const auto squares = fg::map([](Exp<float> x, Exp<float> y) { return (x - y) * (x - y); }, a, b);
  return fg::sqrt(fg::sum(squares) / fg::cast<float>(a.size()));
}

inline Vec<int> evens(Vec<int> xs) {
  return fg::filter([](Exp<int> x) { return (x & 1) == 0; }, xs);
}

inline Vec<int> counts(Vec<int> keys, Exp<fg::i64> bins) {
  return fg::histogram(fg::plus, 0, bins, keys, fg::replicate(keys.size(), 1));
}

inline Vec<int> sorted(Vec<int> xs) {
  return fg::sort(xs);
}

// How often the largest is halved until it is at most the limit, and what is left then.
inline std::tuple<Vec<double>, Exp<int>> halved(Vec<double> x, Exp<double> limit) {
  auto [result, largest, n] =
      fg::while_loop([&](Vec<double>, Exp<double> change, Exp<int>) { return change > limit; },
                     [](Vec<double> v, Exp<double>, Exp<int> times) {
                       auto next = v * 0.5;
                       return std::tuple{next, fg::max(fg::abs(v - next)), times + 1};
                     },
                     x, std::numeric_limits<double>::infinity(), 0);
  return {result, n};
}

// Partial sums of the user's own kernel.
inline Exp<int> total(Vec<int> xs) {
  static const auto block_sum = k::kernel("block_sum", k::block<int>(64), [](k::Pull<int> a) {
    while (a.size() > 1) {
      const auto [low, high] = k::halve(a);
      a = k::sync(k::zip_with(fg::plus, low, high));
    }
    return a;
  });
  return fg::sum(k::call(block_sum, xs));
}

inline Vec<int> picked(Vec<int> xs, Vec<int> where) {
  return fg::map([&](Exp<int> i) { return xs[i]; }, where);
}

inline Exp<int> quotient(Exp<int> a, Exp<int> b) {
  return a / b;
}

}  // namespace bundled_programs
