// The rows of docs/semantics.md on the cpu engine, and random programs on it against the interpreter.
#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "../soac/random_program.h"
#include "../soac/semantics_rows.h"
#include "engine_run.h"
#include "runtime/host.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite {
namespace {

using testing_pipeline::run, testing_pipeline::tested;

constexpr Precision both[] = {Precision::fast, Precision::strict};

std::string_view name_of(Precision precision) {
  return precision == Precision::fast ? "fast" : "strict";
}

/// Whether the engine rounds a * b + c once.
bool has_fma() {
  return tested().engine != Engine::cpu || runtime::host().vector_bytes >= 32;
}

class Semantics : public ::testing::TestWithParam<Precision> {};

INSTANTIATE_TEST_SUITE_P(Precisions, Semantics, ::testing::ValuesIn(both),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(Semantics, RowsHoldOnTheEngine) {
  for (const soac::SemanticsRow& row : soac::semantics_rows()) {
    SCOPED_TRACE(row.name + ": " + row.program);
    const soac::Program program = soac::parse(row.program, row.name);
    try {
      const std::vector<soac::Value> results = run(program, row.args, tested(GetParam()));
      if (!row.error.empty()) {
        ADD_FAILURE() << "no " << row.error;
        continue;
      }
      const std::vector<soac::Value>& expected =
          row.results_under(GetParam() == Precision::fast && has_fma());
      ASSERT_EQ(results.size(), expected.size());
      for (std::size_t i = 0; i < results.size(); ++i)
        EXPECT_TRUE(soac::same(results[i], expected[i]))
            << testing::PrintToString(results[i]) << " should be " << testing::PrintToString(expected[i]);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), row.error) << e.what();
      if (!row.message.empty()) {
        EXPECT_EQ(e.message(), row.message);
      }
    } catch (const std::exception& e) {
      ADD_FAILURE() << "not an error of ours: " << e.what();
    }
  }
}

/// Long enough for the vector loop, its tail, and several tasks.
TEST_P(Semantics, FloatSumErrorOnTheEngine) {
  const soac::Program program = soac::parse(
      "program(x: f32[n]) { s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f return s }");
  for (std::int64_t n : {2, 3, 63, 64, 65, 100, 1000, 1025, 2048, 100003, 1000000}) {
    std::vector<float> x;
    double exact = 0, magnitude = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      x.push_back(std::sin(static_cast<float>(i) * 1.7f) * std::pow(10.f, static_cast<float>(i % 7)));
      exact += x.back();
      magnitude += std::fabs(x.back());
    }
    const std::vector<soac::Value> args = {soac::array_value(x)};
    const float sum = soac::elements_of<float>(run(program, args, tested(GetParam()))[0])[0];
    EXPECT_LE(std::fabs(sum - exact), 2 * std::log2(static_cast<double>(n)) * 0x1p-23 * magnitude) << n;
    EXPECT_EQ(soac::elements_of<float>(run(program, args, tested(GetParam()))[0])[0], sum)
        << "another sum on another run, n = " << n;
  }
}

/// What the interpreter computes the engine computes, bit for bit, contracted or not: the programs' floats
/// are only added in order where nothing is reduced, and maxima do not round.
TEST_P(Semantics, PropertyRandomProgramsOnTheEngine) {
  const bool held = rc::check("engine and interpreter agree", [] {
    soac::RandomProgram random(*rc::gen::arbitrary<std::uint64_t>());
    const soac::Program program = random.make(4);
    for (int sample = 0; sample < 2; ++sample) {
      const std::vector<soac::Value> args = random.arguments();
      const auto expected = soac::outcome(pipeline::specification(program, GetParam()), args);
      std::optional<std::vector<soac::Value>> got;
      try {
        got = run(program, args, tested(GetParam()));
      } catch (const InternalError&) {
        RC_LOG() << soac::print(program);
        throw;
      } catch (const CompileError&) {
        RC_LOG() << soac::print(program);
        throw;
      } catch (const Error& e) {
        if (!expected) continue;
        RC_LOG() << soac::print(program) << e.what();
        RC_FAIL("fails on the engine only");
      }
      if (expected && !soac::same(expected, got)) {
        RC_LOG() << soac::print(program) << "of " << testing::PrintToString(args) << ": "
                 << testing::PrintToString(got) << " and should be " << testing::PrintToString(expected);
        RC_FAIL("other results");
      }
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace fulgurite
