// Loops over arrays whose end the data decide: on devices they do not wait for each iteration's condition.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engines.h"

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Ints = std::vector<int>;

bool is_device(fg::Engine engine) {
  return engine == fg::Engine::opencl || engine == fg::Engine::cuda || engine == fg::Engine::emulator;
}

/// test(program) on every engine; at most so many waits where it is a device.
template <class F, class Test>
void waits_at_most(std::uint64_t most, F f, Test test) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE("engine " + name);
    const auto g = fg::compile(f, {.engine = engine});
    const std::uint64_t before = fg::stats().waits;
    test(g);
    const std::uint64_t waits = fg::stats().waits - before;
    if (is_device(engine))
      EXPECT_LE(waits, most);
    else
      EXPECT_EQ(waits, 0u);
  }
}

// Each iteration halves what is left; the number of them is part of the state.
std::tuple<Vec<double>, Exp<int>> halved(Vec<double> x, Exp<double> limit) {
  auto [result, largest, n] =
      fg::while_loop([&](Vec<double>, Exp<double> change, Exp<int>) { return change > limit; },
                     [](Vec<double> v, Exp<double>, Exp<int> k) {
                       auto next = v * 0.5;
                       return std::tuple{next, fg::max(fg::abs(v - next)), k + 1};
                     },
                     x, std::numeric_limits<double>::infinity(), 0);
  return {result, n};
}

TEST(Convergence, IsFoundWithoutAskingAfterEachIteration) {
  const Doubles x{1.0, -3.0, 2.0};
  for (const int iterations : {1, 2, 3, 4, 7, 8, 31, 32, 33, 64, 100}) {
    SCOPED_TRACE(iterations);
    // 1, 2, 4, 8, 16, 32, 32 .. iterations are launched at a time, and one wait ends the call.
    std::uint64_t waits = 2;
    for (int begun = 1, ahead = 1; begun <= iterations; ++waits) begun += ahead = std::min(2 * ahead, 32);
    waits_at_most(waits, halved, [&](const auto& g) {
      const auto [result, n] = g(x, 3.0 * std::ldexp(1.0, -iterations));
      EXPECT_EQ(n, iterations);
      Doubles expected = x;
      for (double& v : expected) v = std::ldexp(v, -iterations);
      EXPECT_EQ(vector_of(result), expected);
    });
  }
}

TEST(Convergence, OfALoopThatEndsAtOnce) {
  const auto f = [](Vec<float> x) {
    return fg::while_loop([](Vec<float> v) { return fg::sum(v) < 0.0f; },
                          [](Vec<float> v) { return v + 1.0f; }, x);
  };
  waits_at_most(2, f, [](const auto& g) { EXPECT_EQ(vector_of(g(Floats{1, 2, 3})), (Floats{1, 2, 3})); });
}

// Each iteration reads scalars that others made: none of them comes to the host.
std::tuple<Vec<double>, Exp<int>> conjugate_gradient(Vec<double> b, Exp<double> tolerance) {
  auto times_matrix = [](Vec<double> v) {  // 1, -2.5, 1 along the diagonal, negated
    return fg::stencil([](auto w) { return 2.5 * w(0) - w(-1) - w(1); }, fg::boundary::constant(0.0), v);
  };
  auto dot = [](Vec<double> v, Vec<double> w) { return fg::sum(v * w); };
  auto [x, r, p, rr, n] = fg::while_loop(
      [&](Vec<double>, Vec<double>, Vec<double>, Exp<double> now, Exp<int>) { return now > tolerance; },
      [&](Vec<double> at, Vec<double> rest, Vec<double> direction, Exp<double> now, Exp<int> k) {
        auto image = times_matrix(direction);
        auto alpha = now / dot(direction, image);
        auto next = rest - alpha * image;
        auto then = dot(next, next);
        return std::tuple{at + alpha * direction, next, next + (then / now) * direction, then, k + 1};
      },
      fg::replicate(b.size(), 0.0), b, b, dot(b, b), 0);
  return {x, n};
}

TEST(Convergence, OfConjugateGradients) {
  Doubles b;
  for (int i = 0; i < 1000; ++i) b.push_back(std::sin(0.1 * i) + (i == 500 ? 3.0 : 0.0));
  const auto [expected, steps] =
      fg::compile(conjugate_gradient, {.engine = fg::Engine::interpreter})(b, 1e-16);
  EXPECT_GT(steps, 20);
  EXPECT_LT(steps, 60);
  waits_at_most(8, conjugate_gradient, [&, &expected_x = expected, n = steps](const auto& g) {
    const auto [x, k] = g(b, 1e-16);
    EXPECT_NEAR(k, n, 1);  // sums may be taken in another order
    const Doubles at = vector_of(x), wanted = vector_of(expected_x);
    for (std::size_t i = 0; i < b.size(); ++i) {
      ASSERT_NEAR(at[i], wanted[i], 1e-8) << i;
      const double image = 2.5 * at[i] - (i > 0 ? at[i - 1] : 0) - (i + 1 < b.size() ? at[i + 1] : 0);
      ASSERT_NEAR(image, b[i], 1e-7) << i;
    }
  });
}

TEST(Convergence, CountedIterationsNeedNoScalarsOnTheHost) {
  const auto f = [](Vec<double> x, Exp<int> n) {
    return fg::iterate(n, [](Vec<double> v) { return v / fg::max(fg::abs(v)) + fg::sum(v) * 0.001; }, x);
  };
  const Doubles x{3, -1, 2, 0.5};
  const Doubles expected = vector_of(fg::compile(f, {.engine = fg::Engine::interpreter})(x, 40));
  waits_at_most(1, f, [&](const auto& g) {
    const Doubles result = vector_of(g(x, 40));
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(result[i], expected[i], 1e-12);
  });
}

TEST(Convergence, OfStatesThatChangePlaces) {
  const auto f = [](Vec<int> x, Vec<int> y, Exp<int> limit) {
    auto [a, b, n] = fg::while_loop(
        [&](Vec<int> v, Vec<int> w, Exp<int>) { return fg::sum(v) + fg::sum(w) < limit; },
        [](Vec<int> v, Vec<int> w, Exp<int> k) {
          return std::tuple{w, fg::scatter(v, fg::iota<int>(2) * 2, fg::take(w, 2)) + 1, k + 1};
        },
        x, y, 0);
    return std::tuple{a, b, n, fg::sum(a)};
  };
  const Ints x{1, 2, 3, 5}, y{4, 8, 7, 6};
  const auto [a, b, n, total] = fg::compile(f, {.engine = fg::Engine::interpreter})(x, y, 500);
  EXPECT_GT(n, 10);
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE("engine " + name);
    const auto g = fg::compile(f, {.engine = engine});
    for (int limit : {0, 36, 37, 60, 100, 200, 500}) {
      const auto expected = fg::compile(f, {.engine = fg::Engine::interpreter})(x, y, limit);
      const auto found = g(x, y, limit);
      EXPECT_EQ(vector_of(std::get<0>(found)), vector_of(std::get<0>(expected)));
      EXPECT_EQ(vector_of(std::get<1>(found)), vector_of(std::get<1>(expected)));
      EXPECT_EQ(std::get<2>(found), std::get<2>(expected));
      EXPECT_EQ(std::get<3>(found), std::get<3>(expected));
    }
  }
}

// The sizes in iteration 10 would be negative; the data end the loop before that, or do not.
TEST(Convergence, ErrorsOfTheHostCountInIterationsThatAre) {
  const auto f = [](Vec<int> x, Exp<int> limit) {
    auto [v, n] = fg::while_loop(
        [&](Vec<int> w, Exp<fg::i64>) { return fg::sum(w) < limit; },
        [](Vec<int> w, Exp<fg::i64> k) { return std::tuple{w + fg::sum(fg::replicate(10 - k, 1)), k + 1}; },
        x, fg::i64{0});
    return std::tuple{v, n};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [v, n] = g(Ints{0}, 45);
    EXPECT_EQ(vector_of(v), (Ints{45}));
    EXPECT_EQ(n, 6);  // 10 + 9 + 8 + 7 + 6 + 5
  });
}

TEST(Convergence, FailuresOfKernelsEndTheLoop) {
  const auto f = [](Vec<int> x, Vec<int> places, Exp<int> limit) {
    auto [v, n] = fg::while_loop(
        [&](Vec<int> w, Exp<int>) { return fg::sum(w) < limit; },
        [&](Vec<int> w, Exp<int> k) { return std::tuple{w + fg::gather(x, places + k), k + 1}; }, x, 0);
    return std::tuple{v, n};
  };
  on_every_engine(f, [](const auto& g) {
    const Ints x{1, 1, 1, 1, 1, 1, 1, 1}, places{0, 1, 2, 0, 1, 2, 0, 1};
    const auto [v, n] = g(x, places, 40);
    EXPECT_EQ(n, 4);
    EXPECT_EQ(vector_of(v), (Ints{5, 5, 5, 5, 5, 5, 5, 5}));
    EXPECT_THROW(g(x, places, 1000), fg::IndexError);
    EXPECT_EQ(std::get<1>(g(x, places, 40)), 4);
  });
}

TEST(Convergence, FailuresOfTheConditionAreErrors) {
  const auto f = [](Vec<int> x) {
    return fg::while_loop([](Vec<int> v) { return 100 / fg::sum(v) < 60; }, [](Vec<int> v) { return v - 1; },
                          x);
  };
  on_every_engine(f, [](const auto& g) {
    EXPECT_EQ(vector_of(g(Ints{20, 3})), (Ints{9, -8}));
    EXPECT_THROW(g(Ints{5, 3}), fg::ArithmeticError);  // 8, 6, 4, 2, 0
    EXPECT_EQ(vector_of(g(Ints{20, 3})), (Ints{9, -8}));
  });
}

TEST(Convergence, OfLoopsInLoops) {
  const auto f = [](Vec<double> x, Exp<double> limit) {
    auto halve = [](Vec<double> v, Exp<double> until) {
      return fg::while_loop([&](Vec<double> w) { return fg::max(w) > until; },
                            [](Vec<double> w) { return w * 0.5; }, v);
    };
    auto [result, bound] = fg::while_loop(
        [&](Vec<double> v, Exp<double>) { return fg::sum(v) > limit; },
        [&](Vec<double> v, Exp<double> until) { return std::tuple{halve(v, until), until * 0.25}; }, x, 8.0);
    return std::tuple{result, bound};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [result, bound] = g(Doubles{16, 4, 8}, 1.0);
    EXPECT_EQ(bound, 8.0 / 64);
    EXPECT_EQ(vector_of(result), (Doubles{0.5, 0.125, 0.25}));
  });
}

// Sorts by exchanging neighbours. An iteration reads elements around each, which a block of a device shares:
// its threads wait for each other after the test whether the loop goes on.
TEST(Convergence, OfStepsThatShareNeighbours) {
  const auto sorted = [](Vec<int> x) {
    return std::get<0>(fg::while_loop(
        [](Vec<int> y, Exp<fg::i64>) {
          return fg::any(fg::generate(fg::max(y.size() - 1, fg::i64(0)),
                                      [&](Exp<fg::i64> i) { return y[i] > y[i + 1]; }));
        },
        [](Vec<int> y, Exp<fg::i64> k) {
          const auto n = y.size();
          const auto exchanged = [&](Exp<fg::i64> i) {
            const auto smaller = [&] {
              return fg::cond(i + 1 < n, [&] { return fg::min(y[i], y[i + 1]); }, [&] { return y[i]; });
            };
            const auto larger = [&] {
              return fg::cond(i > 0, [&] { return fg::max(y[i], y[i - 1]); }, [&] { return y[i]; });
            };
            return fg::cond((i + k) % 2 == 0, smaller, larger);
          };
          return std::tuple{fg::generate(n, exchanged), k + 1};
        },
        x, fg::i64(0)));
  };
  on_every_engine(sorted, [](const auto& f) {
    for (const int n : {0, 1, 2, 30, 300}) {
      Ints x;
      for (int i = 0; i < n; ++i) x.push_back(i * 7919 % 101);
      const Ints result = vector_of(f(x));
      std::ranges::sort(x);
      EXPECT_EQ(result, x);
    }
  });
}

}  // namespace
