// Transposed runs: every kind, number of lanes and of steps, for every level of the instruction set.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "compiled_prelude.h"
#include "kernel/check.h"
#include "kernel/parse.h"
#include "kernel/print.h"
#include "kernel_run.h"

namespace fulgurite {
namespace {

using namespace test;

kernel::Kernel turned(Kind kind, int lanes, int width, int steps) {
  const std::string_view name = scalar::name_of(kind);
  return kernel::parse(fmt::format(R"(kernel turned(in x: {0}[], out y: {0}[], stride: i64)
par grid task < 3 {{
  alloc thread tile: {0}[{1}]
  transpose tile = x[task * 5 + 1, stride] lanes {2} by {4} steps {3} ahead 40
  for s in 0 : {3} step 1 {{
    load v: {0}x{2} = tile[s * {2}, 1]
    store y[(task * {3} + s) * {2}, 1] = v
  }}
}}
)",
                                   name, lanes * steps, lanes, steps, width));
}

class TransposedKind : public ::testing::TestWithParam<Kind> {};

TEST_P(TransposedKind, SlowEveryShape) {
  std::mt19937 random(5);
  for (int lanes = 2; lanes <= 64; lanes *= 2)
    for (int steps = 2; steps <= 16; steps *= 2) {
      SCOPED_TRACE(fmt::format("{} lanes, {} steps", lanes, steps));
      const int width = steps == 8 ? std::min(lanes, 8) : lanes;
      const kernel::Kernel k = turned(GetParam(), lanes, width, steps);
      kernel::check(k, kernel::Stage::vectors, "test");
      EXPECT_EQ(kernel::print(kernel::parse(kernel::print(k))), kernel::print(k));
      std::vector<std::unique_ptr<CompiledKernel>> compiled;
      for (const std::string& level : emit::testing::levels())
        compiled.push_back(std::make_unique<CompiledKernel>(k, level));
      const std::size_t size = scalar::size_of(GetParam());
      for (int stride : {steps, 37}) {
        const auto room = static_cast<std::size_t>(11 + steps + (lanes - 1) * stride);
        Launch launch{{Bytes(room * size), Bytes(static_cast<std::size_t>(3 * lanes * steps) * size)},
                      {static_cast<Bits>(stride)},
                      {}};
        for (std::byte& b : launch.buffers[0])
          b = static_cast<std::byte>(random() % (GetParam() == Kind::boolean ? 2 : 100));
        Launch expected = launch;
        interpret(k, expected);
        for (const auto& of_level : compiled) {
          Launch actual = launch;
          of_level->run(actual);
          EXPECT_TRUE(actual.buffers == expected.buffers) << "stride " << stride;
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, TransposedKind,
                         ::testing::Values(Kind::boolean, Kind::i8, Kind::u16, Kind::i32, Kind::u64,
                                           Kind::f32, Kind::f64),
                         [](const auto& kind) { return std::string(scalar::name_of(kind.param)); });

}  // namespace
}  // namespace fulgurite
