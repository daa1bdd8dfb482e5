// Programs of the benchmark table beside the redomap paper's and those of examples/: prices of a year of days
// in one sum, a sparse product, histograms, a filter, a sort, the Mandelbrot set, gravitation, a matrix
// product. Against plain C++; how many kernels they are, what these move.
#include "sizes.h"
#include "structure.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

namespace {

using fg::i64;
using structure::expect_one_kernel, structure::expect_structure;

std::vector<int> integers(std::size_t n, int low, int high) {
  std::mt19937 random(static_cast<unsigned>(n) + 1);
  std::vector<int> xs(n);
  for (int& x : xs)
    x = static_cast<int>(low + static_cast<i64>(random() % static_cast<std::uint64_t>(i64{high} - low + 1)));
  return xs;
}
std::vector<float> floats(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(-1, 1);
  std::vector<float> xs(n);
  for (float& x : xs) x = draw(random);
  return xs;
}

// ---- BlackScholesSum

Exp<float> normal_cdf(Exp<float> d) {
  auto l = fg::abs(d), k = 1.f / (1.f + 0.2316419f * l);
  auto p =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  auto w = 1.f - 0.39894228f * fg::exp(-0.5f * l * l) * p;
  return fg::select(d < 0.f, 1.f - w, w);
}
Exp<float> black_scholes_sum(Exp<i64> days) {
  return fg::sum(fg::generate(days, [=](Exp<i64> day) {
    const float rate = 0.08f, volatility = 0.3f, strike = 65.f;
    auto t = fg::cast<float>(day + 1) / fg::cast<float>(days), spot = 58.f + 4.f * t, years = 10.f * t;
    auto spread = volatility * fg::sqrt(years);
    auto d1 = (fg::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    return spot * normal_cdf(d1) - strike * fg::exp(-rate * years) * normal_cdf(d1 - spread);
  }));
}

TEST(BenchmarkTable, BlackScholesSum) {
  on_every_engine(black_scholes_sum, [](const auto& f) {
    for (std::size_t n : sizes) {
      double sum = 0;
      for (std::size_t day = 1; day <= n; ++day) {
        const double t = static_cast<double>(day) / static_cast<double>(n), spot = 58 + 4 * t, years = 10 * t;
        const double spread = 0.3 * std::sqrt(years), d1 = (std::log(spot / 65) + 0.125 * years) / spread;
        const auto normal = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
        sum += spot * normal(d1) - 65 * std::exp(-0.08 * years) * normal(d1 - spread);
      }
      EXPECT_NEAR(f(static_cast<i64>(n)), sum, 2e-5 * static_cast<double>(n) + 4e-6 * sum) << n << " days";
    }
  });
  expect_one_kernel(black_scholes_sum, {"0", "0"}, 0, i64{1'000'003});
}

// ---- SMVM: a matrix in compressed sparse rows times a vector

Vec<float> sparse_times_vector(Vec<int> row_starts, Vec<int> columns, Vec<float> values, Vec<float> x) {
  return fg::segmented_reduce(fg::plus, 0.f, fg::offsets(row_starts), values * fg::gather(x, columns));
}

struct Sparse {
  std::vector<int> starts{0}, columns;
  std::vector<float> values, x;
};
Sparse sparse_matrix(std::size_t n) {  // rows of 0 to 32 elements
  std::mt19937 random(static_cast<unsigned>(n));
  Sparse matrix;
  matrix.x = floats(n / 16 + 1, 1);
  matrix.values = floats(n, 2);
  while (matrix.columns.size() < n) {
    const std::size_t length = std::min<std::size_t>(random() % 33, n - matrix.columns.size());
    for (std::size_t k = 0; k < length; ++k)
      matrix.columns.push_back(static_cast<int>(random() % matrix.x.size()));
    matrix.starts.push_back(static_cast<int>(matrix.columns.size()));
  }
  return matrix;
}

TEST(BenchmarkTable, SparseTimesVector) {
  on_every_engine(sparse_times_vector, [](const auto& f) {
    for (std::size_t n : sizes) {
      SCOPED_TRACE(n);
      const Sparse m = sparse_matrix(n);
      const fg::Array<float> product = f(m.starts, m.columns, m.values, m.x);
      ASSERT_EQ(product.size() + 1, static_cast<i64>(m.starts.size()));
      for (std::size_t row = 0; row + 1 < m.starts.size(); ++row) {
        double sum = 0;
        for (auto k = static_cast<std::size_t>(m.starts[row]);
             k < static_cast<std::size_t>(m.starts[row + 1]); ++k)
          sum += double(m.values[k]) * m.x[static_cast<std::size_t>(m.columns[k])];
        ASSERT_NEAR(product[static_cast<i64>(row)], sum, 1e-5) << "row " << row;
      }
    }
  });
  // One kernel looks whether the offsets ascend, the other multiplies and adds, row by row.
  const Sparse m = sparse_matrix(1'000'003);
  expect_structure(sparse_times_vector, {.summary = "2 kernels, no intermediate array", .launches = 2},
                   4 * (m.starts.size() - 1), 64u << 10, m.starts, m.columns, m.values, m.x);
}

// ---- Hist10, Hist256, Hist1M

Vec<int> count_keys(Vec<int> keys, Exp<i64> bins) {
  return fg::histogram(fg::plus, 0, bins, keys, fg::replicate(keys.size(), 1));
}

TEST(BenchmarkTable, Histograms) {
  on_every_engine(count_keys, [](const auto& f) {
    for (int bins : {10, 256, 1'000'000})
      for (std::size_t n : sizes) {
        const std::vector<int> keys = integers(n, 0, bins - 1);
        std::vector<int> expected(static_cast<std::size_t>(bins));
        for (int key : keys) ++expected[static_cast<std::size_t>(key)];
        EXPECT_EQ(f(keys, bins).to_vector(), expected) << n << " keys of " << bins;
      }
  });
  expect_one_kernel(count_keys, {"4n", "4b"}, 4 * 256, integers(1'000'003, 0, 255), i64{256});
}

// ---- FilterEven

Vec<int> filter_even(Vec<int> xs) {
  return fg::filter([](Exp<int> x) { return (x & 1) == 0; }, xs);
}

TEST(BenchmarkTable, FilterEven) {
  on_every_engine(filter_even, [](const auto& f) {
    for (std::size_t n : sizes) {
      const std::vector<int> xs = integers(n, -10'000, 10'000);
      std::vector<int> expected;
      std::copy_if(xs.begin(), xs.end(), std::back_inserter(expected), [](int x) { return x % 2 == 0; });
      EXPECT_EQ(f(xs).to_vector(), expected) << n << " elements";
    }
  });
  // The intermediate array is where the kept ones begin and end, two numbers.
  expect_structure(filter_even, {.summary = "1 kernel, 1 intermediate array"}, 0, 4'000'012 + (64u << 10),
                   integers(1'000'003, 0, 9));
}

// ---- Sort

Vec<int> sorted(Vec<int> xs) {
  return fg::sort(xs);
}

TEST(BenchmarkTable, Sort) {
  on_every_engine(sorted, [](const auto& f) {
    for (std::size_t n : sizes) {
      std::vector<int> xs = integers(n, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
      const std::vector<int> result = f(xs).to_vector();
      std::sort(xs.begin(), xs.end());
      EXPECT_EQ(result, xs) << n << " elements";
    }
  });
  // The range of the keys, how they are spread in it, the row of each part of it, the rows, the longest, and
  // what sorts them; by digits instead.
  expect_structure(sorted, {.summary = "7 kernels, 1 intermediate array", .launches = 6}, 4'000'012,
                   3 * 4'000'012 + (1u << 20), integers(1'000'003, 0, 1'000'000));
  expect_structure(sorted, {.summary = "7 kernels, 1 intermediate array", .launches = 1}, 4'000,
                   2 * 4'000 + (64u << 10), integers(1'000, 0, 1'000'000));
}

// ---- Mandelbrot

Mat<int> mandelbrot_set(Exp<i64> side) {
  auto step = 3.f / fg::cast<float>(side);
  return fg::generate({side, side}, [=](Exp<i64> i, Exp<i64> j) {
    auto re = -2.25f + fg::cast<float>(j) * step, im = -1.5f + fg::cast<float>(i) * step;
    auto inside = [](Exp<float> x, Exp<float> y, Exp<int> k) { return x * x + y * y <= 4.f && k < 256; };
    auto next = [=](Exp<float> x, Exp<float> y, Exp<int> k) {
      return std::tuple{x * x - y * y + re, 2.f * x * y + im, k + 1};
    };
    return std::get<2>(fg::while_loop(inside, next, 0.f, 0.f, 0));
  });
}

TEST(BenchmarkTable, Mandelbrot) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);  // contraction changes the number of steps of some points
    const auto f = fg::compile(mandelbrot_set, {.engine = engine, .precision = fg::Precision::strict});
    for (int side : {0, 1, 2, 15, 16, 17, 33, 64, engine == fg::Engine::interpreter ? 65 : 317}) {
      const float step = 3.f / static_cast<float>(side);
      std::vector<int> expected;
      for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
          const float re = -2.25f + static_cast<float>(j) * step, im = -1.5f + static_cast<float>(i) * step;
          float x = 0, y = 0;
          int k = 0;
          for (; k < 256 && x * x + y * y <= 4.f; ++k) {
            const float next = x * x - y * y + re;
            y = 2.f * x * y + im;
            x = next;
          }
          expected.push_back(k);
        }
      EXPECT_EQ(f(side).to_vector(), expected) << side;
    }
  }
  expect_one_kernel(mandelbrot_set, {"0", "4a*a"}, 4 * 300 * 300, i64{300});
}

// ---- NBody

std::tuple<Vec<float>, Vec<float>, Vec<float>> accelerations(Vec<float> x, Vec<float> y, Vec<float> z,
                                                             Vec<float> mass) {
  auto acceleration = [&](Exp<float> at_x, Exp<float> at_y, Exp<float> at_z) {
    auto dx = x - at_x, dy = y - at_y, dz = z - at_z;
    auto r = 1.f / fg::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f), w = mass * r * r * r;
    return std::tuple{fg::sum(w * dx), fg::sum(w * dy), fg::sum(w * dz)};
  };
  return fg::unzip(fg::map(acceleration, x, y, z));
}

TEST(BenchmarkTable, NBody) {
  on_every_engine(accelerations, [](const auto& f) {
    for (std::size_t n : {0u, 1u, 2u, 15u, 16u, 17u, 63u, 64u, 65u, 127u,
                          f.options().engine == fg::Engine::cpu ? 1025u : 129u}) {
      SCOPED_TRACE(n);
      const auto x = floats(n, 1), y = floats(n, 2), z = floats(n, 3), mass = floats(n, 4);
      const auto [ax, ay, az] = f(x, y, z, mass);
      for (std::size_t i = 0; i < n; ++i) {
        double sums[3] = {}, magnitude = 0;
        for (std::size_t j = 0; j < n; ++j) {
          const double dx = double(x[j]) - x[i], dy = double(y[j]) - y[i], dz = double(z[j]) - z[i];
          const double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + double(1e-3f)),
                       w = mass[j] * r * r * r;
          sums[0] += w * dx, sums[1] += w * dy, sums[2] += w * dz;
          magnitude += std::abs(w);
        }
        const auto at = static_cast<i64>(i);
        ASSERT_NEAR(ax[at], sums[0], 3e-6 * magnitude) << "body " << i;
        ASSERT_NEAR(ay[at], sums[1], 3e-6 * magnitude) << "body " << i;
        ASSERT_NEAR(az[at], sums[2], 3e-6 * magnitude) << "body " << i;
      }
    }
  });
  const auto x = floats(1000, 1);
  expect_one_kernel(accelerations, {"4m + 12n", "12n"}, 3 * 4 * 1000, x, x, x, x);
}

// ---- MatMul

Mat<float> matrix_product(Mat<float> a, Mat<float> b) {
  return fg::matmul(a, b);
}

TEST(BenchmarkTable, MatrixProduct) {
  on_every_engine(matrix_product, [](const auto& f) {
    for (i64 n : {0, 1, 2, 15, 16, 17, 33, f.options().engine == fg::Engine::cpu ? 130 : 40}) {
      SCOPED_TRACE(n);
      const i64 k = n + 3, m = n + 1;
      const auto a = floats(static_cast<std::size_t>(n * k), 1),
                 b = floats(static_cast<std::size_t>(k * m), 2);
      const auto c = f(fg::view(a.data(), {n, k}), fg::view(b.data(), {k, m}));
      for (i64 i = 0; i < n; ++i)
        for (i64 j = 0; j < m; ++j) {
          double sum = 0;
          for (i64 l = 0; l < k; ++l)
            sum += double(a[static_cast<std::size_t>(i * k + l)]) * b[static_cast<std::size_t>(l * m + j)];
          ASSERT_NEAR(c(i, j), sum, 2e-5) << i << ", " << j;
        }
    }
  });
  const auto a = floats(100 * 100, 1);
  expect_one_kernel(matrix_product, {"4k*m + 4m*n", "4k*n"}, 4 * 100 * 100, fg::view(a.data(), {100, 100}),
                    fg::view(a.data(), {100, 100}));
}

// ---- all of it by blocks of threads

TEST(BenchmarkTable, IsRunByManyThreadsOfADevice) {
  const fg::Options options{.engine = fg::Engine::emulator};
  const ParallelOnDevice is_parallel(options.engine);
  const std::uint64_t before = fg::stats().device_launches;
  const auto run = [&](const auto& f, const auto&... arguments) {
    [[maybe_unused]] const auto result = fg::compile(f, options)(arguments...);
  };
  const Sparse m = sparse_matrix(1000);
  const auto x = floats(100, 1);
  const auto matrix = fg::view(x.data(), {10, 10});
  run(black_scholes_sum, i64{1000});
  run(sparse_times_vector, m.starts, m.columns, m.values, m.x);
  run(count_keys, integers(1000, 0, 9), i64{10});
  run(filter_even, integers(1000, 0, 9));
  run(sorted, integers(1000, 0, 1000));
  run(mandelbrot_set, i64{10});
  run(accelerations, x, x, x, x);
  run(matrix_product, matrix, matrix);
  EXPECT_GE(fg::stats().device_launches - before, 8u);
}

}  // namespace
