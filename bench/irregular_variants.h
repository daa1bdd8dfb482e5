// Variants of the irregular and nested benchmarks, with other operators, element types and tuple shapes, as
// Fulgurite's users write them. Definitions: peers/serial_irregular_variants.cpp.
#pragma once

#include "peers/variant_functions.h"
#include "programs.h"

namespace bench {

// Filters.

inline Vec<double> filter_below_half(Vec<double> xs) {
  return fg::filter([](Exp<double> x) { return x < .5; }, xs);
}

inline Vec<fg::u8> filter_even_bytes(Vec<fg::u8> xs) {
  return fg::filter([](Exp<fg::u8> x) { return (x & 1) == 0; }, xs);
}

inline std::tuple<Vec<int>, Vec<int>> even_and_odd(Vec<int> xs) {
  return fg::partition([](Exp<int> x) { return (x & 1) == 0; }, xs);
}

// Histograms.

inline Vec<float> sums_by_key(Vec<int> keys, Vec<float> weights, Exp<fg::i64> bins) {
  return fg::histogram(fg::plus, 0.f, bins, keys, weights);
}

inline Vec<int> maxima_by_key(Vec<int> keys, Vec<int> xs, Exp<fg::i64> bins) {
  return fg::histogram(fg::max, std::numeric_limits<int>::min(), bins, keys, xs);
}

inline std::tuple<Vec<int>, Vec<float>> counts_and_sums_by_key(Vec<int> keys, Vec<float> weights,
                                                               Exp<fg::i64> bins) {
  using CountAndSum = std::tuple<int, float>;
  auto add = [](Exp<CountAndSum> a, Exp<CountAndSum> b) {
    auto [a_count, a_sum] = a;
    auto [b_count, b_sum] = b;
    return std::tuple{a_count + b_count, a_sum + b_sum};
  };
  auto ones = fg::replicate(weights.size(), 1);
  return fg::unzip(fg::histogram(add, CountAndSum{0, 0.f}, bins, keys, fg::zip(ones, weights)));
}

inline Vec<int> count_bytes(Vec<fg::u8> bytes) {
  return fg::histogram(fg::plus, 0, 256, bytes, fg::replicate(bytes.size(), 1));
}

inline Vec<fg::i64> long_sums_by_key(Vec<int> keys, Vec<int> xs, Exp<fg::i64> bins) {
  return fg::histogram(fg::plus, fg::i64(0), bins, keys, fg::cast<fg::i64>(xs));
}

inline Vec<fg::u32> bits_by_key(Vec<int> keys, Vec<int> xs, Exp<fg::i64> bins) {
  return fg::histogram(fg::bit_or, 0u, bins, keys, fg::cast<fg::u32>(xs));
}

// Sparse products.

inline Vec<double> sparse_times_vector_of_doubles(Vec<int> row_starts, Vec<int> columns, Vec<double> values,
                                                  Vec<double> x) {
  return fg::segmented_reduce(fg::plus, 0.0, fg::offsets(row_starts), values * fg::gather(x, columns));
}

inline Vec<float> shortest_steps(Vec<int> row_starts, Vec<int> columns, Vec<float> lengths, Vec<float> x) {
  return fg::segmented_reduce(fg::min, no_step, fg::offsets(row_starts), lengths + fg::gather(x, columns));
}

inline std::tuple<Vec<float>, Vec<float>> row_sums_and_maxima(Vec<int> row_starts, Vec<int> columns,
                                                              Vec<float> values, Vec<float> x) {
  using SumAndMost = std::tuple<float, float>;
  auto join = [](Exp<SumAndMost> a, Exp<SumAndMost> b) {
    auto [a_sum, a_most] = a;
    auto [b_sum, b_most] = b;
    return std::tuple{a_sum + b_sum, fg::max(a_most, b_most)};
  };
  auto products = values * fg::gather(x, columns);  // none is negative
  return fg::unzip(
      fg::segmented_reduce(join, SumAndMost{0.f, 0.f}, fg::offsets(row_starts), fg::zip(products, products)));
}

// Sorting.

template <class T>
Vec<T> sorted_of(Vec<T> xs) {
  return fg::sort(xs);
}

inline std::tuple<Vec<int>, Vec<int>> sorted_pairs(Vec<int> keys, Vec<int> payload) {
  return fg::sort_by_key(keys, payload);
}

// Loops and sums for each element.

inline Mat<int> mandelbrot_set_of_doubles(Exp<fg::i64> side) {
  auto step = 3.0 / fg::cast<double>(side);
  return fg::generate({side, side}, [=](Exp<fg::i64> i, Exp<fg::i64> j) {
    auto re = -2.25 + fg::cast<double>(j) * step, im = -1.5 + fg::cast<double>(i) * step;
    auto inside = [](Exp<double> x, Exp<double> y, Exp<int> k) {
      return x * x + y * y <= 4.0 && k < mandelbrot_limit;
    };
    auto next = [=](Exp<double> x, Exp<double> y, Exp<int> k) {
      return std::tuple{x * x - y * y + re, 2.0 * x * y + im, k + 1};
    };
    return std::get<2>(fg::while_loop(inside, next, 0.0, 0.0, 0));
  });
}

inline Mat<int> julia_set(Exp<fg::i64> side) {
  auto step = 3.f / fg::cast<float>(side);
  return fg::generate({side, side}, [=](Exp<fg::i64> i, Exp<fg::i64> j) {
    auto inside = [](Exp<float> x, Exp<float> y, Exp<int> k) {
      return x * x + y * y <= 4.f && k < mandelbrot_limit;
    };
    auto next = [](Exp<float> x, Exp<float> y, Exp<int> k) {
      return std::tuple{x * x - y * y + julia_re, 2.f * x * y + julia_im, k + 1};
    };
    auto re = -1.5f + fg::cast<float>(j) * step, im = -1.5f + fg::cast<float>(i) * step;
    return std::get<2>(fg::while_loop(inside, next, re, im, 0));
  });
}

inline Vec<int> collatz_steps(Exp<fg::i64> n) {
  return fg::generate(n, [](Exp<fg::i64> i) {
    auto more = [](Exp<fg::i64> x, Exp<int>) { return x != 1; };
    auto next = [](Exp<fg::i64> x, Exp<int> k) {
      return std::tuple{fg::select((x & 1) == 0, x >> 1, 3 * x + 1), k + 1};
    };
    return std::get<1>(fg::while_loop(more, next, i + 1, 0));
  });
}

inline std::tuple<Vec<double>, Vec<double>, Vec<double>> n_body_of_doubles(Vec<double> x, Vec<double> y,
                                                                           Vec<double> z, Vec<double> mass) {
  auto acceleration = [&](Exp<double> at_x, Exp<double> at_y, Exp<double> at_z) {
    auto dx = x - at_x, dy = y - at_y, dz = z - at_z;
    auto r = fg::rsqrt(dx * dx + dy * dy + dz * dz + double{softening}), w = mass * r * r * r;
    return std::tuple{fg::sum(w * dx), fg::sum(w * dy), fg::sum(w * dz)};
  };
  return fg::unzip(fg::map(acceleration, x, y, z));
}

// The potential of each point, and the sum of the forces' magnitudes.
inline std::tuple<Vec<float>, Vec<float>> potentials_and_forces(Vec<float> x, Vec<float> y, Vec<float> z,
                                                                Vec<float> mass) {
  auto at_point = [&](Exp<float> at_x, Exp<float> at_y, Exp<float> at_z) {
    auto dx = x - at_x, dy = y - at_y, dz = z - at_z;
    auto r = fg::rsqrt(dx * dx + dy * dy + dz * dz + softening), potential = mass * r;
    return std::tuple{fg::sum(potential), fg::sum(potential * r)};
  };
  return fg::unzip(fg::map(at_point, x, y, z));
}

inline Vec<int> nearest_neighbours(Vec<float> x, Vec<float> y, Vec<float> z) {
  using Candidate = std::tuple<float, int>;  // square of the distance, index
  auto nearer = [](Exp<Candidate> a, Exp<Candidate> b) { return fg::select(b.get<0>() < a.get<0>(), b, a); };
  const float far = std::numeric_limits<float>::infinity();
  const Candidate nobody{far, std::numeric_limits<int>::max()};
  auto points = fg::iota<int>(x.size());
  auto nearest_to = [&](Exp<float> at_x, Exp<float> at_y, Exp<float> at_z, Exp<int> self) {
    auto dx = x - at_x, dy = y - at_y, dz = z - at_z;
    auto distances = fg::select(points == self, far, dx * dx + dy * dy + dz * dz);
    auto [distance, index] = fg::reduce(nearer, nobody, fg::zip(distances, points));
    return index;
  };
  return fg::map(nearest_to, x, y, z, points);
}

}  // namespace bench
