// "serial": what a C++ programmer writes first, one thread, g++ -O3 without -ffast-math. These loops are also
// the definitions of the benchmarks: with sums in double precision they are the untimed reference.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "peers/functions.h"

namespace bench {
namespace {

void reduce_plus(Data& d) {
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) sum += d.small[i];
  d.results[0] = sum;
}

void reduce_max(Data& d) {
  std::int32_t most = std::numeric_limits<std::int32_t>::min();
  for (std::int64_t i = 0; i < d.n; ++i) most = std::max(most, d.tied[i]);
  d.results[0] = most;
}

void index_of_max(Data& d) {
  Indexed best{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  for (std::int64_t i = 0; i < d.n; ++i)
    best = larger_then_first(best, {d.tied[i], static_cast<std::int32_t>(i)});
  d.results[0] = best.value;
  d.results[1] = best.index;
}

void index_of_max_packed(Data& d) {
  std::int64_t best = std::numeric_limits<std::int64_t>::min();
  for (std::int64_t i = 0; i < d.n; ++i) best = std::max(best, pack(d.tied[i], static_cast<std::int32_t>(i)));
  d.results[0] = static_cast<std::int32_t>(best >> 32);
  d.results[1] = static_cast<std::int32_t>(~static_cast<std::uint32_t>(best));
}

void reduce_2x2(Data& d) {
  std::uint32_t seed = seed_2x2;
  for (int k = 0; k < products_2x2; ++k) {
    std::uint32_t product = identity_2x2;
    for (std::int64_t i = 0; i < d.n; ++i) product = multiply_2x2(product, lift_2x2(d.small[i], seed));
    seed = product;
  }
  d.results[0] = seed;
}

void maximum_segment_sum(Data& d) {
  Segment all{0, 0, 0, 0};
  for (std::int64_t i = 0; i < d.n; ++i) all = join(all, lift(d.small[i]));
  d.results[0] = all.best;
  d.results[1] = all.prefix;
  d.results[2] = all.suffix;
  d.results[3] = all.total;
}

void maximum_segment_product(Data& d) {
  Factors all{1, 1, 1, 1};
  for (std::int64_t i = 0; i < d.n; ++i) all = join(all, single(factor(d.x[i])));
  d.results[0] = all.best;
  d.results[1] = all.prefix;
  d.results[2] = all.suffix;
  d.results[3] = all.total;
}

void product_2x2(Data& d) {
  Doubles2x2 all{1, 0, 0, 1};
  for (std::int64_t i = 0; i < d.n; ++i) all = multiply(all, near_unit(d.x[i]));
  d.results[0] = all.a;
  d.results[1] = all.b;
  d.results[2] = all.c;
  d.results[3] = all.d;
}

void scan_plus(Data& d) {
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) d.out_ints[i] = sum += d.small[i];
}

void scan_max(Data& d) {
  float most = 0;
  for (std::int64_t i = 0; i < d.n; ++i) d.out[i] = most = std::max(most, d.x[i]);
}

void scan_2x2(Data& d) {
  std::uint32_t product = identity_2x2;
  for (std::int64_t i = 0; i < d.n; ++i) {
    product = multiply_2x2(product, lift_2x2(d.small[i], 0));
    d.out_ints[i] = static_cast<std::int32_t>(product);
  }
}

template <class Sum>
void redomap(Data& d) {
  const float a = 8.f / static_cast<float>(d.n), b = redomap_scale;
  Sum sum = 0;
  float least = std::numeric_limits<float>::infinity(), most = -least;
  for (std::int64_t i = 0; i < d.n; ++i) {
    const float x = redomap_f(static_cast<float>(i) * a), y = redomap_g(x * b);
    sum += x + y;
    least = std::min(least, x);
    most = std::max(most, y);
    d.out[i] = x * a;
    d.out2[i] = y * b;
  }
  d.results[0] = sum;
  d.results[1] = least;
  d.results[2] = most;
}

template <class Sum>
void redomap_of_paper(Data& d) {
  const float freq = 6144.f / static_cast<float>(d.n);
  Sum sum = 0;
  float least = std::numeric_limits<float>::infinity(), most = -least;
  for (std::int64_t i = 0; i < d.n; ++i) {
    const float beg = freq * static_cast<float>(i) * month + maturity, end = freq * month + beg;
    d.out[i] = zero_coupon(beg);
    d.out2[i] = zero_coupon(end);
    sum += d.out2[i] * ((beg - end) / year);
    least = std::min(least, beg);
    most = std::max(most, end);
  }
  put_dates(d, sum, least, most);
}

template <class Sum>
void black_scholes_of_paper(Data& d) {
  Sum sum = 0;
  const float n = static_cast<float>(d.n);
  for (std::int32_t day = 1; day <= d.n; ++day) sum += black_scholes_price(day, n);
  d.results[0] = sum;
}

template <class Sum>
void black_scholes_sum(Data& d) {
  Sum sum = 0;
  const float per_day = 1.f / static_cast<float>(d.n);
  for (std::int64_t i = 0; i < d.n; ++i) sum += black_scholes_day(static_cast<std::int32_t>(i), per_day);
  d.results[0] = sum;
}

void black_scholes_map(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i)
    black_scholes(d.spot[i], d.strike[i], d.years[i], d.out[i], d.out2[i]);
}

void saxpy(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i) d.out[i] = saxpy_alpha * d.x[i] + d.y[i];
}

template <class Sum>
void sdot(Data& d) {
  Sum sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) sum += static_cast<Sum>(d.x[i]) * d.y[i];
  d.results[0] = sum;
}

template <class Sum>
void rmse(Data& d) {
  Sum sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) {
    const Sum difference = static_cast<Sum>(d.x[i]) - d.y[i];
    sum += difference * difference;
  }
  d.results[0] = std::sqrt(sum / static_cast<Sum>(d.n));
}

void forward_difference(Data& d) {
  for (std::int64_t i = 0; i + 1 < d.n; ++i) d.out[i] = d.x[i + 1] - d.x[i];
}

void moving_average(Data& d) {
  for (std::int64_t i = 0; i + 14 < d.n; ++i) {
    float sum = 0;
    for (int k = 0; k < 15; ++k) sum += d.weights[k] * d.x[i + k];
    d.out[i] = sum;
  }
}

void jacobi(Data& d) {
  const std::int64_t n = d.side;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const float* p = d.x + i * n + j;
      const bool boundary = i == 0 || j == 0 || i == n - 1 || j == n - 1;
      d.out[i * n + j] = boundary ? *p : 0.2f * (p[0] + p[-n] + p[n] + p[-1] + p[1]);
    }
}

template <class Sum>
void sparse_times_vector(Data& d) {
  for (std::int64_t row = 0; row < d.rows; ++row) {
    Sum sum = 0;
    for (std::int32_t k = d.row_starts[row]; k < d.row_starts[row + 1]; ++k)
      sum += static_cast<Sum>(d.values[k]) * d.vector[d.columns[k]];
    d.out[row] = static_cast<float>(sum);
  }
}

void count_keys(Data& d) {
  std::memset(d.histogram, 0, static_cast<std::size_t>(d.bins) * 4);
  for (std::int64_t i = 0; i < d.n; ++i) ++d.histogram[d.keys[i]];
}

void least_of_keys(Data& d) {
  std::vector<std::int32_t> least(static_cast<std::size_t>(d.bins), std::numeric_limits<std::int32_t>::max());
  std::fill(d.histogram, d.histogram + d.bins, std::numeric_limits<std::int32_t>::max());
  for (std::int64_t i = 0; i < d.n; ++i) {
    std::int32_t& so_far = least[static_cast<std::size_t>(d.keys[i])];
    if (d.tied[i] >= so_far) continue;
    so_far = d.tied[i];
    d.histogram[d.keys[i]] = static_cast<std::int32_t>(i);
  }
}

void filter_even(Data& d) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < d.n; ++i)
    if (!(d.small[i] & 1)) d.out_ints[count++] = d.small[i];
  d.results[0] = static_cast<double>(count);
}

// Keeps structures of three fields whose first field is below a half.
void filter_fields(Data& d) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < d.n; ++i)
    if (d.x[i] < .5f) {
      d.out[count] = d.x[i];
      d.out2[count] = d.y[i];
      d.out3[count++] = d.z[i];
    }
  d.results[0] = static_cast<double>(count);
}

void sort(Data& d) {
  std::sort(d.out_ints, d.out_ints + d.n);
}

void mandelbrot_set(Data& d) {
  const std::int64_t n = d.side;
  const float step = 3.f / static_cast<float>(n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      d.out_ints[i * n + j] =
          mandelbrot(-2.25f + static_cast<float>(j) * step, -1.5f + static_cast<float>(i) * step);
}

template <class Sum>
void n_body(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i) {
    Sum ax = 0, ay = 0, az = 0;
    for (std::int64_t j = 0; j < d.n; ++j) {
      const float dx = d.x[j] - d.x[i], dy = d.y[j] - d.y[i], dz = d.z[j] - d.z[i];
      const float r = 1.f / std::sqrt(dx * dx + dy * dy + dz * dz + softening), w = d.mass[j] * r * r * r;
      ax += w * dx;
      ay += w * dy;
      az += w * dz;
    }
    d.out[i] = static_cast<float>(ax);
    d.out2[i] = static_cast<float>(ay);
    d.out3[i] = static_cast<float>(az);
  }
}

template <class Sum>
void matrix_product(Data& d) {
  const std::int64_t n = d.side;
  std::vector<Sum> row(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    std::fill(row.begin(), row.end(), Sum(0));
    for (std::int64_t k = 0; k < n; ++k) {
      const Sum a = d.left[i * n + k];
      for (std::int64_t j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] += a * d.right[k * n + j];
    }
    for (std::int64_t j = 0; j < n; ++j)
      d.out[i * n + j] = static_cast<float>(row[static_cast<std::size_t>(j)]);
  }
}

}  // namespace

void add_serial_peers(Peers& peers) {
  auto add = [&](const char* benchmark, Run timed, Run reference) {
    peers.add(benchmark, reference_name, reference);
    peers.add(benchmark, "serial", timed);
  };
  add("ReducePlus", reduce_plus, reduce_plus);
  add("ReduceMax", reduce_max, reduce_max);
  add("IndexOfMax", index_of_max, index_of_max);
  add("IndexOfMaxPack", index_of_max_packed, index_of_max_packed);
  add("Reduce2x2MM", reduce_2x2, reduce_2x2);
  add("MSSP", maximum_segment_sum, maximum_segment_sum);
  add("MSPP", maximum_segment_product, maximum_segment_product);
  add("Product2x2", product_2x2, product_2x2);
  add("ScanPlus", scan_plus, scan_plus);
  add("ScanMax", scan_max, scan_max);
  add("Scan2x2MM", scan_2x2, scan_2x2);
  add("RedomapNT", redomap<float>, redomap<double>);
  add("RedomapNT-paper", redomap_of_paper<float>, redomap_of_paper<double>);
  add("BlackScholes-paper", black_scholes_of_paper<float>, black_scholes_of_paper<double>);
  add("BlackScholesSum", black_scholes_sum<float>, black_scholes_sum<double>);
  add("BlackScholesMap", black_scholes_map, black_scholes_map);
  add("SAXPY", saxpy, saxpy);
  add("SDOT", sdot<float>, sdot<double>);
  add("RMSE", rmse<float>, rmse<double>);
  add("ForwardDiff", forward_difference, forward_difference);
  add("WMA15", moving_average, moving_average);
  add("Jacobi2D", jacobi, jacobi);
  add("SMVM", sparse_times_vector<float>, sparse_times_vector<double>);
  add("Hist10", count_keys, count_keys);
  add("Hist256", count_keys, count_keys);
  add("Hist1M", count_keys, count_keys);
  add("HistLeast256", least_of_keys, least_of_keys);
  add("FilterEven", filter_even, filter_even);
  add("FilterFields", filter_fields, filter_fields);
  add("Sort", sort, sort);
  add("Mandelbrot", mandelbrot_set, mandelbrot_set);
  add("NBody", n_body<float>, n_body<double>);
  add("MatMul", matrix_product<float>, matrix_product<double>);
}

}  // namespace bench
