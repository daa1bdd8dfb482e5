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

}  // namespace
}  // namespace fulgurite::soac
