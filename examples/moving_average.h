// Spencer's 15-point weighted moving average (Barracuda thesis, listing 4.2): n - 14 windows lie within n
// values; the thesis keeps n - 15.
#pragma once

#include <fulgurite/fulgurite.h>

namespace moving_average {

namespace fg = fulgurite;
using fg::Vec;

inline constexpr int n_weights = 15;
inline constexpr float spencer[n_weights] = {-3, -6, -5, 3, 21, 46, 67, 74, 67, 46, 21, 3, -5, -6, -3};
inline constexpr float spencer_total = 320;

// Fifteen slices, fourteen sums, one kernel: a loop of the host program is unrolled by tracing it.
inline Vec<float> weighted_moving_average(Vec<float> x) {
  auto n = x.size() - n_weights;
  auto total = spencer[0] / spencer_total * x.slice(0, n);
  for (int k = 1; k < n_weights; ++k) total = total + spencer[k] / spencer_total * x.slice(k, n + k);
  return total;
}

}  // namespace moving_average
