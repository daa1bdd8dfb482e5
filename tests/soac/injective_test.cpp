// Which places are proved to differ from point to point, and which must not be.
#include "soac/injective.h"

#include <gtest/gtest.h>

#include "base/match.h"
#include "soac/parse.h"

namespace fulgurite::soac {
namespace {

/// Whether points of the program's last statement store apart.
bool apart(const std::string& text) {
  const Program p = parse(text, "test.soac");
  const EqualSizes sizes(p);
  Origins origins;
  for (const Stm& stm : p.body) origins.add(stm);
  return stores_apart(*p.arena, sizes, origins, *base::as<Soac>(p.body.back().op), 0);
}
/// Points of one axis, or of two, that store to an array of m elements.
bool apart_at(const std::string& place, const std::string& before = "") {
  return apart("program(x: i32[m], p: i64[n], q: i32[o], k: i64, w: i32) { " + before +
               " r: i32[m] = redomap (i < n) { " + place +
               ", 1i32 } scatter (m) (j: i64) { x[j] } return r }");
}
bool apart_at_two(const std::string& place) {
  return apart(
      "program(x: i32[m], y: i32[rows, columns], k: i64) { r: i32[m] = redomap (i < rows, j < columns) { " +
      place + ", 1i32 } scatter (m) (a: i64) { x[a] } return r }");
}

TEST(Injective, Affine) {
  for (const char* place : {"i", "i + k", "k - i", "n - 1 - i", "3 * i + k", "i * -2", "i64(i32(i))",
                            "i64(i32(i) + w)", "i64(w - i32(i) * 3i32)", "i64(u32(i))", "-i", "(i + 1) * 5"})
    EXPECT_TRUE(apart_at(place)) << place;
  for (const char* place : {"0", "k", "i * k", "i / 2", "i % 7", "i * i", "p[i]", "i64(q[i])", "p[i] + i",
                            "i * 4611686018427387904", "i64(i8(i))", "i64(i32(i) * 2i32)", "max(i, 3)",
                            "i - i", "i ^ (i + 1)", "i64(f32(i))"})
    EXPECT_FALSE(apart_at(place)) << place;
}

TEST(Injective, TwoAxes) {
  for (const char* place : {"i * columns + j", "j * rows + i", "k - (i * columns + j)", "i * columns - j",
                            "(columns - 1 - j) * rows + i", "2 * (j * rows + i)"})
    EXPECT_TRUE(apart_at_two(place)) << place;
  for (const char* place : {"i", "i + j", "i * rows + j", "i * columns", "j * columns + i", "i * k + j"})
    EXPECT_FALSE(apart_at_two(place)) << place;
  const std::string shape = "program(n: i64) { r: i32[n, n] = redomap (i < n, j < n) { ";
  const std::string to = ", 1i32 } scatter (n, n) (a: i64, b: i64) { 0i32 } return r }";
  EXPECT_TRUE(apart(shape + "j, i" + to));
  EXPECT_TRUE(apart(shape + "n - 1 - i, 2 * j + 5" + to));
  EXPECT_TRUE(apart(shape + "i * n + j, 0" + to));
  EXPECT_FALSE(apart(shape + "i, i" + to));
  EXPECT_FALSE(apart(shape + "i, j / 2" + to));
  EXPECT_FALSE(apart(shape + "i + j, i - j" + to));
  const std::string known = "program(x: i32[m]) { r: i32[m] = redomap (i < 4, j < 3) { ";
  const std::string in = ", 1i32 } scatter (m) (a: i64) { x[a] } return r }";
  EXPECT_TRUE(apart(known + "i * 3 + j" + in));
  EXPECT_TRUE(apart(known + "i * 10 + j" + in));
  EXPECT_TRUE(apart(known + "j * 4 + i" + in));
  EXPECT_FALSE(apart(known + "i * 2 + j" + in));
  EXPECT_FALSE(apart(known + "j * 3 + i" + in));
}

TEST(Injective, QuotientAndRemainder) {
  const auto transposed = [](const std::string& place) {
    return apart("program(y: i32[rows, columns]) { r: i32[rows * columns] = redomap (i < rows * columns) { " +
                 place + ", 1i32 } scatter (rows * columns) (a: i64) { 0i32 } return r }");
  };
  EXPECT_TRUE(transposed("i % columns * rows + i / columns"));
  EXPECT_TRUE(transposed("i / columns * columns + i % columns"));
  EXPECT_FALSE(transposed("i % columns * columns + i / columns"));
  EXPECT_FALSE(transposed("i % rows * rows + i / columns"));
  EXPECT_FALSE(transposed("i % columns + i / columns"));
}

TEST(Injective, ThroughArrays) {
  EXPECT_TRUE(apart_at("a[i]", "a: i64[n] = map (j < n) { 2 * j + k }"));
  EXPECT_TRUE(apart_at("a[n - 1 - i]", "a: i64[n] = map (j < n) { 2 * j + k }"));
  EXPECT_TRUE(
      apart_at("i64(b[i])", "a: i32[n] = map (j < n) { i32(j) } b: i32[n] = map (j < n) { a[n - 1 - j] }"));
  EXPECT_FALSE(apart_at("a[i / 2]", "a: i64[n] = map (j < n) { j }"));
  EXPECT_FALSE(apart_at("a[i]", "a: i64[n] = map (j < n) { p[j] }"));
}

TEST(Injective, Sorted) {
  const std::string keys =
      "a: i64[n] = map (j < n) { j } b: i64[n], c: i64[n] = sort (p, a) by (y: i64, z: i64) { u64(y) } ";
  EXPECT_TRUE(apart_at("c[i]", keys));
  EXPECT_TRUE(apart_at("c[n - 1 - i] + k", keys));
  EXPECT_FALSE(apart_at("b[i]", keys));
  EXPECT_FALSE(apart_at("c[i / 2]", keys));
  EXPECT_FALSE(apart_at("c[i] / 2", keys));
  EXPECT_TRUE(
      apart_at("d[i]", keys + "e: i64[n], d: i64[n] = sort (b, c) by (y: i64, z: i64) { u64(y) % 7u64 }"));
}

TEST(Injective, RunningSums) {
  const std::string flags = "f: i64[n] = map (j < n) { select(p[j] < k, 1, 0) } ";
  const std::string before =
      flags + "s: i64[n] = map (j < n) { t: i64 = scan exclusive (f[j]) add comm neutral 0 return t }";
  const std::string with =
      flags + "s: i64[n] = map (j < n) { t: i64 = scan (f[j]) add comm neutral 0 return t }";
  for (const std::string& sums : {before, with}) {
    EXPECT_TRUE(apart_at("select(f[i] == 1, s[i], -1)", sums));
    EXPECT_TRUE(apart_at("select(f[i] != 0, s[i] - 1, m)", sums));
    EXPECT_TRUE(apart_at("select(0 < f[i], s[i] + k, -1)", sums));
    EXPECT_TRUE(apart_at("select(p[i] < k, s[i], -1)", sums));
    EXPECT_TRUE(apart_at("select(f[i] == 0, -1, s[i])", sums));
    EXPECT_TRUE(apart_at("select(p[i] < k & 3 < i, s[i], -1)", sums));
    EXPECT_TRUE(apart_at("select(!(p[i] < k & 3 < i), -1, s[i])", sums));
    EXPECT_FALSE(apart_at("select(!(p[i] < k & 3 < i), s[i], -1)", sums));
    EXPECT_FALSE(apart_at("select(!(p[i] < k & 3 < i) & 2 < i, s[i], -1)", sums));
    EXPECT_FALSE(apart_at("s[i]", sums));
    EXPECT_FALSE(apart_at("select(f[i] == 0, s[i], -1)", sums));
    EXPECT_FALSE(apart_at("select(p[i] < 7, s[i], -1)", sums));
    EXPECT_FALSE(apart_at("select(p[i] < k | 3 < i, s[i], -1)", sums));
    EXPECT_FALSE(apart_at("select(f[i] == 1, s[i], 3)", sums));
    EXPECT_FALSE(apart_at("select(f[i] == 1, s[i] / 2, -1)", sums));
    EXPECT_FALSE(apart_at("select(f[i] == 1, s[n - 1 - i], -1)", sums));
  }
  // Flags that are data may be anything; a product need not grow.
  EXPECT_FALSE(
      apart_at("select(p[i] == 1, s[i], -1)",
               "s: i64[n] = map (j < n) { t: i64 = scan exclusive (p[j]) add comm neutral 0 return t }"));
  EXPECT_FALSE(apart_at(
      "select(f[i] == 1, s[i], -1)",
      flags + "s: i64[n] = map (j < n) { t: i64 = scan exclusive (f[j]) mul comm neutral 1 return t }"));
  EXPECT_TRUE(apart_at("s[i]", "s: i64[n] = map (j < n) { t: i64 = scan (1) add comm neutral 0 return t }"));
  EXPECT_TRUE(apart_at(
      "i64(select(p[i] < k, s[i], -1i32))",
      "s: i32[n] = map (j < n) { t: i32 = scan exclusive (i32(p[j] < k)) add comm neutral 0i32 return t }"));
}

TEST(Injective, Rotations) {
  EXPECT_TRUE(apart_at("select(i < n - k, i + k, i - (n - k))"));
  EXPECT_TRUE(apart_at("i64(select(i < n - k, i32(i + k), i32(i + k - n)))"));
  EXPECT_FALSE(apart_at("select(i == n - k, i + k, i - (n - k))"));
  EXPECT_FALSE(apart_at("select(bool(w), i + k, i - (n - k))")) << "not looked at";
  EXPECT_FALSE(apart_at("select(i < n - k, i + k, i - n)"));
  EXPECT_FALSE(apart_at("select(i < n - k, i + k, 2 * i - (n - k))"));
  EXPECT_FALSE(apart_at("select(p[i] < k, i + k, i - (n - k))"));
}

TEST(Injective, Splits) {
  const auto split = [](const std::string& place, const std::string& total = "select(p[i] < k, 1, 0)",
                        const std::string& points = "i < n") {
    return apart_at(
        place,
        "a: i64[n] = map (i < n) { t: i64 = scan exclusive (select(p[i] < k, 1, 0)) add comm neutral 0 "
        "return t } b: i64[n] = map (i < n) { u: i64 = scan exclusive (select(p[i] < k, 0, 1)) add comm "
        "neutral 0 initial 0 return u } c: i64 = redomap (" +
            points + ") { " + total + " } reduce add comm neutral 0");
  };
  const std::string others = "select(p[i] < k, 0, 1)";
  EXPECT_TRUE(split("select(p[i] < k, a[i], c + b[i])"));
  EXPECT_TRUE(split("select(p[i] < k, a[i], b[i] + (n - c))", others));
  EXPECT_TRUE(split("select(p[i] < k, c + a[i], b[i])", others));
  EXPECT_FALSE(split("select(p[i] < k, a[i], c + b[i])", others));
  EXPECT_FALSE(split("select(p[i] < k, a[i], c + b[i])", "select(i < 5, 1, 0)"));
  EXPECT_FALSE(split("select(p[i] < k, a[i], c + b[i])", "select(p[i] < k, 1, 0)", "i < n, j < 2"));
  EXPECT_FALSE(split("select(p[i] < k, a[i], b[i])"));
  EXPECT_FALSE(split("select(p[i] < k, a[i], b[i] + k)"));
  EXPECT_FALSE(split("select(p[i] < k, a[i], c - b[i])"));
  EXPECT_FALSE(split("select(p[i] < k, a[i], c + a[i])"));
  EXPECT_FALSE(split("select(p[i] < 3, a[i], c + b[i])"));
}

TEST(Injective, ARunningSumOfItsOwnBody) {
  EXPECT_TRUE(
      apart("program(p: i64[n]) { r: i64[n] = redomap (i < n) { t: i64 = scan exclusive (select(p[i] < 3, 1, "
            "0)) add comm "
            "neutral 0 return select(p[i] < 3, t, -1), i } scatter (n) (j: i64) { 0 } return r }"));
  EXPECT_FALSE(
      apart("program(p: i64[n]) { r: i64[n] = redomap (i < n) { t: i64 = scan exclusive (select(p[i] < 3, 1, "
            "0)) add comm "
            "neutral 0 return t, i } scatter (n) (j: i64) { 0 } return r }"));
  EXPECT_FALSE(
      apart("program(p: i64[n]) { r: i64[n] = redomap (i < n) { t: i64 = redomap (j < 3) { p[j] } reduce add "
            "comm neutral 0 "
            "return t + p[i], i } scatter (n) (j: i64) { 0 } return r }"));
}

}  // namespace
}  // namespace fulgurite::soac
