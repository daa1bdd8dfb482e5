// Which reads see nothing of what a statement stores, as its updates in place tell.
#include <gtest/gtest.h>

#include "soac/parse.h"
#include "soac/update.h"

namespace fulgurite::soac {
namespace {

/// Whether points of n x columns that store at a place of a vector may update it where it lies, when they
/// read it elsewhere.
bool is_apart(const std::string& place, const std::string& read) {
  const Program p = parse(
      "program(x: i32[m], y: i32[n, columns], k: i64, b: i64) { r: i32[m] = redomap (i < "
      "n, j < columns) { " +
          place + ", x[" + read + "] + 1i32 } scatter (m) (a: i64) { x[a] } return r }",
      "test.soac");
  return !updated_arrays(*p.arena, p.body.back()).empty();
}
/// As is_apart(), for places in a matrix.
bool is_apart_in_matrix(const std::string& place, const std::string& read) {
  const Program p = parse(
      "program(x: i32[rows, columns], k: i64, n: i64, b: i64, starts: i64[m]) { r: i32[rows, columns] = "
      "redomap (i < n, j < n) { " +
          place + ", x[" + read +
          "] + 1i32 } scatter (rows, columns) (a: i64, c: i64) { x[a, c] } return r }",
      "test.soac");
  return !updated_arrays(*p.arena, p.body.back()).empty();
}

TEST(Apart, WhatIsBelowAllPlacesOrAboveThem) {
  EXPECT_TRUE(is_apart_in_matrix("k + i + 1, j", "k, j"));
  EXPECT_TRUE(is_apart_in_matrix("k + i, j", "k - 1 - i, j"));
  EXPECT_TRUE(is_apart_in_matrix("i, k + j", "i, k + n + j"));
  EXPECT_TRUE(is_apart_in_matrix("k - i, j", "k + 1 + i, j"));
  EXPECT_FALSE(is_apart_in_matrix("k + i, j", "k, j"));
  EXPECT_FALSE(is_apart_in_matrix("k + i + 1, j", "k + i, j"));
  EXPECT_FALSE(is_apart_in_matrix("k + i + 1, j", "b, j"));
  EXPECT_FALSE(is_apart_in_matrix("k + i, j", "k + n - 1 - i, j"));
}
TEST(Apart, OtherColours) {
  EXPECT_TRUE(is_apart("2 * i", "2 * i + 1"));
  EXPECT_TRUE(is_apart("2 * i + 1", "2 * j + 2"));
  EXPECT_TRUE(is_apart("3 * i + 1", "3 * i + 3"));
  EXPECT_TRUE(is_apart("4 * i + 2 * j", "6 * i + 1"));
  EXPECT_TRUE(is_apart("2 * i + k", "2 * i + k + 1"));
  EXPECT_FALSE(is_apart("2 * i", "2 * i + 2"));
  EXPECT_FALSE(is_apart("3 * i", "2 * i + 1"));
  EXPECT_FALSE(is_apart("2 * i + k", "2 * i + b + 1"));
}
/// k may be any number: its multiples wrap around, and are no multiples of 3 then.
TEST(Apart, MultiplesThatWrapAround) {
  EXPECT_TRUE(is_apart("4 * k", "4 * b + 2"));
  EXPECT_FALSE(is_apart("3 * k", "3 * b + 1"));
  EXPECT_TRUE(is_apart("3 * k + 3 * i", "3 * k + 3 * j + 1"));
  EXPECT_FALSE(is_apart("9223372036854775807 * i", "9223372036854775807 * i + 1"));
}
TEST(Apart, OtherDiagonals) {
  EXPECT_TRUE(is_apart_in_matrix("i, k - i", "i, k - i - 1"));
  EXPECT_TRUE(is_apart_in_matrix("i, k - i", "i - 1, k - i"));
  EXPECT_TRUE(is_apart_in_matrix("i, k + i", "j, k + j + 1"));
  EXPECT_FALSE(is_apart_in_matrix("i, k - i", "i - 1, k - i + 1"));
  EXPECT_FALSE(is_apart_in_matrix("i, k + i", "i + 1, k + i + 1"));
}
/// Whether the condition under which a vector is updated where it lies holds of k and n, if there is one that
/// is not always true.
std::optional<bool> is_apart_where(const std::string& place, const std::string& read, std::int64_t k,
                                   std::int64_t n = 1000) {
  const Program p = parse("program(x: i32[m], y: i32[n], k: i64, b: i64) { r: i32[m] = redomap (i < n) { " +
                              place + ", x[" + read + "] + 1i32 } scatter (m) (a: i64) { x[a] } return r }",
                          "test.soac");
  const auto updates = updates_where(*p.arena, std::get<Soac>(p.body.back().op), 0);
  if (!updates[0] || !updates[0]->where) return {};
  scalar::Arena& arena = *p.arena;
  const Var n_points = std::get<Soac>(p.body.back().op).dims[0].var();
  return scalar::substitute(arena, updates[0]->where, {{p.params[2], arena.i64(k)}, {n_points, arena.i64(n)}})
      .is_constant(1);
}
TEST(Apart, DiagonalsOfMatricesWithLongRows) {
  const std::string place = "k * i + b", left = "k * i + b - 1", above = "k * i + b - k - 2";
  EXPECT_EQ(is_apart_where(place, left, 2), true);
  EXPECT_EQ(is_apart_where(place, left, 1), false);
  EXPECT_EQ(is_apart_where(place, left, 0), false);
  EXPECT_EQ(is_apart_where(place, left, -2), false);
  EXPECT_EQ(is_apart_where(place, above, 3), true);
  EXPECT_EQ(is_apart_where(place, above, 2), false);
  // Distances of more are not 0 where they wrap around.
  EXPECT_EQ(is_apart_where(place, left, 1 << 20), true);
  EXPECT_EQ(is_apart_where(place, left, (1 << 20) + 1), false);
  EXPECT_EQ(is_apart_where(place, left, 2, std::int64_t{1} << 41), false);
}
TEST(Apart, DistancesThatNothingIsKnownOf) {
  EXPECT_EQ(is_apart_where("k * i", "k * i", 3), std::nullopt);
  EXPECT_EQ(is_apart_where("k * i", "b * i + 1", 3), std::nullopt);
  EXPECT_EQ(is_apart_where("k * i", "k * i + b", 3), std::nullopt);
  EXPECT_EQ(is_apart_where("k * i", "k * i + k", 3), std::nullopt);
  EXPECT_EQ(is_apart_where("k * i", "k * i * i + 1", 3), std::nullopt);
  EXPECT_EQ(is_apart_where("k * i", "k * 5000 * i + 1", 3), std::nullopt);
  EXPECT_EQ(is_apart_where("k * i", "k * i64(y[i]) + 1", 3), std::nullopt);
}
TEST(Apart, PlacesThatDataTell) {
  EXPECT_FALSE(is_apart_in_matrix("starts[i], j", "starts[i] + 1, j"));
  EXPECT_TRUE(is_apart_in_matrix("starts[i], 2 * j", "starts[i], 2 * j + 1"));
  EXPECT_TRUE(is_apart_in_matrix("starts[i], 2 * j", "b, 2 * i + 1"));
}

bool is_apart_inside(const std::string& reads) {
  const Program p = parse(
      "program(x: i32[rows, columns], k: i64, n: i64) { r: i32[rows, columns] = redomap (i < n, j < n) { " +
          reads + " return k + i, j, s } scatter (rows, columns) (a: i64, c: i64) { x[a, c] } return r }",
      "test.soac");
  return !updated_arrays(*p.arena, p.body.back()).empty();
}
TEST(Apart, IndicesOfCombinatorsInsideOfPoints) {
  const auto sum = [](const std::string& extent, const std::string& read) {
    return "s: i32 = redomap (l < " + extent + ") { x[" + read + "] } reduce add comm neutral 0i32";
  };
  EXPECT_TRUE(is_apart_inside(sum("k", "l, j")));
  EXPECT_TRUE(is_apart_inside(sum("i", "k - 1 - l, j")));
  EXPECT_TRUE(is_apart_inside(sum("i", "k + l - i, j")));
  EXPECT_FALSE(is_apart_inside(sum("k + 1", "l, j")));
  EXPECT_FALSE(is_apart_inside(sum("i", "k + 2 * l - i, j")));
}
/// What a point computes is another number at another point.
TEST(Apart, NumbersThatPointsCompute) {
  EXPECT_FALSE(is_apart_inside("let t = i * i let s = x[k + t, j]"));
  const Program p = parse(
      "program(x: i32[m], n: i64) { r: i32[m] = redomap (i < n) { let t = i * i return t, x[t "
      "+ 1] } scatter (m) (a: i64) { x[a] } return r }",
      "test.soac");
  EXPECT_TRUE(updated_arrays(*p.arena, p.body.back()).empty());
}

}  // namespace
}  // namespace fulgurite::soac
