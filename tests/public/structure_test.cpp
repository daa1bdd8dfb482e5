// What becomes one kernel and what must not, with the values that it gives: operations side by side, results
// that are used again, index transforms, components that nobody reads, loop bodies and branches.
#include "structure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace {

using fg::i64;
using structure::expect_one_kernel, structure::expect_structure;

constexpr std::size_t many = 100'003;  // for what runs at run time; values are compared at small sizes
const std::size_t sizes[] = {0, 1, 2, 65, 1025};

std::vector<float> halves(std::size_t n, int modulus = 17) {  // sums are exact
  std::vector<float> xs(n);
  for (std::size_t i = 0; i < n; ++i)
    xs[i] = 0.5f * static_cast<float>(static_cast<int>(i * 7919 % static_cast<std::size_t>(modulus)) - 8);
  return xs;
}
std::vector<int> integers(std::size_t n) {
  std::vector<int> xs(n);
  for (std::size_t i = 0; i < n; ++i) xs[i] = static_cast<int>(i * 31 % 101) - 50;
  return xs;
}
float sum_of(const std::vector<float>& xs) {
  return std::accumulate(xs.begin(), xs.end(), 0.0f);
}

TEST(Structure, ReductionsOfDifferentTypes) {
  const auto program = [](Vec<float> x, Vec<int> k) {
    return std::tuple{fg::sum(x * 2.0f), fg::max(k), fg::count(x > 0.0f),
                      fg::sum(fg::cast<double>(x) * 0.25)};
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes) {
      const auto x = halves(n);
      const auto k = integers(n);
      const auto [sum, most, positive, quarter] = f(x, k);
      EXPECT_EQ(sum, 2 * sum_of(x));
      EXPECT_EQ(most, n == 0 ? std::numeric_limits<int>::min() : *std::max_element(k.begin(), k.end()));
      EXPECT_EQ(positive, std::count_if(x.begin(), x.end(), [](float v) { return v > 0; }));
      EXPECT_EQ(quarter, 0.25 * sum_of(x));
    }
  });
  // x and k have sizes of their own; the components of one array have one.
  const auto zipped = [](Vec<std::tuple<float, int>> xs) {
    auto [x, k] = fg::unzip(xs);
    return std::tuple{fg::sum(x * 2.0f), fg::max(k), fg::count(x > 0.0f)};
  };
  const fg::Array<std::tuple<float, int>> pairs(std::vector<std::tuple<float, int>>(many, {0.5f, 3}));
  expect_one_kernel(zipped, {"8n", "0"}, 0, pairs);
}

TEST(Structure, ResultsUsedAgain) {
  const auto program = [](Vec<float> x) {
    auto y = fg::exp(x) * 2.0f;
    return std::tuple{y, fg::sum(y), fg::max(y), fg::sqrt(y)};
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes) {
      const auto x = halves(n);
      const auto [y, sum, most, roots] = f(x);
      double total = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const auto at = static_cast<i64>(i);
        EXPECT_FLOAT_EQ(y[at], 2 * std::exp(x[i]));
        EXPECT_FLOAT_EQ(roots[at], std::sqrt(y[at]));
        EXPECT_LE(y[at], most);
        total += y[at];
      }
      EXPECT_NEAR(sum, total, 1e-5 * (1 + total));
    }
  });
  expect_one_kernel(program, {"4n", "8n"}, 8 * many, halves(many));
}

TEST(Structure, ScanReduceMap) {
  const auto program = [](Vec<int> x) {
    auto y = x * 3;
    return std::tuple{fg::scan(fg::plus, 0, y), fg::max(y), y + 1};
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes) {
      const auto x = integers(n);
      const auto [prefixes, most, next] = f(x);
      int sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(prefixes[static_cast<i64>(i)], sum += 3 * x[i]);
        EXPECT_EQ(next[static_cast<i64>(i)], 3 * x[i] + 1);
        EXPECT_LE(3 * x[i], most);
      }
    }
  });
  expect_one_kernel(program, {"4n", "8n"}, 8 * many, integers(many));
}

TEST(Structure, TwoHistograms) {
  const auto program = [](Vec<int> x) {
    auto bins = fg::abs(x) % 10;
    return std::tuple{fg::histogram(fg::plus, 0, 10, bins, x), fg::histogram(fg::max, -99, 7, x % 7, x)};
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes) {
      const auto x = integers(n);
      std::vector<int> sums(10), most(7, -99);
      for (int v : x) {
        sums[static_cast<std::size_t>(std::abs(v) % 10)] += v;
        if (v % 7 >= 0)
          most[static_cast<std::size_t>(v % 7)] = std::max(most[static_cast<std::size_t>(v % 7)], v);
      }
      const auto [s, m] = f(x);
      EXPECT_EQ(s.to_vector(), sums);
      EXPECT_EQ(m.to_vector(), most);
    }
  });
  expect_one_kernel(program, {"4n", "68"}, 68, integers(many));
}

TEST(Structure, FilterAfterMap) {
  const auto program = [](Vec<int> x) {
    return fg::filter([](Exp<int> v) { return v > 0; }, fg::map([](Exp<int> v) { return v * v - 100; }, x));
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes) {
      std::vector<int> expected;
      for (int v : integers(n))
        if (v * v > 100) expected.push_back(v * v - 100);
      EXPECT_EQ(f(integers(n)).to_vector(), expected);
    }
  });
  // Besides the result only where it begins and ends: two numbers.
  expect_structure(program, {.summary = "1 kernel, 1 intermediate array"}, 0, 4 * many + (64u << 10),
                   integers(many));
}

TEST(Structure, MapsAfterTransforms) {
  const auto program = [](Mat<float> m, Vec<float> x) {
    auto n = x.size();
    auto root = [](Exp<float> v) { return fg::sqrt(fg::abs(v)); };
    return std::tuple{fg::sum(fg::map(root, fg::transpose(fg::exp(m)))),
                      fg::map(root, fg::reverse(fg::exp(x)).slice(1, n) - fg::exp(x).slice(0, n - 1)),
                      fg::map(root, fg::concat(fg::exp(x), x * 2.0f))};
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes) {
      if (n == 0) continue;
      const auto x = halves(n), m = halves(3 * n);
      const auto [sum, differences, joined] = f(fg::view(m.data(), {static_cast<i64>(n), 3}), x);
      double total = 0;
      for (float v : m) total += std::exp(v / 2);
      EXPECT_NEAR(sum, total, 1e-5 * total);
      ASSERT_EQ(joined.size(), static_cast<i64>(2 * n));
      for (std::size_t i = 0; i < n; ++i) {
        const auto at = static_cast<i64>(i);
        EXPECT_FLOAT_EQ(joined[at], std::sqrt(std::exp(x[i])));
        EXPECT_FLOAT_EQ(joined[at + static_cast<i64>(n)], std::sqrt(std::abs(2 * x[i])));
        if (i + 1 < n) {
          EXPECT_NEAR(differences[at], std::sqrt(std::abs(std::exp(x[n - 2 - i]) - std::exp(x[i]))), 1e-3);
        }
      }
    }
  });
  const auto reversed = [](Vec<float> x) {
    return fg::map([](Exp<float> v) { return fg::sqrt(fg::abs(v)); }, fg::reverse(fg::exp(x)));
  };
  expect_one_kernel(reversed, {"4n", "4n"}, 4 * many, halves(many));
  const auto transposed = [](Mat<float> m) { return fg::sqrt(fg::transpose(fg::exp(m))); };
  const auto m = halves(300 * 200);
  expect_one_kernel(transposed, {"4m*n", "4m*n"}, 4 * 300 * 200, fg::view(m.data(), {300, 200}));
  const auto sliced = [](Vec<float> x) { return fg::sqrt(fg::exp(x).slice(1, x.size())); };
  expect_structure(sliced, {}, 4 * (many - 1), 64u << 10, halves(many));
}

TEST(Structure, ConcatIsOnePassForEachPart) {
  const auto program = [](Vec<float> x, Vec<float> y) {
    return fg::sqrt(fg::concat(fg::exp(x), fg::abs(y) * 2.0f));
  };
  const auto x = halves(many), y = halves(1000);
  const auto result = fg::run(program, x, y);
  EXPECT_FLOAT_EQ(result[3], std::sqrt(std::exp(x[3])));
  EXPECT_FLOAT_EQ(result[static_cast<i64>(many) + 5], std::sqrt(2 * std::abs(y[5])));
  expect_structure(program, {}, 4 * (many + 1000), 64u << 10, x, y);
}

using Four = std::tuple<float, float, float, float>;

TEST(Structure, ComponentsThatNobodyReads) {
  const auto fst4 = [](Vec<Four> xs) { return fg::map([](Exp<Four> x) { return x.get<0>(); }, xs); };
  const std::vector<Four> given(many, Four{1, 2, 3, 4});
  const fg::Array<Four> xs(given);
  on_every_engine(fst4, [&](const auto& f) { EXPECT_EQ(f(xs).to_vector(), std::vector<float>(many, 1.0f)); });
  expect_structure(fst4, {.summary = "0 kernels, no intermediate array", .launches = 0}, 4 * many, 64u << 10,
                   xs);  // a copy of one of the four
  const auto roots = [](Vec<Four> four) {
    return fg::map([](Exp<Four> x) { return fg::sqrt(x.get<1>()); }, four);
  };
  expect_one_kernel(roots, {"4n", "4n"}, 4 * many, xs);
}

TEST(Structure, LoopBodies) {
  const auto program = [](Vec<float> x, Exp<int> n) {
    return fg::iterate(n, [&](Exp<float> s) { return fg::sum(fg::sqrt(fg::exp(x) + s)); }, 0.0f);
  };
  on_every_engine(program, [](const auto& f) {
    const auto x = halves(65);
    double s = 0;
    for (int k = 0; k < 5; ++k) {
      double next = 0;
      for (float v : x) next += std::sqrt(std::exp(double(v)) + s);
      s = next;
    }
    EXPECT_NEAR(f(x, 5), s, 1e-5 * s);
  });
  // exp(x) is the same in every iteration: once before the loop.
  expect_structure(program, {.summary = "2 kernels, 1 intermediate array", .launches = 6}, 4 * many,
                   64u << 10, halves(many), 5);
}

TEST(Structure, Branches) {
  const auto program = [](Vec<float> x, Exp<bool> c) {
    return fg::cond(
        c, [&] { return fg::sum(fg::sqrt(fg::abs(x) + 1.0f)); }, [&] { return fg::max(x * 2.0f - 1.0f); });
  };
  on_every_engine(program, [](const auto& f) {
    const auto x = halves(65);
    double roots = 0;
    for (float v : x) roots += std::sqrt(std::abs(double(v)) + 1);
    EXPECT_NEAR(f(x, true), roots, 1e-5 * roots);
    EXPECT_EQ(f(x, false), 2 * *std::max_element(x.begin(), x.end()) - 1);
  });
  expect_structure(program, {.summary = "2 kernels, no intermediate array"}, 0, 64u << 10, halves(many),
                   true);
}

TEST(Structure, UnequalWidthsStayApart) {
  const auto program = [](Vec<float> x, Vec<float> y) { return std::tuple{fg::sum(x), fg::sum(y)}; };
  expect_structure(program, {.summary = "2 kernels, no intermediate array", .launches = 2}, 0, 64u << 10,
                   halves(many), halves(many / 2));
}

TEST(Structure, DearElementsReadAtUnrelatedPlacesAreComputedOnce) {
  const auto program = [](Vec<float> x, Vec<int> at) { return fg::gather(fg::exp(fg::sin(x)), at) * 2.0f; };
  on_every_engine(program, [](const auto& f) {
    EXPECT_FLOAT_EQ(f(std::vector<float>{0, 1}, std::vector<int>{1, 1})[1], 2 * std::exp(std::sin(1.0f)));
  });
  expect_structure(program, {.summary = "2 kernels, 1 intermediate array", .launches = 2}, 8 * many,
                   64u << 10, halves(many), std::vector<int>(many, 7));
}

TEST(Structure, AnUpdateBetweenKeepsThemApart) {
  const auto program = [](Vec<int> x) {
    auto y = x * 2;
    auto z = fg::with(y, 1, -7);
    return std::tuple{fg::sum(y), z};
  };
  on_every_engine(program, [](const auto& f) {
    const auto [sum, z] = f(std::vector<int>{1, 2, 3});
    EXPECT_EQ(sum, 12);
    EXPECT_EQ(vector_of(z), (std::vector<int>{2, -7, 6}));
  });
}

}  // namespace
