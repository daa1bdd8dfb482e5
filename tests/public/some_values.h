// Values to sort, and their order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

// Few different values, so that many are equal; of floats also those that only their bits tell apart.
template <class T>
inline std::vector<T> some(int n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  std::vector<T> values;
  for (int i = 0; i < n; ++i) {
    const auto number = static_cast<int>(random() % 40);
    T value = static_cast<T>(number);
    if constexpr (std::is_signed_v<T>) value = static_cast<T>(number - 20);
    if constexpr (std::is_floating_point_v<T>) {
      if (number == 0) value = std::numeric_limits<T>::quiet_NaN();
      if (number == 1) value = std::numeric_limits<T>::infinity();
      if (number == 20 && random() % 2 == 0) value = -value;
    } else if (number == 0) {
      value = std::numeric_limits<T>::max();
    }
    values.push_back(value);
  }
  return values;
}

// In the order of fg::sort: -0 before +0, NaN last.
template <class T>
inline bool precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
    if (a == 0 && b == 0) return std::signbit(a) && !std::signbit(b);
  }
  return a < b;
}
