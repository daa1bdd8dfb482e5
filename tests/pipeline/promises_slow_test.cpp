// What Accelerate promises of a program's run on a device (Chakravarty and others 2011, sections on transfers
// and on the caching of code), as counters tell it: on OpenCL where there is a device, and on CUDA's stand-in
// (tests/runtime/cuda_stand_in/machine.h). The stable fluids of examples/fluid.h among them.
#include <fulgurite/device_memory.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <thread>

#include "../../examples/fluid.h"
#include "../runtime/pocl.h"

namespace fulgurite {
namespace {

using Field = Array<float, 2>;
using Fields = std::tuple<Field, Field, Field>;  // density, velocity across and down

// Kernels are compiled, not found on disk.
const bool has_no_disk_cache = setenv("FULGURITE_CACHE", "", 1) == 0;
// PoCL takes the processor for two devices; CUDA's stand-in has two.
const bool has_two_devices = setenv("POCL_DEVICES", "pthread pthread", 1) == 0;

class Promises : public ::testing::TestWithParam<Engine> {
 protected:
  static Options options() { return {.engine = GetParam(), .precision = Precision::strict}; }

  void SetUp() override {
    runtime::test::prepare_pocl();
    ASSERT_TRUE(has_no_disk_cache && has_two_devices);
    try {
      compile([](Exp<int> x) { return x; }, options());
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

std::vector<float> numbers(std::size_t n) {
  std::vector<float> xs(n);
  for (std::size_t i = 0; i < n; ++i) xs[i] = static_cast<float>(i);
  return xs;
}

TEST_P(Promises, WhatIsUsedTwiceTravelsOnce) {
  const Array<float> xs(numbers(1000));
  const auto square = compile(
      [](Vec<float> x, Vec<float> y) { return map([](Exp<float> a, Exp<float> b) { return a * b; }, x, y); },
      options());
  // As the chapter writes it: both are in the program.
  const auto of_kept = compile(
      [xs] { return map([](Exp<float> a, Exp<float> b) { return a * b; }, constant(xs), constant(xs)); },
      options());
  reset_stats();
  const Array<float> squares = square(xs, xs), again = of_kept();
  EXPECT_EQ(stats().bytes_copied, 4000U);
  EXPECT_EQ(squares[999], 999 * 999);
  EXPECT_EQ(again[999], 999 * 999);
}

TEST_P(Promises, ArraysHaveACopyOnEachDevice) {
  const auto on = [&](int device) {
    Options wanted = options();
    wanted.device = device;
    return compile([](Vec<float> x) { return map([](Exp<float> a) { return a + 1.0f; }, x); }, wanted);
  };
  const auto first = on(0), second = on(1), usual = compile([](Vec<float> x) { return x + 0.0f; }, options());
  Array<float> of_first, of_second;
  {
    const Array<float> xs(numbers(1000));
    reset_stats();
    of_first = first(xs);
    EXPECT_EQ(stats().bytes_copied, 4000U);
    of_second = second(xs);
    EXPECT_EQ(stats().bytes_copied, 8000U) << "the other device has no copy yet";
    first(xs), second(xs), usual(xs);
    EXPECT_EQ(stats().bytes_copied, 8000U) << "now each has";
    second(of_second);
    EXPECT_EQ(stats().bytes_copied, 8000U) << "a result stays";
    const Array<float> again = second(of_first);
    EXPECT_EQ(stats().bytes_copied, 16000U) << "through the host";
    EXPECT_EQ(again[999], 1001);
  }
  EXPECT_EQ(of_first.to_vector(), of_second.to_vector());
  EXPECT_NE(device_memory(GetParam(), of_second, 1), device_memory(GetParam(), of_second, 0));
  try {
    on(7);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("has no device 7: set Options::device to one of 0 ("),
              std::string::npos)
        << error.what();
  }
}

// Kernels move 16 bytes at a time.
TEST_P(Promises, AdoptedArraysBeginWhereKernelsCanReadThem) {
  if (GetParam() != Engine::cuda) GTEST_SKIP() << "only CUDA's users know memory by addresses";
  const Array<float> xs(numbers(100));
  auto* const memory = static_cast<float*>(device_memory(GetParam(), xs));
  const auto address_of = [](const Array<float>& array) {
    return reinterpret_cast<std::uintptr_t>(device_memory(Engine::cuda, array));
  };
  EXPECT_EQ(address_of(xs) % 16, 0U);
  reset_stats();
  const Array<float> as_it_lies = adopt<float>(GetParam(), memory + 4, {96});
  EXPECT_EQ(address_of(as_it_lies), address_of(xs) + 16);
  EXPECT_EQ(stats().bytes_copied, 0U);
  const Array<float> moved = adopt<float>(GetParam(), memory + 1, {99});
  EXPECT_EQ(address_of(moved) % 16, 0U);
  EXPECT_EQ(moved[0], 1);
  EXPECT_EQ(moved[98], 99);
}

TEST_P(Promises, EqualKernelsAreCompiledOnce) {
  const auto program = [](float by) { return [by](Vec<float> x) { return sum(exp2(x) * by); }; };
  reset_stats();
  const auto first = compile(program(3), options());
  const std::uint64_t of_one = stats().compilations;
  EXPECT_GE(of_one, 1U);
  const auto second = compile(program(3), options());
  EXPECT_EQ(stats().compilations, of_one) << "an identical program";
  EXPECT_EQ(stats().program_hits, 1U);

  // Threads that want the same at the same time wait for the one that compiles it.
  reset_stats();
  std::barrier together(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      together.arrive_and_wait();
      compile(program(4), options());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stats().compilations, of_one);

  // A program that needs one kernel more than another compiles that one.
  reset_stats();
  compile([](Vec<float> x) { return sum(exp2(x) * 5.0f); }, options());
  const auto more = compile(
      [](Vec<float> x, Vec<float> y) { return std::tuple{sum(exp2(x) * 5.0f), y + 1.0f}; }, options());
  EXPECT_EQ(stats().compilations, of_one + 1);
}

// What is in a field of `shape`, by row and column.
template <class F>
Field field(const Field::Shape& shape, F value) {
  std::vector<float> cells;
  for (std::int64_t i = 0; i < shape[0]; ++i)
    for (std::int64_t j = 0; j < shape[1]; ++j) cells.push_back(value(i, j));
  return {cells, shape};
}

// A burner below the middle, mirrored at the middle column, with wind from both sides.
struct Box {
  explicit Box(Field::Shape shape_of_all)
      : shape(shape_of_all),
        still(field(shape, [](auto, auto) { return 0.0f; })),
        smoke(field(shape, [&](auto i, auto j) { return is_burner(i, j) ? 2.0f : 0.0f; })),
        wind(field(shape,
                   [&](auto i, auto j) {
                     return i == shape[0] / 2 ? 3.0f * static_cast<float>(shape[1] - 1 - 2 * j) : 0.0f;
                   })),
        fall(field(shape, [&](auto i, auto j) { return is_burner(i, j) ? -40.0f : 0.0f; })) {}

  bool is_burner(std::int64_t i, std::int64_t j) const {
    return i >= shape[0] * 3 / 4 && i < shape[0] - 2 && std::abs(2 * j - (shape[1] - 1)) <= shape[1] / 4;
  }
  template <class Step>
  Fields run(const Step& step, int n_steps, float dt = 0.1f) const {
    Fields fields{still, still, still};
    for (int k = 0; k < n_steps; ++k) {
      const auto& [density, across, down] = fields;
      fields = step(dt, 0.02f, 0.01f, density, across, down, smoke, wind, fall);
    }
    return fields;
  }

  Field::Shape shape;
  Field still, smoke, wind, fall;
};

void expect_same(const Fields& a, const Fields& b) {
  EXPECT_EQ(std::get<0>(a).to_vector(), std::get<0>(b).to_vector());
  EXPECT_EQ(std::get<1>(a).to_vector(), std::get<1>(b).to_vector());
  EXPECT_EQ(std::get<2>(a).to_vector(), std::get<2>(b).to_vector());
}

TEST_P(Promises, AHundredStepsOfFluidTransferInputsOnceAndResultsIfTheyAreRead) {
  const Box box({20, 17});
  const auto step = compile(fluid::fluid_step, options());
  constexpr std::uint64_t bytes = 20 * 17 * sizeof(float);
  reset_stats();
  const Fields fields = box.run(step, 100);
  EXPECT_EQ(stats().bytes_copied, 4 * bytes) << "three sources, and one field for all three at the start";
  EXPECT_EQ(stats().compilations, 0U);
  EXPECT_GE(stats().launches, 100U * 5 * fluid::sweeps);
  for (int k = 0; k < 2; ++k) EXPECT_NE(std::get<0>(fields).data(), nullptr);
  EXPECT_EQ(stats().bytes_copied, 5 * bytes);
  const auto reference = compile(fluid::fluid_step, {.engine = Engine::cpu, .precision = Precision::strict});
  expect_same(fields, box.run(reference, 100));
}

INSTANTIATE_TEST_SUITE_P(Devices, Promises, ::testing::Values(Engine::opencl, Engine::cuda),
                         [](const auto& device) { return device.param == Engine::cuda ? "Cuda" : "OpenCl"; });

TEST(Fluid, IsWhatTheInterpreterSays) {
  const Box box({9, 12});
  const auto on = [&](Engine engine) {
    return box.run(compile(fluid::fluid_step, {.engine = engine, .precision = Precision::strict}), 3);
  };
  expect_same(on(Engine::cpu), on(Engine::interpreter));
}

// Whatever the length of a step: what is carried and spread lies between what was there, a mirrored box gives
// mirrored smoke, and the velocity gathers little air.
TEST(Fluid, IsStableSymmetricAndFreeOfDivergence) {
  const Box box({40, 33});
  const auto step = compile(fluid::fluid_step, {.engine = Engine::cpu});
  for (const float dt : {0.05f, 0.5f, 20.0f}) {
    SCOPED_TRACE(dt);
    const int n_steps = 20;
    const auto [density, across, down] = box.run(step, n_steps, dt);
    float greatest = 0, total = 0, fastest = 0, divergence = 0, sources = 0;
    for (std::int64_t i = 0; i < 40; ++i)
      for (std::int64_t j = 0; j < 33; ++j) {
        ASSERT_GE(density(i, j), 0) << i << ", " << j;
        ASSERT_TRUE(std::isfinite(across(i, j)) && std::isfinite(down(i, j)));
        greatest = std::max(greatest, density(i, j));
        total += density(i, j);
        fastest = std::max({fastest, std::abs(across(i, j)), std::abs(down(i, j))});
        sources = std::max(sources, dt * std::abs(box.wind(i, j)));
        if (i == 0 || j == 0 || i == 39 || j == 32) continue;
        divergence = std::max(
            divergence, std::abs(across(i, j + 1) - across(i, j - 1) + down(i + 1, j) - down(i - 1, j)));
      }
    EXPECT_LE(greatest, 2 * dt * n_steps * 1.0001f);
    EXPECT_GT(total, 0);
    if (dt > 0.05f) continue;  // what moves so fast takes more sweeps, and rounding breaks its symmetry
    EXPECT_LT(divergence, 0.5f * fastest);
    for (std::int64_t i = 0; i < 40; ++i)
      for (std::int64_t j = 0; j < 33; ++j) {
        ASSERT_NEAR(density(i, j), density(i, 32 - j), 1e-3f) << i << ", " << j;
        ASSERT_NEAR(across(i, j), -across(i, 32 - j), 1e-3f * fastest) << i << ", " << j;
      }
  }
}

}  // namespace
}  // namespace fulgurite
