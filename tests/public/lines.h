// The lines of an array along an axis, in plain C++: what tests of operations along axes compare with.
#pragma once

#include <fulgurite/fulgurite.h>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace lines {

namespace fg = fulgurite;
template <std::size_t N>
using Shape = std::array<std::int64_t, N>;

template <std::size_t N>
std::size_t count(const Shape<N>& shape, std::size_t from = 0, std::size_t to = N) {
  std::size_t n = 1;
  for (std::size_t k = from; k < to; ++k) n *= static_cast<std::size_t>(shape[k]);
  return n;
}

/// An array of which the axis has `length` elements: f of each line, a function from vector to vector.
template <class R, class T, std::size_t N, class F>
std::vector<R> mapped(const std::vector<T>& x, const Shape<N>& shape, std::size_t axis, std::size_t length,
                      F f) {
  const std::size_t outer = count(shape, 0, axis), inner = count(shape, axis + 1),
                    n = static_cast<std::size_t>(shape[axis]);
  std::vector<R> result(outer * length * inner);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      std::vector<T> line;
      for (std::size_t k = 0; k < n; ++k) line.push_back(x[(o * n + k) * inner + i]);
      const std::vector<R> made = f(line);
      for (std::size_t k = 0; k < length; ++k) result[(o * length + k) * inner + i] = made.at(k);
    }
  return result;
}

/// The first place of the best element; NaNs are passed over.
template <class T>
std::int64_t place(const std::vector<T>& line, auto is_better) {
  std::size_t best = 0;
  for (std::size_t j = 1; j < line.size(); ++j)
    if (line[j] == line[j] && (line[best] != line[best] || is_better(line[j], line[best]))) best = j;
  return static_cast<std::int64_t>(best);
}

/// Axis k of the result is axis order[k] of x.
template <class T, std::size_t N>
std::pair<std::vector<T>, Shape<N>> transposed(const std::vector<T>& x, const Shape<N>& shape,
                                               const std::array<std::size_t, N>& order) {
  Shape<N> strides{}, to{};
  for (std::size_t k = 0; k < N; ++k) {
    to[k] = shape[order[k]];
    strides[k] = static_cast<std::int64_t>(count(shape, order[k] + 1));
  }
  std::vector<T> result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t from = 0;
    for (std::size_t k = N; k-- > 0;) {
      from += rest % to[k] * strides[k];
      rest /= to[k];
    }
    result[i] = x[static_cast<std::size_t>(from)];
  }
  return {result, to};
}

/// Three axes to try, some empty, some of one element, some longer than a vector and a block.
inline const std::vector<Shape<3>> shapes = {{0, 3, 4},  {2, 0, 5},  {3, 2, 0},  {1, 1, 1},  {2, 3, 4},
                                             {1, 17, 3}, {33, 2, 1}, {2, 65, 3}, {3, 2, 130}};

}  // namespace lines
