// Time, and medians of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace bench {

inline double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <class F>
double time_us(F&& f) {
  const double start = now_us();
  f();
  return now_us() - start;
}

inline double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

}  // namespace bench
