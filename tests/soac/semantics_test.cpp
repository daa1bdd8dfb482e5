// The rows of docs/semantics.md on the interpreter.
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "semantics_rows.h"
#include "simplify/simplify.h"
#include "soac/parse.h"

namespace fulgurite::soac {
namespace {

void expect_row(const SemanticsRow& row, bool is_fast) {
  SCOPED_TRACE(row.name + (is_fast ? " fast: " : " strict: ") + row.program);
  Program program = parse(row.program, row.name);
  PassContext context;
  if (is_fast) program = simplify::contract.run(std::move(program), context);
  if (row.error.empty()) {
    const std::vector<Value> results = interpret(program, row.args), &expected = row.results_under(is_fast);
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_TRUE(same(results[i], expected[i]))
          << ::testing::PrintToString(results[i]) << " should be " << ::testing::PrintToString(expected[i]);
    return;
  }
  try {
    interpret(program, row.args);
    ADD_FAILURE() << "no " << row.error;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), row.error) << e.what();
    if (!row.message.empty()) {
      EXPECT_EQ(e.message(), row.message);
    }
  }
}

TEST(Semantics, RowsHoldOnTheInterpreter) {
  for (const SemanticsRow& row : semantics_rows())
    for (const bool is_fast : {true, false}) expect_row(row, is_fast);
}

TEST(Semantics, EveryRowOfThePageIsTested) {
  std::ifstream file(FULGURITE_TEST_DATA "/../../docs/semantics.md");
  std::stringstream text;
  text << file.rdbuf();
  std::set<std::string> tested = {"ulp_2", "float_sum_error", "reproducible", "unread_elements"};
  for (const SemanticsRow& row : semantics_rows()) tested.insert(row.name);
  const std::string page = text.str();
  const std::regex row("\\n\\| `([a-z0-9_]+)` \\|");
  int n_rows = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at, ++n_rows)
    EXPECT_TRUE(tested.contains((*at)[1])) << (*at)[1];
  EXPECT_GT(n_rows, 40);
}

TEST(Semantics, FloatSumError) {
  for (std::int64_t n : {2, 3, 63, 1000, 1025, 100003}) {
    std::vector<float> x;
    double exact = 0, magnitude = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      x.push_back(std::sin(static_cast<float>(i) * 1.7f) * std::pow(10.f, static_cast<float>(i % 7)));
      exact += x.back();
      magnitude += std::fabs(x.back());
    }
    const Program program =
        parse("program(x: f32[n]) { s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f return s }");
    const std::vector<Value> args = {array_value(x)};
    const float sum = elements_of<float>(interpret(program, args)[0])[0];
    EXPECT_LE(std::fabs(sum - exact), 2 * std::log2(static_cast<double>(n)) * 0x1p-23 * magnitude) << n;
  }
}

TEST(Semantics, Reproducible) {
  const Program program = parse(
      "program(x: f32[n]) { s: f32 = redomap (i < n) { exp(x[i]) } reduce add comm neutral 0f return s }");
  const std::vector<Value> args = {array_value<float>(std::vector<float>(1000, 0.3f))};
  EXPECT_EQ(interpret(program, args), interpret(program, args));
}

/// The interpreter's f32 functions are f64 functions rounded once: within half a ULP of them and a little.
TEST(Semantics, TranscendentalFunctions) {
  for (const char* function : {"exp", "log", "sin", "tanh", "erf", "cbrt"}) {
    const std::string op = function;
    const Program single =
        parse("program(x: f32[n]) { r: f32[n] = map (i < n) { " + op + "(x[i]) } return r }");
    const Program wide =
        parse("program(x: f32[n]) { r: f64[n] = map (i < n) { " + op + "(f64(x[i])) } return r }");
    const std::vector<Value> args = {array_value<float>({0.1f, 0.5f, 1, 2, 10, 50})};
    const auto a = elements_of<float>(interpret(single, args)[0]);
    const auto b = elements_of<double>(interpret(wide, args)[0]);
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], std::fabs(b[i]) * 0x1p-24) << function << " " << i;
  }
}

}  // namespace
}  // namespace fulgurite::soac
