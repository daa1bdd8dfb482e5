// Programs whose plans have each kind of step.
#pragma once

#include <fulgurite/fulgurite.h>
#include <fulgurite/kernel.h>

namespace fulgurite::emitted_programs {

inline std::tuple<Exp<int>, Vec<int>> total_and_squares(Vec<int> xs) {
  return {sum(xs), xs * xs};
}
inline Vec<float> power(Vec<float> x, int k) {
  auto result = x;
  for (int i = 1; i < k; ++i) result = result * x;
  return result;
}
inline Vec<int> at(Vec<int> xs, Vec<int> places) {
  return map([&](Exp<int> i) { return xs[cast<i64>(i)]; }, places);
}
inline Vec<float> halved(Vec<float> x) {
  return while_loop([](Vec<float> v) { return sum(v * v) > 1.0f; }, [](Vec<float> v) { return v * 0.5f; }, x);
}
// Sizes change in each iteration, until one tells to stop.
inline Vec<int> sieve(Vec<int> xs) {
  return while_loop([](Vec<int> v) { return cast<int>(v.size()) > 10; },
                    [](Vec<int> v) {
                      auto less = v - 1;
                      return filter([](Exp<int> x) { return (x & 3) != 0; }, less);
                    },
                    xs);
}
inline Vec<int> looked_up(Vec<int> xs) {
  static const Array<int> table(std::vector<int>{3, 1, 4, 1, 5, 9, 2, 6, -5, 3});
  auto entries = constant(table);
  return map([&](Exp<int> x) { return entries[cast<i64>(x % 10)]; }, xs);
}

// Until the data say so, which the device sees.
inline std::tuple<Vec<float>, Exp<float>> relaxed(Vec<float> x) {
  return while_loop([](Vec<float>, Exp<float> change) { return change > 0.2f; },
                    [](Vec<float> v, Exp<float>) {
                      auto next = stencil([](auto w) { return 0.5f * (w(-1) + w(1)); }, boundary::clamp, v);
                      return std::tuple{next, max(abs(next - v))};
                    },
                    x, 1.0f);
}
// What compilers warn of unless the code is written for them, and what the host computes with floats: an
// argument that nothing reads, a divisor that is not 0, an operator that keeps its operand, a size of floats.
inline std::tuple<Vec<i64>, Vec<float>, Vec<int>, Exp<int>> leftovers(Vec<float> x, Vec<int>, Exp<float> most,
                                                                      Exp<int> divisor) {
  auto hundredths = map([](Exp<float> v) { return cast<i64>(v * 100.0f); }, x);
  auto first = scan([](Exp<float> a, Exp<float>) { return a; }, x);
  auto numbers = iota<int>(cast<i64>(min(abs(most) * 20.0f, 30.0f)));
  return {hundredths, first, numbers, divisor / (divisor | 1)};
}
// A kernel of the kernel language, which changes an array in place.
inline Vec<int> swapped(Vec<int> xs) {
  namespace k = kernel;
  const auto swap = k::kernel("i_swap", k::updated<int>(), k::scalar<std::int64_t>(),
                              [](k::Updated<int> a, k::Index distance) {
                                const k::Tiles rows = k::rows_apart(a.size(), 2, 64, distance);
                                return k::update(a, rows, k::ilv(6, min, max, k::tile(a, rows)));
                              });
  return k::call(swap, xs, k::Index(64)) + 1;
}

}  // namespace fulgurite::emitted_programs
