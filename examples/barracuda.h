// The programs of the Barracuda thesis (Larsen, 2010), as they are written here. Shown with them: chapter,
// and what the compiler makes.
#pragma once

#include <fulgurite/fulgurite.h>

namespace barracuda {

namespace fg = fulgurite;
using fg::Exp, fg::Vec;

// Listing 3.1.
inline Vec<float> array_sine(Vec<float> x) {
  return fg::sin(x);
}

// Section 1.2.7, where CUDA takes 150 lines.
inline Exp<float> array_maximum(Vec<float> x) {
  return fg::max(x);
}

// Section 3.4.1.
inline Vec<float> add_value(Exp<float> value, Vec<float> x) {
  return fg::map([&](Exp<float> element) { return value + element; }, x);
}

// Section 3.4.4: two maps, one kernel.
inline Vec<float> mul_add(Vec<float> x) {
  auto doubled = fg::map([](Exp<float> element) { return 2.0f * element; }, x);
  return fg::map([](Exp<float> element) { return element + 1.0f; }, doubled);
}

// Listing 3.2.
inline Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}

// Section 4.1.1.
inline Exp<float> sdot(Vec<float> x, Vec<float> y) {
  return fg::sum(x * y);
}

// Listing 3.3.
inline Exp<float> rmse(Vec<float> x, Vec<float> y) {
  auto d = x - y;
  return fg::sqrt(fg::sum(d * d) / fg::cast<float>(x.size()));
}

// Section 1.2.5: each element is read from memory once.
inline Vec<float> forward_difference(Vec<float> x) {
  auto n = x.size();
  return x.slice(1, n) - x.slice(0, n - 1);
}

// Section 3.4.8: the sum does not depend on the element, so it is computed once.
inline Vec<float> add_sum(Vec<float> x, Vec<float> y) {
  return fg::map([&](Exp<float> element) { return fg::sum(x) + element; }, y);
}

// Section 3.4.8: the sum depends on the element; it becomes a sequential loop in the kernel, and explain
// warns.
inline Vec<float> ndp(Vec<float> x, Vec<float> y) {
  return fg::map(
      [&](Exp<float> v) { return fg::sum(fg::map([&](Exp<float> element) { return element + v; }, x)); }, y);
}

}  // namespace barracuda
