// The programs of solvers.h with data of given sizes, beside what does the same by hand: a visitor is given a
// name, the program, a function that calls the compiled program, room for the results by hand, and a function
// that writes them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "peers/solvers.h"
#include "solvers.h"

namespace bench {

template <class T>
std::vector<T> room(std::int64_t n) {
  return std::vector<T>(static_cast<std::size_t>(n));
}
/// Integers from 0 to most - 1, in no order.
template <class T>
std::vector<T> drawn(std::int64_t n, unsigned most) {
  std::minstd_rand random(1);
  std::vector<T> x = room<T>(n);
  for (T& element : x) element = static_cast<T>(random() % most);
  return x;
}
/// From `least` to `most`.
template <class T>
std::vector<T> between(std::int64_t n, double least, double most) {
  std::vector<T> x = drawn<T>(n, 65536);
  for (T& element : x)
    element = static_cast<T>(least + (most - least) * static_cast<double>(element) / 65535);
  return x;
}

template <class Visit>
void alignments(std::int64_t n, int block, const Visit& visit) {
  std::vector<int> similarity = drawn<int>(n * n, 15);
  for (int& x : similarity) x -= 4;
  const fg::Array<int, 2> pairs(similarity, {n, n});
  const auto peer = [&](int* to) { omp_alignment(n, similarity.data(), 10, to); };
  const auto by_diagonals = [&](int* to) { omp_alignment_by_diagonals(n, similarity.data(), 10, to); };
  const std::int64_t results = (n + 1) * (n + 1);
  visit(
      fmt::format("Needleman and Wunsch of {}, diagonals", n), alignment_by_diagonals,
      [&](const auto& f) { return f(pairs, 10); }, room<int>(results), by_diagonals);
  visit(
      fmt::format("Needleman and Wunsch of {}, blocks of {}", n, block), alignment_in_blocks,
      [&](const auto& f) { return f(pairs, 10, block); }, room<int>(results), peer);
}

/// A path's last date is placed first, then what is in the middle between known ones. `dates` is a power of
/// two.
inline std::vector<Bridge> bridges_of(int dates) {
  std::vector<Bridge> all = {{dates, 0, 0, 0, 0, std::sqrt(static_cast<float>(dates))}};
  for (int apart = dates; apart > 1; apart /= 2)
    for (int left = 0; left < dates; left += apart)
      all.push_back(
          {left + apart / 2, left, left + apart, 0.5F, 0.5F, std::sqrt(static_cast<float>(apart) / 4)});
  return all;
}
/// `paths` is a multiple of `of_chunk`.
template <class Visit>
void options(std::int64_t paths, int of_chunk, int dates, std::int64_t assets, const Visit& visit) {
  const std::int64_t dimensions = dates * assets;
  // Each bit's direction has its own highest bit, as Sobol's have.
  std::vector<int> directions = drawn<int>(30 * dimensions, 1U << 30);
  for (std::int64_t k = 0; k < 30 * dimensions; ++k) {
    int& x = directions[static_cast<std::size_t>(k)];
    const int bit = static_cast<int>(29 - k / dimensions);
    x = (x >> bit | 1) << bit;
  }
  const std::vector<Bridge> bridges = bridges_of(dates);
  std::vector<int> at, left, right;
  std::vector<float> of_left, of_right, deviation;
  for (const Bridge& b : bridges) {
    at.push_back(b.at), left.push_back(b.left), right.push_back(b.right);
    of_left.push_back(b.of_left), of_right.push_back(b.of_right), deviation.push_back(b.deviation);
  }
  const std::vector<float> drift = between<float>(assets, 0.001, 0.004),
                           volatility = between<float>(assets, 0.02, 0.05);
  const Market market{dates, assets, directions.data(), bridges.data(), drift.data(), volatility.data(),
                      100,   101};
  const fg::Array<int, 2> of_bits(directions, {30, dimensions});
  const auto called = [&](const auto& f, std::int64_t n) {
    return f(n, of_bits, at, left, right, of_left, of_right, deviation, drift, volatility, 100.0F, 101.0F);
  };
  const auto peer = [&](double* to) { *to = omp_option(market, paths); };
  visit(
      fmt::format("option pricing, {} paths of {} x {}", paths, dates, assets),
      [](Index n, Mat<int> d, Vec<int> a, Vec<int> l, Vec<int> r, Vec<float> x, Vec<float> y, Vec<float> z,
         Vec<float> drifts, Vec<float> volatilities, Exp<float> start, Exp<float> strike) {
        return option(n, {d, {a, l, r, x, y, z}, drifts, volatilities, start, strike});
      },
      [&](const auto& f) { return called(f, paths); }, room<double>(1), peer);
  visit(
      fmt::format("option pricing, {} paths of {} x {}, in chunks", paths, dates, assets),
      [of_chunk](Index n, Mat<int> d, Vec<int> a, Vec<int> l, Vec<int> r, Vec<float> x, Vec<float> y,
                 Vec<float> z, Vec<float> drifts, Vec<float> volatilities, Exp<float> start,
                 Exp<float> strike) {
        return option_by_chunks(n, {d, {a, l, r, x, y, z}, drifts, volatilities, start, strike}, of_chunk);
      },
      [&](const auto& f) { return called(f, paths / of_chunk); }, room<double>(1), peer);
}

/// Coefficients of second differences on a grid of equal distances: 0 at its border.
inline std::vector<float> second_difference(std::int64_t n, float apart) {
  std::vector<float> coefficients = room<float>(3 * n);
  const float by = 1 / (apart * apart);
  for (std::int64_t i = 1; i + 1 < n; ++i)
    for (std::int64_t k = 0; k < 3; ++k)
      coefficients[static_cast<std::size_t>(k * n + i)] = k == 1 ? -2 * by : by;
  return coefficients;
}
template <class Visit>
void local_volatilities(std::int64_t options, std::int64_t nx, std::int64_t ny, std::int64_t steps,
                        const Visit& visit) {
  const float of_x = 0.06F / static_cast<float>(nx), of_y = 4.0F / static_cast<float>(ny);
  std::vector<float> x = room<float>(nx), log_x = room<float>(nx), y = room<float>(ny);
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = of_x * static_cast<float>(j + 1);
    log_x[j] = std::log(x[j]);
  }
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = of_y * (static_cast<float>(i) - static_cast<float>(ny / 2)) + std::log(0.2F);
  const std::vector<float> along_x = second_difference(nx, of_x), along_y = second_difference(ny, of_y);
  const std::vector<float> strikes = between<float>(options, 0.001, 0.05),
                           exponents = between<float>(options, 0.4, 0.8);
  const VolatilityGrid grid{nx,
                            ny,
                            steps,
                            x.data(),
                            log_x.data(),
                            y.data(),
                            {along_x.data(), along_x.data() + nx, along_x.data() + 2 * nx},
                            {along_y.data(), along_y.data() + ny, along_y.data() + 2 * ny},
                            0.6F,
                            5};
  const fg::Array<float, 2> differences_x(along_x, {3, nx}), differences_y(along_y, {3, ny});
  const auto call = [&](const auto& f) {
    return f(x, log_x, y, differences_x, differences_y, 0.6F, 5.0F, steps, strikes, exponents);
  };
  const auto peer = [&](float* to) {
    omp_local_volatility(grid, options, strikes.data(), exponents.data(), to);
  };
  const std::string name =
      fmt::format("local volatility, {} options of {} x {}, {} steps", options, ny, nx, steps);
  visit(name, volatilities, call, room<float>(options * nx * ny), peer);
  visit(name + " outside", volatilities_together, call, room<float>(options * nx * ny), peer);
}

/// n is a multiple of 32.
template <class Visit>
void factors(std::int64_t n, int block, const Visit& visit) {
  std::vector<float> elements = between<float>(n * n, -0.5, 0.5);
  for (std::int64_t i = 0; i < n; ++i)
    elements[static_cast<std::size_t>(i * (n + 1))] = static_cast<float>(n);
  const fg::Array<float, 2> m(elements, {n, n});
  visit(
      fmt::format("LU of {0} x {0}, blocks of {1}", n, block), factors_in_blocks,
      [&](const auto& f) { return f(m, block); }, room<float>(n * n),
      [&](float* to) { omp_factors_in_blocks(n, elements.data(), to); });
}

template <class Visit>
void sweeps(std::int64_t rows, std::int64_t columns, int number, const Visit& visit) {
  const std::vector<float> elements = between<float>(rows * columns, 0, 1),
                           others = between<float>(rows * columns, -0.1, 0.1);
  const fg::Array<float, 2> from(elements, {rows, columns}), right(others, {rows, columns});
  const auto call = [&](const auto& f) { return f(from, right, number); };
  const auto peer = [&](float* to) {
    omp_gauss_seidel(rows, columns, number, elements.data(), others.data(), to);
  };
  const std::string name =
      fmt::format("Gauss and Seidel by colours, {} x {}, {} sweeps", rows, columns, number);
  visit(name + ", choices", gauss_seidel, call, room<float>(rows * columns), peer);
  visit(name + ", slices", gauss_seidel_by_slices, call, room<float>(rows * columns), peer);
}

template <class Visit>
void transposition_sorts(std::int64_t n, const Visit& visit) {
  const std::vector<int> from = drawn<int>(n, 1U << 20);
  const auto call = [&](const auto& f) { return f(from); };
  const auto peer = [&](int* to) { omp_transposition_sort(n, from.data(), to); };
  visit(fmt::format("odd-even transposition sort of {}, choices", n), transposition_sort, call, room<int>(n),
        peer);
  visit(fmt::format("odd-even transposition sort of {}, slices", n), transposition_sort_by_slices, call,
        room<int>(n), peer);
}

template <class Visit>
void lives(std::int64_t rows, std::int64_t words, int generations, const Visit& visit) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> cells = room<std::uint64_t>(rows * words), own = cells;
  for (std::uint64_t& word : cells) word = random() & random();
  const fg::Array<fg::u64, 2> from(cells, {rows, words});
  visit(
      fmt::format("game of life, {} x {} cells, {} generations", rows, 64 * words, generations), life,
      [&](const auto& f) { return f(from, generations); }, room<std::uint64_t>(rows * words),
      [&](std::uint64_t* to) { omp_life(rows, words, generations, cells.data(), own.data(), to); });
}

template <class Visit>
void oscillations(std::int64_t n, double end, const Visit& visit) {
  const std::vector<double> damping = between<double>(n, 0.1, 5);
  visit(
      fmt::format("{} oscillators with steps of their own", n), oscillators,
      [&](const auto& f) { return f(damping, end, 1e-6); }, room<double>(n),
      [&](double* to) { omp_oscillators(n, damping.data(), end, 1e-6, to); });
}

}  // namespace bench
