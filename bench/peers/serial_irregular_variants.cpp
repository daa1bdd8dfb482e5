// "serial" of the variants of irregular and nested benchmarks, which is their definition, as in serial.cpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "peers/variant_functions.h"

namespace bench {
namespace {

template <class T, class Keep>
void filter(Data& d, const T* xs, T* out, Keep keep) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < d.n; ++i)
    if (keep(xs[i])) out[count++] = xs[i];
  d.results[0] = static_cast<double>(count);
}
void filter_doubles(Data& d) {
  filter(d, d.x_f64, d.out_f64, [](double x) { return x < .5; });
}
void filter_bytes(Data& d) {
  filter(d, d.small_u8, d.out_u8, [](std::uint8_t x) { return x % 2 == 0; });
}
// The even ones, then the odd ones.
void partition_ints(Data& d) {
  std::int64_t even = 0, odd = 0;
  for (std::int64_t i = 0; i < d.n; ++i)
    if (d.small[i] % 2 == 0)
      d.out_ints[even++] = d.small[i];
    else
      d.out_ints2[odd++] = d.small[i];
  d.results[0] = static_cast<double>(even);
}
void join_parts(Data& d) {
  const auto even = static_cast<std::int64_t>(d.results[0]);
  std::copy_n(d.out_ints2, d.n - even, d.out_ints + even);
}
void partition_and_join(Data& d) {
  partition_ints(d);
  join_parts(d);
}

template <class Sum>
void sums_by_key(Data& d) {
  std::vector<Sum> sums(static_cast<std::size_t>(d.bins));
  for (std::int64_t i = 0; i < d.n; ++i) sums[static_cast<std::size_t>(d.keys[i])] += d.x[i];
  std::transform(sums.begin(), sums.end(), d.histogram_f32, [](Sum sum) { return static_cast<float>(sum); });
}
template <class Sum>
void counts_and_sums_by_key(Data& d) {
  sums_by_key<Sum>(d);
  std::fill_n(d.histogram, d.bins, 0);
  for (std::int64_t i = 0; i < d.n; ++i) ++d.histogram[d.keys[i]];
}
void maxima_by_key(Data& d) {
  std::fill_n(d.histogram, d.bins, std::numeric_limits<std::int32_t>::min());
  for (std::int64_t i = 0; i < d.n; ++i) d.histogram[d.keys[i]] = std::max(d.histogram[d.keys[i]], d.tied[i]);
}
void count_bytes(Data& d) {
  std::fill_n(d.histogram, d.bins, 0);
  for (std::int64_t i = 0; i < d.n; ++i) ++d.histogram[d.small_u8[i]];
}
void long_sums_by_key(Data& d) {
  std::fill_n(d.histogram_i64, d.bins, 0);
  for (std::int64_t i = 0; i < d.n; ++i) d.histogram_i64[d.keys[i]] += d.small[i];
}
void bits_by_key(Data& d) {
  std::fill_n(d.histogram, d.bins, 0);
  for (std::int64_t i = 0; i < d.n; ++i) d.histogram[d.keys[i]] |= d.small[i];
}

// f(row, k) for each element k of each row, between begin(row) and end(row).
template <class Begin, class F, class End>
void for_rows(const Data& d, Begin begin, F f, End end) {
  for (std::int64_t row = 0; row < d.rows; ++row) {
    begin();
    for (std::int32_t k = d.row_starts[row]; k < d.row_starts[row + 1]; ++k) f(k);
    end(row);
  }
}
void sparse_times_vector_of_doubles(Data& d) {
  double sum = 0;
  for_rows(
      d, [&] { sum = 0; }, [&](std::int32_t k) { sum += d.x_f64[k] * d.y_f64[d.columns[k]]; },
      [&](std::int64_t row) { d.out_f64[row] = sum; });
}
void shortest_steps(Data& d) {
  float least = 0;
  for_rows(
      d, [&] { least = no_step; },
      [&](std::int32_t k) { least = std::min(least, d.values[k] + d.vector[d.columns[k]]); },
      [&](std::int64_t row) { d.out[row] = least; });
}
template <class Sum>
void row_sums_and_maxima(Data& d) {
  Sum sum = 0;
  float most = 0;
  for_rows(
      d, [&] { sum = most = 0; },
      [&](std::int32_t k) {
        const float product = d.values[k] * d.vector[d.columns[k]];
        sum += product;
        most = std::max(most, product);
      },
      [&](std::int64_t row) {
        d.out[row] = static_cast<float>(sum);
        d.out2[row] = most;
      });
}

// The payload is where the keys stood, so that the pairs in order are those of the stable sort.
void sort_pairs(Data& d) {
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs(static_cast<std::size_t>(d.n));
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {d.out_ints[i], d.out_ints2[i]};
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < pairs.size(); ++i) std::tie(d.out_ints[i], d.out_ints2[i]) = pairs[i];
}

void mandelbrot_set_of_doubles(Data& d) {
  const std::int64_t n = d.side;
  const double step = 3. / static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      d.out_ints[i * n + j] =
          escape_time(0., 0., -2.25 + static_cast<double>(j) * step, -1.5 + static_cast<double>(i) * step);
}
void julia_set(Data& d) {
  const std::int64_t n = d.side;
  const float step = 3.f / static_cast<float>(n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      d.out_ints[i * n + j] = escape_time(-1.5f + static_cast<float>(j) * step,
                                          -1.5f + static_cast<float>(i) * step, julia_re, julia_im);
}
void collatz_steps(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i) d.out_ints[i] = collatz(i + 1);
}

void n_body_of_doubles(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i) {
    double ax = 0, ay = 0, az = 0;
    for (std::int64_t j = 0; j < d.n; ++j) {
      const double dx = d.x_f64[j] - d.x_f64[i], dy = d.y_f64[j] - d.y_f64[i], dz = d.z_f64[j] - d.z_f64[i];
      const double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + softening), w = d.mass_f64[j] * r * r * r;
      ax += w * dx;
      ay += w * dy;
      az += w * dz;
    }
    d.out_f64[i] = ax;
    d.out2_f64[i] = ay;
    d.out3_f64[i] = az;
  }
}
template <class Sum>
void potentials_and_forces(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i) {
    Sum potential = 0, force = 0;
    for (std::int64_t j = 0; j < d.n; ++j) {
      const float dx = d.x[j] - d.x[i], dy = d.y[j] - d.y[i], dz = d.z[j] - d.z[i];
      const float r = 1.f / std::sqrt(dx * dx + dy * dy + dz * dz + softening), w = d.mass[j] * r;
      potential += w;
      force += w * r;
    }
    d.out[i] = static_cast<float>(potential);
    d.out2[i] = static_cast<float>(force);
  }
}
void nearest_neighbours(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i) {
    float least = std::numeric_limits<float>::max();
    for (std::int64_t j = 0; j < d.n; ++j) {
      const float dx = d.x[j] - d.x[i], dy = d.y[j] - d.y[i], dz = d.z[j] - d.z[i];
      const float distance = dx * dx + dy * dy + dz * dz;
      if (j == i || !(distance < least)) continue;
      least = distance;
      d.out_ints[i] = static_cast<std::int32_t>(j);
    }
  }
}

}  // namespace

void add_serial_irregular_variants_peers(Peers& peers) {
  auto add = [&](const char* benchmark, Run timed, Run reference) {
    peers.add(benchmark, reference_name, reference);
    peers.add(benchmark, "serial", timed);
  };
  auto add_exact = [&](const char* benchmark, Run run) { add(benchmark, run, run); };
  add_exact("FilterEven-f64", filter_doubles);
  add_exact("FilterEven-u8", filter_bytes);
  peers.add("FilterEven-partition", reference_name, partition_and_join);
  peers.add("FilterEven-partition", "serial", partition_ints, join_parts);
  for (const char* name : {"Hist10-f32", "Hist256-f32", "Hist1M-f32"})
    add(name, sums_by_key<float>, sums_by_key<double>);
  add_exact("Hist10-max", maxima_by_key);
  add("Hist10-count-sum", counts_and_sums_by_key<float>, counts_and_sums_by_key<double>);
  add_exact("Hist256-u8", count_bytes);
  add_exact("Hist256-i64", long_sums_by_key);
  add_exact("Hist1M-max", maxima_by_key);
  add_exact("Hist1M-or", bits_by_key);
  add_exact("SMVM-f64", sparse_times_vector_of_doubles);
  add_exact("SMVM-minplus", shortest_steps);
  add("SMVM-sum-max", row_sums_and_maxima<float>, row_sums_and_maxima<double>);
  add_exact("Sort-f32", [](Data& d) { std::sort(d.out, d.out + d.n); });
  add_exact("Sort-i64", [](Data& d) { std::sort(d.out_i64, d.out_i64 + d.n); });
  add_exact("Sort-pairs", sort_pairs);
  add_exact("Mandelbrot-f64", mandelbrot_set_of_doubles);
  add_exact("Mandelbrot-julia", julia_set);
  add_exact("Mandelbrot-collatz", collatz_steps);
  add_exact("NBody-f64", n_body_of_doubles);
  add("NBody-potential", potentials_and_forces<float>, potentials_and_forces<double>);
  add_exact("NBody-nearest", nearest_neighbours);
}

}  // namespace bench
