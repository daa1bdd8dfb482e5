// What the canonical text of a program costs, which every call of compile() prints, and an element in the
// interpreter.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <vector>

#include "soac/interpret.h"
#include "soac/parse.h"
#include "soac/print.h"
#include "values.h"

namespace fulgurite::soac {
namespace {

TEST(Text, TimingCanonicalIsFast) {
  std::ifstream stream(FULGURITE_TEST_DATA "/rmse.soac");
  std::stringstream text;
  text << stream.rdbuf();
  const Program p = parse(text.str());
  double best = 1e9;
  for (int round = 0; round < 200; ++round) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(canonical(p).empty());
    best = std::min(
        best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  EXPECT_LT(best, 100) << "microseconds";
}

TEST(Interpret, TimingAMillionElements) {
  const Program program = parse(
      "program(x: f32[n], y: f32[n1]) { s: f32 = redomap (i < n) { x[i] * y[i] } reduce add comm neutral 0f "
      "return s }");
  const Value x = array_value(std::vector<float>(1000000, 0.5f));
  const std::vector<Value> args = {x, x};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(interpret(program, args)[0], scalar_value(250000.f));
  const double ns =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / 1e6;
  EXPECT_LT(ns, 600) << "two loads, a product and a sum";
}

}  // namespace
}  // namespace fulgurite::soac
