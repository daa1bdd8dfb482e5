// Compiled programs as callables: what they take, what they give, when they are traced.
#include "engines.h"

#include <array>
#include <cmath>
#include <memory>
#include <span>

namespace {

Vec<float> twice(Vec<float> x) {
  return x + x;
}

TEST(Compile, TakesArraysOfManyKinds) {
  on_every_engine(twice, [](const auto& f) {
    const std::vector<float> expected{2, 4};
    std::vector<float> vector{1, 2};
    const float plain[] = {1, 2};
    EXPECT_EQ(vector_of(f(vector)), expected);
    EXPECT_EQ(vector_of(f(std::vector<float>{1, 2})), expected);
    EXPECT_EQ(vector_of(f(std::span<const float>(vector))), expected);
    EXPECT_EQ(vector_of(f(std::span<float>(vector))), expected);
    EXPECT_EQ(vector_of(f(std::array<float, 2>{1, 2})), expected);
    EXPECT_EQ(vector_of(f(plain)), expected);
    EXPECT_EQ(vector_of(f(fg::view(plain, {2}))), expected);
    EXPECT_EQ(vector_of(f(fg::Array<float>{1, 2})), expected);
    EXPECT_EQ(vector_of(f(f(vector))), (std::vector<float>{4, 8}));
  });
  on_every_engine([](Mat<int> m) { return fg::transpose(m); },
                  [](const auto& f) {
                    const int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
                    EXPECT_EQ(vector_of(f(matrix)), (std::vector<int>{1, 4, 2, 5, 3, 6}));
                    EXPECT_EQ(vector_of(f(fg::view(&matrix[0][0], {3, 2}))),
                              (std::vector<int>{1, 3, 5, 2, 4, 6}));
                  });
  on_every_engine([](Vec<bool> b) { return !b; },
                  [](const auto& f) {
                    EXPECT_EQ(vector_of(f(std::vector<bool>{true, false, true})),
                              (std::vector<bool>{false, true, false}));
                    const bool plain[] = {false, true};
                    EXPECT_EQ(vector_of(f(plain)), (std::vector<bool>{true, false}));
                  });
}

TEST(Compile, FunctionsOfManyKinds) {
  struct Scale {
    float by;
    Vec<float> operator()(Vec<float> x) const { return x * by; }
  };
  EXPECT_EQ(vector_of(fg::run(Scale{3}, std::vector<float>{1, 2})), (std::vector<float>{3, 6}));
  EXPECT_EQ(fg::run([](const Exp<int>& x, Exp<int>&& y) noexcept { return x - y; }, 5, 3), 2);
  int calls = 0;
  const auto counted = fg::compile([&calls](Exp<int> x) mutable {
    ++calls;
    return x + calls;
  });
  EXPECT_EQ(counted(1), 2);
  EXPECT_EQ(counted(2), 3);
  EXPECT_EQ(calls, 1);
  fg::Compiled<Vec<float>(Vec<float>)> named = fg::compile(twice);
  EXPECT_EQ(named(std::vector<float>{4})[0], 8.0f);
}

TEST(Compile, ParametersThatAreNotStagedAreConstants) {
  fg::reset_stats();
  const auto power = [](Exp<float> x, int n) {
    Exp<float> result = 1.0f;
    for (int i = 0; i < n; ++i) result *= x;
    return result;
  };
  const auto f = fg::compile(power, {.engine = fg::Engine::interpreter});
  EXPECT_EQ(fg::stats().traces, 0u);
  EXPECT_EQ(f(2.0f, 3), 8.0f);
  EXPECT_EQ(f(3.0f, 3), 27.0f);
  EXPECT_EQ(fg::stats().traces, 1u);
  EXPECT_EQ(f(2.0f, 10), 1024.0f);
  EXPECT_EQ(f(5.0f, 3), 125.0f);
  EXPECT_EQ(fg::stats().traces, 2u);
  EXPECT_EQ(fg::stats().retraces, 1u);
}

// 0 and -0 are equal, and a NaN is not equal to itself: alone, and in what is composed of them.
TEST(Compile, ConstantsAreComparedByTheirBits) {
  using Pair = std::pair<float, std::array<double, 2>>;
  struct Kernel {  // == says which are the same
    float weights[2];
    bool operator==(const Kernel&) const = default;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto inverse =
      fg::compile([](Exp<double> x, double k) { return x / k; }, {.engine = fg::Engine::interpreter});
  EXPECT_GT(inverse(1.0, 0.0), 0);
  EXPECT_LT(inverse(1.0, -0.0), 0);
  EXPECT_GT(inverse(1.0, 0.0), 0);
  const auto of_parts =
      fg::compile([](Exp<double> x, const Pair& p,
                     const std::vector<double>& v) { return x / p.second[1] + x / v.back(); },
                  {.engine = fg::Engine::interpreter});
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(of_parts(1.0, Pair{1, {2, 0.0}}, std::vector<double>{0.0}), infinite);
  EXPECT_EQ(of_parts(1.0, Pair{1, {2, -0.0}}, std::vector<double>{-0.0}), -infinite);
  EXPECT_TRUE(std::isnan(of_parts(1.0, Pair{1, {2, 0.0}}, std::vector<double>{-0.0})));
  const auto weighted = fg::compile([](Exp<float> x, const Kernel& k) { return x * k.weights[1]; },
                                    {.engine = fg::Engine::interpreter});
  EXPECT_EQ(weighted(2.0f, Kernel{{1, 3}}), 6.0f);
  EXPECT_EQ(weighted(2.0f, Kernel{{1, 4}}), 8.0f);
  fg::reset_stats();
  EXPECT_EQ(weighted(3.0f, Kernel{{1, 3}}), 9.0f);
  EXPECT_EQ(fg::stats().traces, 0u);
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(std::isnan(inverse(1.0, nan)));
    EXPECT_TRUE(std::isnan(of_parts(1.0, Pair{1, {nan, nan}}, std::vector<double>{nan})));
  }
  EXPECT_EQ(fg::stats().traces, 2u);
}

TEST(Compile, ArraysThatAProgramKeeps) {
  const auto make = [] {
    const fg::Array<float> weights{1, 2, 3};
    const fg::Array<std::pair<int, float>> pairs(std::vector<std::pair<int, float>>{{1, 0.5f}, {2, 1.5f}});
    return [weights, pairs](Vec<float> x) {
      const auto dot = [&](Exp<float> by) {
        return fg::sum(fg::constant(weights) * by) + fg::constant(weights)[1];
      };
      const auto [numbers, values] = fg::unzip(fg::constant(pairs));
      return std::tuple{fg::map(dot, x), fg::sum(numbers), values + x};
    };
  };
  on_every_engine(make(), [](const auto& f) {
    const auto [dots, total, sums] = f(std::vector<float>{1, 10});
    EXPECT_EQ(vector_of(dots), (std::vector<float>{8, 62}));
    EXPECT_EQ(total, 3);
    EXPECT_EQ(vector_of(sums), (std::vector<float>{1.5f, 11.5f}));
    EXPECT_THROW(f(std::vector<float>{1}), fg::ShapeError);
  });
  EXPECT_THROW(fg::constant(fg::Array<int>{1}), fg::TraceError);
}

// A division that nothing needs leaves no trace in the program but a number among what can fail.
TEST(Compile, ProgramsThatDifferInWhatNothingNeeds) {
  const auto with_division = [](Vec<int> x) {
    [[maybe_unused]] const auto mean = x.size() / (x.size() - 3), rest = x.size() % (x.size() - 3);
    return x + 1;
  };
  const auto without = [](Vec<int> x) { return x + 1; };
  const std::vector<int> x(3), ones(3, 1);
  for (const fg::Engine engine : {fg::Engine::cpu, fg::Engine::emulator}) {
    EXPECT_EQ(fg::compile(with_division, {.engine = engine})(x).to_vector(), ones);
    EXPECT_EQ(fg::compile(without, {.engine = engine})(x).to_vector(), ones);
  }
}

TEST(Compile, AFunctionTracedAgainAndAgainSaysSoOnce) {
  const auto f = fg::compile([](Exp<int> x, int k) { return x + k; },
                             {.engine = fg::Engine::interpreter, .name = "add_constant"});
  testing::internal::CaptureStderr();
  for (int k = 0; k < 40; ++k) EXPECT_EQ(f(1, k), 1 + k);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("'add_constant' has been traced and compiled 16 times"), std::string::npos) << said;
  EXPECT_EQ(said.find("has been traced"), said.rfind("has been traced"));
}

TEST(Compile, ResultsAreValues) {
  const auto f = fg::compile([](Vec<float> x) { return std::tuple{x, x + 1, std::pair{x.size(), x[0]}}; });
  fg::Array<float> same, more;
  {
    const auto [a, b, pair] = f(std::vector<float>{5, 6});
    same = a;
    more = b;
    EXPECT_EQ(pair, (std::pair<fg::i64, float>{2, 5.0f}));
  }
  EXPECT_EQ(vector_of(same), (std::vector<float>{5, 6}));
  EXPECT_EQ(vector_of(more), (std::vector<float>{6, 7}));
  std::span<const float> view = more;
  EXPECT_EQ(view[1], 7.0f);
  EXPECT_EQ(*more.begin(), 6.0f);
  EXPECT_EQ(more.end() - more.begin(), 2);
  EXPECT_EQ(std::vector<float>(more), (std::vector<float>{6, 7}));
}

TEST(Compile, ArraysOfTheHost) {
  std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const float* memory = numbers.data();
  const fg::Array<float, 2> m(std::move(numbers), {2, 3});
  EXPECT_EQ(m.data(), memory) << "the vector's memory is taken over";
  EXPECT_EQ(m(1, 2), 6.0f);
  EXPECT_EQ(m.size(), 6);
  EXPECT_EQ(m.size(1), 3);
  EXPECT_EQ(m.size(-2), 2);
  const fg::Array<float, 2> copy = m;
  EXPECT_EQ(copy.data(), m.data());
  EXPECT_TRUE((fg::Array<int>().empty()));
  EXPECT_EQ((fg::Array<bool>{true, false}[0]), true);
}

TEST(Compile, OneProgramForAllSizes) {
  fg::reset_stats();
  const auto f = fg::compile(twice);
  for (std::size_t n : {0u, 1u, 5u, 100u, 100000u})
    EXPECT_EQ(f(std::vector<float>(n, 1.5f)).size(), static_cast<std::int64_t>(n));
  EXPECT_EQ(fg::stats().traces, 1u);
}

TEST(Compile, CopiesOfCallablesShareTheProgram) {
  auto f = std::make_unique<decltype(fg::compile(twice))>(fg::compile(twice));
  const auto g = *f;
  f.reset();
  EXPECT_EQ(g(std::vector<float>{4})[0], 8.0f);
}

}  // namespace
