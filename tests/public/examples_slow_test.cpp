// The programs of examples/: against plain C++ and the interpreter at sizes around vectors, tiles and tasks;
// how many kernels they are and what they allocate.
#include "../../examples/barracuda.h"
#include "../../examples/black_scholes.h"
#include "../../examples/jacobi.h"
#include "../../examples/moving_average.h"
#include "engines.h"
#include "sizes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

namespace {

std::vector<float> values(std::size_t n, unsigned seed, float low = -1, float high = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(low, high);
  std::vector<float> xs(n);
  for (float& x : xs) x = draw(random);
  return xs;
}

// Both engines without contraction: the same bits.
template <class F, class... Arguments>
void expect_same_bits(F f, const Arguments&... arguments) {
  auto reference = fg::compile(f, {.engine = fg::Engine::interpreter, .precision = fg::Precision::strict});
  auto fast = fg::compile(f, {.engine = fg::Engine::cpu, .precision = fg::Precision::strict});
  const auto expected = reference(arguments...).to_vector(), given = fast(arguments...).to_vector();
  ASSERT_EQ(given.size(), expected.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(given[i]), std::bit_cast<std::uint32_t>(expected[i]))
        << "element " << i;
}

template <class Expected>
void expect_near(const std::vector<float>& given, std::size_t n, Expected expected, double tolerance) {
  ASSERT_EQ(given.size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    const double wanted = expected(i);
    ASSERT_NEAR(given[i], wanted, tolerance * std::max(1.0, std::abs(wanted))) << "element " << i;
  }
}

// What docs/semantics.md promises of a float sum, with the sum of the magnitudes.
double sum_bound(std::size_t n, double magnitudes) {
  return n < 2 ? 0 : 2 * std::log2(static_cast<double>(n)) * 0x1p-23 * magnitudes + 1e-30;
}

TEST(Examples, ElementwiseProgramsAgree) {
  for (std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const auto x = values(n, 1), y = values(n, 2);
    on_every_engine(barracuda::array_sine, [&](const auto& f) {
      expect_near(f(x).to_vector(), n, [&](std::size_t i) { return std::sin(double(x[i])); }, 2.5e-7);
    });
    on_every_engine(barracuda::add_value, [&](const auto& f) {
      expect_near(f(2.5f, x).to_vector(), n, [&](std::size_t i) { return 2.5f + x[i]; }, 0);
    });
    on_every_engine(barracuda::mul_add, [&](const auto& f) {
      expect_near(f(x).to_vector(), n, [&](std::size_t i) { return std::fma(2.0f, x[i], 1.0f); }, 0);
    });
    on_every_engine(barracuda::saxpy, [&](const auto& f) {
      expect_near(
          f(1.7f, x, y).to_vector(), n, [&](std::size_t i) { return double(1.7f) * x[i] + y[i]; }, 2.5e-7);
    });
    expect_same_bits(barracuda::add_value, 2.5f, x);
    expect_same_bits(barracuda::mul_add, x);
    expect_same_bits(barracuda::saxpy, 1.7f, x, y);
  }
}

TEST(Examples, StencilsAgree) {
  for (std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const auto x = values(n, 3);
    if (n > 0) {
      on_every_engine(barracuda::forward_difference, [&](const auto& f) {
        expect_near(f(x).to_vector(), n - 1, [&](std::size_t i) { return x[i + 1] - x[i]; }, 0);
      });
      expect_same_bits(barracuda::forward_difference, x);
    }
    if (n >= 15) {
      on_every_engine(moving_average::weighted_moving_average, [&](const auto& f) {
        const auto expected = [&](std::size_t i) {
          double total = 0;
          for (std::size_t k = 0; k < 15; ++k)
            total += double(moving_average::spencer[k] / moving_average::spencer_total) * x[i + k];
          return total;
        };
        expect_near(f(x).to_vector(), n - 15, expected, 1e-6);
      });
      expect_same_bits(moving_average::weighted_moving_average, x);
    }
  }
}

TEST(Examples, JacobiAgrees) {
  const std::int64_t shapes[][2] = {{2, 2},     {3, 3},       {3, 70},     {18, 17},   {66, 67},
                                    {257, 513}, {1000, 1000}, {5, 40'000}, {40'000, 5}};
  for (const auto& shape : shapes) {
    const std::int64_t r = shape[0], c = shape[1];
    SCOPED_TRACE(testing::Message() << r << " x " << c);
    const auto u = values(static_cast<std::size_t>(r * c), 4),
               rhs = values(static_cast<std::size_t>((r - 2) * (c - 2)), 5);
    const auto at = [&](std::int64_t i, std::int64_t j) { return u[static_cast<std::size_t>(i * c + j)]; };
    const auto field = fg::view(u.data(), {r, c}), right = fg::view(rhs.data(), {r - 2, c - 2});
    on_every_engine(jacobi::jacobi_step, [&](const auto& f) {
      const auto expected = [&](std::size_t k) {
        const std::int64_t i = static_cast<std::int64_t>(k) / (c - 2) + 1,
                           j = static_cast<std::int64_t>(k) % (c - 2) + 1;
        return 0.25 * (double(at(i - 1, j)) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - rhs[k]);
      };
      expect_near(f(field, right).to_vector(), rhs.size(), expected, 5e-7);
    });
    expect_same_bits(jacobi::jacobi_step, field, right);
    const auto whole = values(static_cast<std::size_t>(r * c), 6);
    expect_same_bits(jacobi::relax, field, fg::view(whole.data(), {r, c}));
  }
}

void expect_sum_added(const std::vector<float>& result, const std::vector<float>& x,
                      const std::vector<float>& y) {
  double sum = 0, all = 0;
  for (float v : x) sum += v, all += std::abs(v);
  const double tolerance = sum_bound(x.size(), all) + 1e-6 * (1 + std::abs(sum));
  ASSERT_EQ(result.size(), y.size());
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(result[i], sum + y[i], tolerance);
}

TEST(Examples, ReductionsAgree) {
  for (std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const auto x = values(n, 7), y = values(n, 8);
    long double dot = 0, magnitudes = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      dot += static_cast<long double>(x[i]) * y[i];
      magnitudes += std::abs(static_cast<long double>(x[i]) * y[i]);
      const long double d = x[i] - y[i];
      squares += d * d;
    }
    // A product is rounded once before it is added, or not at all.
    on_every_engine(barracuda::sdot, [&](const auto& f) {
      EXPECT_NEAR(f(x, y), double(dot), sum_bound(n, double(magnitudes)) + 0x1p-24 * double(magnitudes));
    });
    if (n > 0) {
      on_every_engine(barracuda::rmse, [&](const auto& f) {
        const double wanted = std::sqrt(double(squares) / double(n));
        EXPECT_NEAR(f(x, y), wanted, wanted * (sum_bound(n, 1) + 4 * 0x1p-24));
      });
      on_every_engine(barracuda::array_maximum,
                      [&](const auto& f) { EXPECT_EQ(f(x), *std::max_element(x.begin(), x.end())); });
    }
    if (n > 1025) continue;  // the interpreter sums anew for every element
    on_every_engine(barracuda::add_sum, [&](const auto& f) { expect_sum_added(f(x, y).to_vector(), x, y); });
  }
}

TEST(Examples, HoistedSumOfManyElements) {
  const auto x = values(1'000'000, 17), y = values(100'003, 18);
  expect_sum_added(fg::compile(barracuda::add_sum, {.engine = fg::Engine::cpu})(x, y).to_vector(), x, y);
}

TEST(Examples, NestedSumsAgree) {
  const auto x = values(37, 9), y = values(1025, 10);
  double sum = 0;
  for (float v : x) sum += v;
  on_every_engine(barracuda::ndp, [&](const auto& f) {
    expect_near(f(x, y).to_vector(), y.size(), [&](std::size_t i) { return sum + 37 * double(y[i]); }, 5e-6);
  });
}

TEST(Examples, BlackScholesAgrees) {
  for (std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const auto spot = values(n, 11, 20, 120), strike = values(n, 12, 20, 120),
               years = values(n, 13, 0.1f, 10);
    on_every_engine(black_scholes::black_scholes, [&](const auto& f) {
      const auto [call, put] = f(spot, strike, years);
      const auto normal = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
      const auto discounted = [&](std::size_t i) { return strike[i] * std::exp(-double(0.08f) * years[i]); };
      const auto price = [&](std::size_t i) {
        const double spread = double(0.3f) * std::sqrt(double(years[i]));
        const double d1 =
            (std::log(double(spot[i]) / strike[i]) + (double(0.08f) + 0.5 * 0.3f * 0.3f) * years[i]) / spread;
        return spot[i] * normal(d1) - discounted(i) * normal(d1 - spread);
      };
      // The polynomial for the normal distribution is within 7.5e-8 of it, on prices up to 120.
      const auto calls = call.to_vector(), puts = put.to_vector();
      ASSERT_EQ(calls.size(), n);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_NEAR(calls[i], price(i), 1e-4) << "element " << i;
        ASSERT_NEAR(puts[i], price(i) + discounted(i) - spot[i], 1e-4) << "element " << i;
      }
    });
  }
}

// One launch, and no memory but the results' and 64 KiB.
template <class F, class... Arguments>
void expect_one_kernel(F f, std::size_t result_bytes, const Arguments&... arguments) {
  auto compiled = fg::compile(f, {.engine = fg::Engine::cpu});
  const auto before = fg::stats();
  [[maybe_unused]] const auto result = compiled(arguments...);
  const auto after = fg::stats();
  EXPECT_EQ(after.launches - before.launches, 1u);
  EXPECT_GE(after.bytes_allocated - before.bytes_allocated, result_bytes);
  EXPECT_LE(after.bytes_allocated - before.bytes_allocated, result_bytes + (64u << 10));
  EXPECT_EQ(after.compilations - before.compilations, 0u);
}

TEST(Examples, OneKernelAndNoIntermediateArray) {
  const std::size_t n = 1'000'003, bytes = n * sizeof(float);
  const auto x = values(n, 14, 20, 120), y = values(n, 15, 20, 120), z = values(n, 16, 0.1f, 10);
  expect_one_kernel(barracuda::saxpy, bytes, 1.7f, x, y);
  expect_one_kernel(barracuda::mul_add, bytes, x);
  expect_one_kernel(barracuda::sdot, 0, x, y);
  expect_one_kernel(barracuda::rmse, 0, x, y);
  expect_one_kernel(barracuda::forward_difference, bytes - sizeof(float), x);
  expect_one_kernel(moving_average::weighted_moving_average, bytes - 15 * sizeof(float), x);
  expect_one_kernel(black_scholes::black_scholes, 2 * bytes, x, y, z);
  expect_one_kernel(jacobi::jacobi_step, 998 * 998 * sizeof(float), fg::view(x.data(), {1000, 1000}),
                    fg::view(y.data(), {998, 998}));
}

}  // namespace
