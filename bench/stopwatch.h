// Time, and medians of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
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

/// The time of one call, after a rest: the mean of as many calls as take about `together_us`, at most 1000.
template <class F>
double sample_us(F&& f, double together_us) {
  std::this_thread::sleep_for(std::chrono::milliseconds(15));
  const double first = time_us(f);
  const int calls = std::clamp(static_cast<int>(together_us / (first + 0.1)), 1, 1000);
  return time_us([&] {
           for (int call = 0; call < calls; ++call) f();
         }) /
         calls;
}

inline double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

}  // namespace bench
