// What the property tests of combinators share: associative operators that work on staged and on plain values
// alike (most of them not commutative), their neutral elements, values of every element type, and the sizes
// at which vectors, blocks and chunks begin and end.
#pragma once

#include "engines.h"
#include "every_type.h"

#include <algorithm>
#include <limits>
#include <random>
#include <source_location>

/// Numbers that sum exactly in any order, also as floats; all bits of integers are used in turn.
template <class T>
T value_of(std::mt19937& random) {
  if constexpr (std::same_as<T, bool>) {
    return random() % 3 != 0;
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(static_cast<int>(random() % 15) - 7);
  } else {
    const bool zero = random() % 4 == 0;  // of use to "last non-zero"
    const std::uint64_t bits = static_cast<std::uint64_t>(random()) << 32 | random();
    return zero ? T(0) : static_cast<T>(bits);
  }
}

// Operators: neutral() and f(a, b) for staged and plain operands.

template <class T>
struct Sum {
  static T neutral() { return T(0); }
  Exp<T> operator()(Exp<T> a, Exp<T> b) const { return a + b; }
  T operator()(T a, T b) const {
    if constexpr (std::floating_point<T>)
      return a + b;
    else
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};
template <class T>
struct Greatest {
  static T neutral() { return std::numeric_limits<T>::lowest(); }
  Exp<T> operator()(Exp<T> a, Exp<T> b) const { return fg::max(a, b); }
  T operator()(T a, T b) const { return std::max(a, b); }
};
template <class T>
struct LastNonZero {
  static T neutral() { return T(0); }
  Exp<T> operator()(Exp<T> a, Exp<T> b) const { return fg::select(b != T(0), b, a); }
  T operator()(T a, T b) const { return b != T(0) ? b : a; }
};
struct Differs {  // of booleans
  static bool neutral() { return false; }
  Exp<bool> operator()(Exp<bool> a, Exp<bool> b) const { return a ^ b; }
  bool operator()(bool a, bool b) const { return a != b; }
};

struct Matrix {
  fg::u32 a, b, c, d;
  bool operator==(const Matrix&) const = default;
};
struct MatrixProduct {
  static Matrix neutral() { return {1, 0, 0, 1}; }
  Matrix operator()(const Matrix& x, const Matrix& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
  Exp<Matrix> operator()(Exp<Matrix> x, Exp<Matrix> y) const {
    auto [xa, xb, xc, xd] = x;
    auto [ya, yb, yc, yd] = y;
    return fg::make<Matrix>(xa * ya + xb * yc, xa * yb + xb * yd, xc * ya + xd * yc, xc * yb + xd * yd);
  }
};
template <>
inline Matrix value_of<Matrix>(std::mt19937& random) {
  return {static_cast<fg::u32>(random()), static_cast<fg::u32>(random()), static_cast<fg::u32>(random()),
          static_cast<fg::u32>(random()) | 1};
}

/// Functions from {0, 1, 2, 3} to itself, two bits for each value: f, then g.
struct Function {
  fg::u32 code;
  bool operator==(const Function&) const = default;
};
struct Then {
  static Function neutral() { return {0b11100100}; }
  template <class F>
  static F composed(const F& f, const F& g) {
    F result = (g >> ((f & 3u) * 2u)) & 3u;
    for (fg::u32 i = 1; i < 4; ++i)
      result = result | (((g >> (((f >> (2u * i)) & 3u) * 2u)) & 3u) << (2u * i));
    return result;
  }
  Function operator()(Function f, Function g) const { return {composed(f.code, g.code)}; }
  Exp<Function> operator()(Exp<Function> f, Exp<Function> g) const {
    return fg::make<Function>(composed(f.get<0>(), g.get<0>()));
  }
};
template <>
inline Function value_of<Function>(std::mt19937& random) {
  return {static_cast<fg::u32>(random() % 256)};
}

/// Clamping to an interval, then to another.
struct Interval {
  fg::i16 low;
  double high;
  bool operator==(const Interval&) const = default;
};
struct Clamped {
  static Interval neutral() { return {-30000, 30000}; }
  Interval operator()(const Interval& x, const Interval& y) const {
    const auto into = [&](double v) { return std::min(std::max(v, double(y.low)), y.high); };
    return {static_cast<fg::i16>(into(x.low)), into(x.high)};
  }
  Exp<Interval> operator()(Exp<Interval> x, Exp<Interval> y) const {
    auto [x_low, x_high] = x;
    auto [y_low, y_high] = y;
    const Exp<double> least = fg::cast<double>(y_low);
    return fg::make<Interval>(fg::cast<fg::i16>(fg::min(fg::max(fg::cast<double>(x_low), least), y_high)),
                              fg::min(fg::max(x_high, least), y_high));
  }
};
template <>
inline Interval value_of<Interval>(std::mt19937& random) {
  const auto low = static_cast<fg::i16>(random() % 2001 - 1000);
  return {low, double(low) + static_cast<double>(random() % 500)};
}

/// The least payload with the place it came from; of equal ones the first.
using Placed = std::tuple<float, fg::i64>;
struct FirstLeast {
  static Placed neutral() {
    return {std::numeric_limits<float>::infinity(), std::numeric_limits<fg::i64>::max()};
  }
  Placed operator()(const Placed& a, const Placed& b) const {
    return std::get<0>(b) < std::get<0>(a) ? b : a;
  }
  Exp<Placed> operator()(Exp<Placed> a, Exp<Placed> b) const {
    return fg::select(b.get<0>() < a.get<0>(), b, a);
  }
};
template <>
inline Placed value_of<Placed>(std::mt19937& random) {
  return {static_cast<float>(random() % 1000), static_cast<fg::i64>(random())};
}

template <class T>
std::vector<T> values(std::integral auto n, unsigned seed = 1) {
  std::mt19937 random(seed + static_cast<unsigned>(n));
  std::vector<T> list(static_cast<std::size_t>(n));
  std::generate(list.begin(), list.end(), [&] { return value_of<T>(random); });
  return list;
}
/// Integers from low to high.
template <class I>
std::vector<I> integers(std::size_t n, long low, long high, unsigned seed = 1) {
  std::mt19937 random(seed + static_cast<unsigned>(n));
  std::vector<I> list(n);
  for (I& i : list)
    i = static_cast<I>(low + static_cast<long>(random() % static_cast<unsigned long>(high - low + 1)));
  return list;
}

/// Sizes to try on an engine: around vectors, blocks, chunks. The interpreter is spared the largest.
inline std::vector<std::size_t> sizes_for(fg::Engine engine) {
  std::vector<std::size_t> sizes{0, 1, 2, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025};
  sizes.push_back(engine == fg::Engine::interpreter ? 3001 : 100003);
  return sizes;
}

/// "file.cpp:12": `n` lines after the caller's.
inline std::string line_after(unsigned n, std::source_location at = std::source_location::current()) {
  const std::string file = at.file_name();
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(at.line() + n);
}
