// Which arrays a statement may update in their memory.
#include "soac/update.h"

#include <gtest/gtest.h>

#include "soac/parse.h"

namespace fulgurite::soac {
namespace {

/// How many arrays the program's last statement updates.
std::size_t n_updated(const std::string& text) {
  const Program p = parse(text, "test.soac");
  return updated_arrays(*p.arena, p.body.back()).size();
}
/// A statement over n x columns points that stores at the place what it reads there and adds 1.
std::size_t n_updated_at(const std::string& place) {
  return n_updated("program(x: i32[m], y: i32[n, columns]) { r: i32[m] = redomap (i < n, j < columns) { " +
                   place + ", x[" + place + "] + 1i32 } scatter (m) (a: i64) { x[a] } return r }");
}

TEST(Update, ReadsOfTheOwnPlace) {
  EXPECT_EQ(n_updated_at("i * columns + j"), 1);
  EXPECT_EQ(n_updated_at("(columns - 1 - j) * n + i"), 1);
  EXPECT_EQ(n_updated_at("i * columns"), 0);
  EXPECT_EQ(n_updated_at("i + j"), 0);
}
/// Multiples of 2^62 are 0 again for every fourth point.
TEST(Update, PlacesThatWrapAround) {
  const auto at = [](const std::string& place) {
    return n_updated("program(x: i32[m], y: i32[n]) { r: i32[m] = redomap (i < n) { " + place + ", x[" +
                     place + "] } scatter (m) (a: i64) { x[a] } return r }");
  };
  EXPECT_EQ(at("i * 4"), 1);
  EXPECT_EQ(at("i * 4611686018427387904"), 0);
}
TEST(Update, ReadsOfOtherPlaces) {
  EXPECT_EQ(n_updated("program(x: i32[m], y: i32[n]) { r: i32[m] = redomap (i < n) { i, x[i + 1] } scatter "
                      "(m) (a: i64) { x[a] } return r }"),
            0);
  EXPECT_EQ(n_updated("program(x: i32[m], y: i32[n]) { r: i32[m] = redomap (i < 1) { i, x[i + 1] } scatter "
                      "(m) (a: i64) { x[a] } return r }"),
            1);
}

/// Points that replace two elements may read both: no other point stores to these.
TEST(Update, ScattersThatGoOn) {
  const auto pairs = [](const std::string& second, const std::string& read) {
    return n_updated("program(x: i32[m], y: i32[n]) { q: i32[m], r: i32[m] = redomap (i < n) { i * 2, x[" +
                     read + "], " + second +
                     ", x[i * 2] } scatter unordered (m) (a: i64) { x[a] } scatter on "
                     "unordered (m) (b: i64) { x[b] } return r }");
  };
  EXPECT_EQ(pairs("i * 2 + 1", "i * 2 + 1"), 1);
  EXPECT_EQ(pairs("i * 2 + 1", "i * 2 + 2"), 0) << "the first element of the next pair";
  EXPECT_EQ(pairs("i * 2 + 1", "i * 2 - 1"), 0);
  EXPECT_EQ(pairs("i * 4 + 1", "i * 2 + 1"), 0) << "another point stores there";
  EXPECT_EQ(pairs("i * 4 + 1", "i * 4 + 3"), 1) << "no point stores there";
}

}  // namespace
}  // namespace fulgurite::soac
