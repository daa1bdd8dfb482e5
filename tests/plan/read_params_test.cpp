// Parameters whose extents are all that a plan reads, and that their elements do not travel.
#include "plan/read_params.h"

#include <fulgurite/fulgurite.h>
#include <fulgurite/stats.h>

#include <gtest/gtest.h>

#include <numeric>

#include "../runtime/pocl.h"

namespace fulgurite {
namespace {

using namespace plan;

// Which of five arrays, in places 0 to 4, the steps read.
std::vector<bool> read_by(Steps steps, std::vector<Result> results = {}) {
  Plan plan;
  plan.n_slots = 10;
  plan.n_places = 8;
  plan.params = {{Kind::i32, 0, 9}};
  for (int p = 0; p < 5; ++p) plan.params.push_back({Kind::f32, 1, p, p});
  plan.steps = std::move(steps);
  plan.results = std::move(results);
  find_read_params(plan);
  EXPECT_TRUE(plan.params[0].is_read) << "a scalar";
  std::vector<bool> is_read;
  for (int p = 0; p < 5; ++p) is_read.push_back(plan.params[static_cast<std::size_t>(p) + 1].is_read);
  return is_read;
}

using Read = std::vector<bool>;
const Step launch_of_3{Launch{0, {3, 5}, {0}, {1}, 2, 2}};

TEST(ReadParams, AreThoseOfLaunchesCopiesFetchesAndResults) {
  EXPECT_EQ(read_by({}), Read(5, false));
  EXPECT_EQ(read_by({{Allocate{5, Kind::f32, {0}}}, launch_of_3}), (Read{false, false, false, true, false}));
  EXPECT_EQ(read_by({{Fetch{8, 1, Kind::f32}}}, {{Kind::f32, 1, -1, 4}}),
            (Read{false, true, false, false, true}));
  EXPECT_EQ(read_by({{CopyArray{5, 2, Kind::f32, 8}}}), (Read{false, false, true, false, false}));
}

TEST(ReadParams, InsideBranchesAndLoops) {
  EXPECT_EQ(read_by({{If{8, {launch_of_3}, {{Fetch{8, 0, Kind::f32}}}}}}),
            (Read{true, false, false, true, false}));
  EXPECT_EQ(read_by({{While{{{Fetch{8, 1, Kind::f32}}}, 8, {launch_of_3}}}}),
            (Read{false, true, false, true, false}));
  EXPECT_EQ(read_by({{Converge{{launch_of_3}, 5, {{If{8, {{Fetch{8, 2, Kind::f32}}}, {}}}}}}}),
            (Read{false, false, true, true, false}));
}

// What a loop begins with is a share of the parameter; it reads it in a later step than the text's order
// says.
TEST(ReadParams, WhatOtherPlacesHandOnIsReadIfTheyAre) {
  EXPECT_EQ(read_by({{Share{6, 0}}, {Share{7, 1}}, {Share{5, 7}}, launch_of_3}),
            (Read{false, true, false, true, false}));
  EXPECT_EQ(read_by({{While{{}, 8, {{Share{3, 6}}, {Share{6, 7}}, launch_of_3}}}, {Share{7, 2}}}),
            (Read{false, false, true, true, false}));
  EXPECT_EQ(read_by({{Reuse{5, 4, Kind::f32, {0}, 8, true}}, launch_of_3, {Reuse{6, 0, Kind::f32, {0}, 8}}}),
            (Read{false, false, false, true, true}));
}

struct Particle {
  float x, y;
  double mass;
  int kind;
};

class UnreadElements : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    runtime::test::prepare_pocl();
    try {
      compile([](Exp<int> x) { return x; }, {.engine = GetParam()});
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.message();
    }
  }
  static std::uint64_t copied() { return stats().bytes_copied; }

  const Options options_{.engine = GetParam()};
};

constexpr std::size_t n = 1000;

TEST_P(UnreadElements, OfCompositesDoNotTravel) {
  const Array<Particle> particles = std::vector<Particle>(n, {1, 2, 3, 4});
  const auto masses =
      compile([](Vec<Particle> ps) { return map([](Exp<Particle> p) { return p.get<2>(); }, ps); }, options_);
  reset_stats();
  const Array<double> mass = masses(particles);
  EXPECT_EQ(copied(), n * sizeof(double)) << "of 20 bytes a particle";
  masses(particles);
  EXPECT_EQ(copied(), n * sizeof(double)) << "once";
  EXPECT_EQ(mass[n - 1], 3);

  // What another program reads travels when it asks for it.
  const auto ys = compile(
      [](Vec<Particle> ps) { return sum(map([](Exp<Particle> p) { return p.get<1>(); }, ps)); }, options_);
  reset_stats();
  EXPECT_EQ(ys(particles), 2.0f * n);
  EXPECT_EQ(copied(), n * sizeof(float) + sizeof(float)) << "and the sum";
}

TEST_P(UnreadElements, OfArraysThatOnlyCountDoNotTravel) {
  const auto numbered =
      compile([](Vec<float> like, Mat<double> unused,
                 Vec<float> x) { return std::tuple{iota(like.size()) + unused.size(1), x.slice(0, 3)}; },
              options_);
  std::vector<float> like(n);  // the caller's own memory, as a view
  const std::vector<float> x = {1, 2, 3, 4};
  const Array<double, 2> unused(std::vector<double>(60), {20, 3});
  reset_stats();
  const auto [numbers, first] = numbered(like, unused, x);
  EXPECT_EQ(copied(), 4 * sizeof(float)) << "x";
  EXPECT_EQ(numbers[n - 1], static_cast<i64>(n) + 2);
  EXPECT_EQ(first.to_vector(), (std::vector<float>{1, 2, 3}));
  EXPECT_THROW(numbered(like, unused, std::vector<float>(2)), ShapeError) << "shapes are checked as ever";
}

TEST_P(UnreadElements, OfCapturesAndUnusedArgumentsDoNotTravel) {
  const Array<float> large = std::vector<float>(n), small = std::vector<float>(7, 2.0f);
  const auto f = compile(
      [&](Vec<float>, Exp<i64> k) { return sum(constant(small)) + cast<float>(constant(large).size() * k); },
      options_);
  reset_stats();
  EXPECT_EQ(f(std::vector<float>(n), 3), 14.0f + 3.0f * n);
  EXPECT_EQ(copied(), 7 * sizeof(float) + sizeof(float)) << "small, and the sum";
}

// A result that was never on the host is not fetched for a program that asks for its size.
TEST_P(UnreadElements, OfResultsDoNotTravelToTheHost) {
  const auto doubled = compile([](Vec<float> x) { return x + x; }, options_);
  const auto size = compile([](Vec<float> x) { return x.size(); }, {.engine = Engine::cpu});
  const Array<float> y = doubled(std::vector<float>(n, 1.0f));
  reset_stats();
  EXPECT_EQ(size(y), static_cast<i64>(n));
  EXPECT_EQ(copied(), 0U);
  EXPECT_EQ(y[0], 2.0f);
}

// What is given back unchanged is a result; what goes round a loop unread is not.
TEST_P(UnreadElements, ParametersThatAreResultsTravel) {
  const auto same = compile([](Vec<float> x, Vec<float> y) { return std::tuple{x, y.size()}; }, options_);
  reset_stats();
  const auto [x, size] = same(std::vector<float>{1, 2}, std::vector<float>(n));
  EXPECT_EQ(x.to_vector(), (std::vector<float>{1, 2}));
  EXPECT_EQ(size, static_cast<i64>(n));
  EXPECT_LT(copied(), n);
}

INSTANTIATE_TEST_SUITE_P(Engines, UnreadElements, testing::Values(Engine::emulator, Engine::opencl),
                         [](const auto& engine) {
                           return engine.param == Engine::opencl ? "OpenCl" : "Emulator";
                         });

}  // namespace
}  // namespace fulgurite
