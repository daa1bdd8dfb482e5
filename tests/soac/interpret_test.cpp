// The interpreter on whole programs against C++, its limits, and the arguments it refuses. Single rules:
// semantics_test.cpp.
#include "soac/interpret.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "soac/parse.h"
#include "values.h"

namespace fulgurite::soac {
namespace {

Program file(const std::string& name) {
  std::ifstream stream(FULGURITE_TEST_DATA "/" + name);
  std::stringstream text;
  text << stream.rdbuf();
  return parse(text.str(), name);
}

TEST(Interpret, Rmse) {
  const Program program = file("rmse.soac");
  for (std::int64_t n : {1, 2, 63, 64, 1025}) {
    std::vector<float> x, y;
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      x.push_back(static_cast<float>(i % 17) * 0.25f);
      y.push_back(static_cast<float>(i % 5) - 1.5f);
      sum += (x.back() - y.back()) * (x.back() - y.back());
    }
    const std::vector<Value> args = {array_value(x), array_value(y)};
    EXPECT_FLOAT_EQ(elements_of<float>(interpret(program, args)[0])[0],
                    static_cast<float>(std::sqrt(sum / static_cast<double>(n))));
  }
}

TEST(Interpret, Jacobi) {
  const std::int64_t n = 5, m = 4;
  std::vector<float> u, f;
  for (std::int64_t i = 0; i < n * m; ++i) {
    u.push_back(static_cast<float>(i * i % 11));
    f.push_back(static_cast<float>(i % 3));
  }
  const float h = 0.5f;
  std::vector<float> expected;
  float change = 0;
  auto at = [&](const std::vector<float>& a, std::int64_t i, std::int64_t j) {
    return a[static_cast<std::size_t>(i * m + j)];
  };
  for (std::int64_t i = 1; i < n - 1; ++i)
    for (std::int64_t j = 1; j < m - 1; ++j) {
      expected.push_back(0.25f * (at(u, i - 1, j) + at(u, i + 1, j) + at(u, i, j - 1) + at(u, i, j + 1) -
                                  h * h * at(f, i, j) + h * h));
      change = std::max(change, std::fabs(expected.back() - at(u, i, j)));
    }
  const std::vector<Value> args = {array_value<float>({n, m}, u), array_value<float>({n, m}, f),
                                   scalar_value(h)};
  const std::vector<Value> results = interpret(file("jacobi.soac"), args);
  EXPECT_EQ(results[0], array_value<float>({n - 2, m - 2}, expected));
  EXPECT_EQ(results[1], scalar_value(change));
}

TEST(Interpret, MaximumSegmentSum) {
  const std::vector<std::int32_t> x = {31, -41, 59, 26, -53, 58, 97, -93, -23, 84};
  const std::vector<Value> args = {array_value(x)};
  const std::vector<Value> results = interpret(file("segments.soac"), args);
  EXPECT_EQ(results[0], scalar_value<std::int32_t>(187));
  EXPECT_EQ(results[2], scalar_value(false));
  EXPECT_EQ(results[3], scalar_value<std::int32_t>(-93));
  EXPECT_EQ(results[1].shape, (std::vector<std::int64_t>{10, 4}));
}

TEST(Interpret, EveryKindOfOutput) {
  const std::vector<std::int32_t> x = {3, 1, 4, 1, 5, 9, 2, 6};
  const std::vector<Value> args = {array_value(x)};
  const std::vector<Value> results = interpret(file("outputs.soac"), args);
  EXPECT_EQ(results[0], scalar_value<std::int32_t>(31));
  EXPECT_EQ(results[1], array_value<std::int32_t>({6, 2, 9, 5, 1, 4, 1, 3}));
  EXPECT_EQ(results[2], array_value<std::int64_t>({13, 13, 12}));
  EXPECT_EQ(results[3], array_value<std::int32_t>({4, 2, 6}));
  EXPECT_EQ(results[4], array_value<std::int64_t>({0, 3}));
  EXPECT_EQ(results[5], array_value<std::int32_t>({4, 2, 6, 3, 1, 1, 5, 9}));
  EXPECT_EQ(results[6], array_value<std::int64_t>({2, 6, 7, 0, 1, 3, 4, 5}));
  EXPECT_EQ(results[7], array_value<std::int64_t>({0, 3, 8}));
  EXPECT_EQ(results[8], array_value<std::int32_t>({3, 4, 8, 9, 14, 23, 25, 31}));
  EXPECT_EQ(results[9], array_value<std::int32_t>({100, 103, 104, 108, 109, 114, 123, 125}));
}

TEST(Interpret, Loops) {
  const std::vector<Value> args = {array_value<std::int32_t>({1, 2, 3}), scalar_value<std::int64_t>(10)};
  const std::vector<Value> results = interpret(file("loops.soac"), args);
  EXPECT_EQ(results[0], scalar_value<std::int64_t>(55));
  std::vector<std::int32_t> w = {1, 2, 3};
  while (w[0] + w[1] + w[2] < 1000) w = {w[0] + w[2] + 1, w[1] + w[1] + 1, w[2] + w[0] + 1};
  EXPECT_EQ(results[1], array_value(w));
  // 55 is odd and b is 89: the inner else, 55 + 1 / 2.
  EXPECT_EQ(results[2], scalar_value<std::int32_t>(55));
  try {
    const std::vector<Value> bad = {array_value<std::int32_t>({1}), scalar_value<std::int64_t>(10)};
    interpret(file("loops.soac"), bad);
    FAIL();
  } catch (const IndexError& e) {
    EXPECT_STREQ(e.what(), "loops.cpp:3: fulgurite::IndexError: index 1 is outside 0..0");
  }
}

TEST(Interpret, SumsOfProductsRoundOnce) {
  const Program program = parse(
      "program p(x: f32[n], y: f32[m]) { s: f32 = redomap (i < n) { fma_sum(x[i], y[i]) } reduce add comm "
      "neutral 0f "
      "return s }");
  const float a = 1 + 0x1p-13f;
  const std::vector<Value> args = {array_value<float>({1, a}), array_value<float>({-1, a})};
  EXPECT_EQ(elements_of<float>(interpret(program, args)[0])[0], std::fma(a, a, -1.0f));
}

TEST(Interpret, SortsAreStable) {
  const std::vector<Value> args = {array_value<float>({2, -1, 2, 0.5f}),
                                   array_value<std::int64_t>({31, 2, 11, 42}),
                                   array_value<bool>({true, false, true})};
  const std::vector<Value> results = interpret(file("sorts.soac"), args);
  EXPECT_EQ(results[0], array_value<float>({-1, 0.5f, 2, 2}));
  EXPECT_EQ(results[1], array_value<std::int64_t>({2, 42, 31, 11}));
  EXPECT_EQ(results[2], array_value<std::int64_t>({31, 11, 2, 42}));
  EXPECT_EQ(results[3], array_value<bool>({true, true, false}));
  EXPECT_EQ(results[4],
            array_value<float>({4, 4}, {-1, 0.5f, 2, 2, -2, -2, -0.5f, 1, -1, 0.5f, 2, 2, -2, -2, -0.5f, 1}));
  const std::vector<Value> none = {array_value(std::vector<float>{}),
                                   array_value(std::vector<std::int64_t>{}),
                                   array_value(std::vector<bool>{})};
  EXPECT_EQ(interpret(file("sorts.soac"), none)[0].size(), 0U);
}

TEST(Interpret, SegmentsAreSortedByThemselves) {
  const Program program = parse(
      "program(offsets: i64[m], keys: u8[n], x: i64[n1]) { a: u8[n], b: i64[n] = sort (keys, x) segments "
      "offsets "
      "by (k: u8, v: i64) { k } return b, offsets }");
  const Value x = array_value<std::int64_t>({0, 1, 2, 3, 4, 5});
  const auto sorted = [&](const std::vector<std::int64_t>& offsets) {
    return interpret(program, std::vector<Value>{array_value(offsets),
                                                 array_value<std::uint8_t>({3, 1, 1, 2, 9, 0}), x})[0];
  };
  EXPECT_EQ(sorted({0, 3, 3, 5, 6}), array_value<std::int64_t>({1, 2, 0, 3, 4, 5}));
  EXPECT_EQ(sorted({0, 1, 2, 3, 4, 5, 6}), x);
  EXPECT_EQ(sorted({0, 6}), array_value<std::int64_t>({5, 1, 2, 3, 0, 4}));
}

TEST(Interpret, ArgumentsMustFit) {
  const Program program = file("rmse.soac");
  const Value floats = array_value<float>({1, 2}), ints = array_value<std::int32_t>({1, 2});
  for (const std::vector<Value>& args : std::vector<std::vector<Value>>{
           {floats}, {floats, ints}, {floats, scalar_value(1.f)}, {floats, floats, floats}})
    EXPECT_THROW(interpret(program, args), ShapeError);
  Value torn = floats;
  torn.bytes.pop_back();
  const std::vector<Value> args = {floats, torn};
  EXPECT_THROW(interpret(program, args), ShapeError);
}

TEST(Interpret, MemoryIsBounded) {
  const Program program = parse(
      "program(n: i64) { r: f64[1000] = map (i < 1000) { q: f64[n] = map (j < n) { f64(j) } return q[n - 1] "
      "} return r }");
  const std::vector<Value> small = {scalar_value<std::int64_t>(1000)},
                           large = {scalar_value<std::int64_t>(1001)};
  const std::uint64_t two_rows = 1000 * 8 + 2 * 1000 * 8;  // a row is dropped when the next one is there
  EXPECT_NO_THROW(interpret(program, small, {two_rows}));
  EXPECT_THROW(interpret(program, large, {two_rows}), OutOfMemory);
  const std::vector<Value> absurd = {scalar_value<std::int64_t>(INT64_MAX)};
  EXPECT_THROW(interpret(program, absurd), OutOfMemory);
}

TEST(Interpret, OfSoManyPointsOnly) {
  const Program program =
      parse("program(n: i64) { s: i64 = redomap (i < n) { i } reduce add neutral 0 return s }");
  const std::vector<Value> args = {scalar_value<std::int64_t>(1000)};
  EXPECT_EQ(interpret(program, args, {.max_points = 1000})[0].at(0), 499500U);
  EXPECT_THROW(interpret(program, args, {.max_points = 999}), OutOfMemory);
}

TEST(Interpret, MessagesQuoteValues) {
  const SiteInfo site{SiteInfo::Error::index, {"dir/f.cpp", 3}, "{0} of {1} at {2}, {3} {x} {"};
  const std::int64_t values[] = {7, 5, -1};
  try {
    raise(site, values);
  } catch (const IndexError& e) {
    EXPECT_EQ(e.message(), "7 of 5 at -1, {3} {x} {");
    EXPECT_EQ(e.file(), "dir/f.cpp");
    EXPECT_EQ(e.line(), 3u);
  }
}

TEST(Interpret, RowsOfDifferentShapesAreABug) {
  Program program = parse(
      "program(x: f32[n]) { r: f32[n, 2] = map (i < n) { q: f32[i] = map (j < i) { x[j] } return q } return "
      "r }");
  const std::vector<Value> args = {array_value<float>({1, 2, 3})};
  EXPECT_THROW(interpret(program, args), InternalError);
}

}  // namespace
}  // namespace fulgurite::soac
