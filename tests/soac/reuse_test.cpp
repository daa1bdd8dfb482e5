// Which arrays that points make take the memory of others.
#include "soac/reuse.h"

#include <gtest/gtest.h>

#include "base/match.h"
#include "soac/parse.h"

namespace fulgurite::soac {
namespace {

/// For each array of the state of the loop inside the program's map: whether iterations leave it in its
/// place. `body` has the iteration's number k, the array s of m elements and the number t.
bool stays(const std::string& body) {
  const Program p = parse(
      "program(x: i32[n, m]) { y: i32[n, m] = map (i < n) {\n"
      "row: i32[m] = map (l < m) { x[i, l] }\n"
      "last: i32[m], total: i32 = loop (row, 0i32) times 5 do (k: i64, s: i32[m], t: i32) {\n" +
          body + "}\nreturn last } return y } sites { 1 index \"{0}\" }",
      "test.soac");
  const auto& map = std::get<Soac>(p.body.back().op);
  const auto& loop = std::get<Loop>(map.body.body.back().op);
  return kept_places(*p.arena, loop)[0] == 0;
}

TEST(Reuse, ScattersChangeWhatNobodyNeeds) {
  const std::string stored = "r: i32[m] = redomap (p < 1) { k, t } scatter unordered (m) (q: i64) { s[q] }\n";
  EXPECT_TRUE(stays(stored + "return r, t + 1i32"));
  EXPECT_FALSE(stays(stored + "return r, t + s[k]@1")) << "what was there is read afterwards";
}

TEST(Reuse, ScattersThatCombine) {
  const std::string ends = " scatter (m) (q: i64) { s[q] } combine add comm neutral 0i32\n";
  EXPECT_TRUE(stays("r: i32[m] = redomap (p < 3) { p * p, t }" + ends + "return r, t"));
  EXPECT_TRUE(stays("r: i32[m] = redomap (p < 3) { p + k, s[p + k] }" + ends + "return r, t")) << "its own";
  EXPECT_FALSE(stays("r: i32[m] = redomap (p < 3) { p * p, s[p * p] }" + ends + "return r, t"))
      << "two points may have one place";
  EXPECT_FALSE(stays("r: i32[m] = redomap (p < 3) { p, s[p + 1]@1 }" + ends + "return r, t"));
  EXPECT_FALSE(stays("r: i32[m] = redomap (p < 3) { p, t }" + ends + "return r, t + s[k]@1"));
}

}  // namespace
}  // namespace fulgurite::soac
