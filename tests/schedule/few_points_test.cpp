// Scatters with an operator of few points as sorts, scans and stores.
#include "schedule/rewrites/few_points.h"

#include <gtest/gtest.h>

#include "soac/check.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::schedule {
namespace {

std::string in_versions(const std::string& text) {
  const soac::Program program = sort_few_points(soac::parse(text, "test.soac"), {.sparse_places = 64});
  soac::check(program, "sort_few_points");
  return soac::print(program, {.locations = false});
}

TEST(FewPointsOfScatters, AreSortedByPlace) {
  EXPECT_EQ(in_versions(R"(program(x: i32[n], places: i64[m], values: i32[m_1], k: i64) {
    y: i32[n] = loop (x) times k do (step: i64, z: i32[n]) {
      z_1: i32[n] = redomap (i < m) { places[i], values[i] * 2i32 } scatter (n) (j: i64) { z[j] } combine add comm neutral 0i32
      return z_1
    }
    return y
  })"),
            R"(program (x: i32[n], places: i64[m], values: i32[m_1], k: i64) {
  y: i32[n] = loop (x) times k do (step_: i64, z: i32[n]) {
    z_1: i32[n] = if m <= n / 64 {
      place: i64[m], value: i32[m] = map (i < m) {
        return select(0 <= places[i] & places[i] < n, places[i], n), values[i] * 2i32
      }
      place_1: i64[m], value_1: i32[m] = sort (place, value) by (x_1: i64, x_2: i32) { u64(x_1) }
      total: i32[m] = map (i_1 < m) {
        begins: bool = if 0 < i_1 { place_1[i_1 - 1] != place_1[i_1] } else { true }
        begins_1: i32, total_1: i32 = scan (i32(begins), value_1[i_1]) (begins_2: i32, left: i32, begins_3: i32, right: i32) {
          return begins_2 | begins_3, select(begins_3 == 0i32, left + right, right)
        }
        return total_1
      }
      place_2: i64[m], value_2: i32[m] = map (i_2 < m) {
        ends: bool = if i_2 + 1 < m { place_1[i_2 + 1] != place_1[i_2] } else { true }
        let t = ends & place_1[i_2] < n
        value_3: i32 = if t { total[i_2] + z[place_1[i_2]] } else { total[i_2] }
        return select(t, place_1[i_2], -1), value_3
      }
      z_1_1: i32[n] = redomap (i_3 < m) { place_2[i_3], value_2[i_3] } scatter unordered (n) (j: i64) { z[j] }
      return z_1_1
    } else {
      z_1_2: i32[n] = redomap (i_4 < m) { places[i_4], values[i_4] * 2i32 } scatter (n) (j_1: i64) { z[j_1] } combine add comm neutral 0i32
      return z_1_2
    }
    return z_1
  }
  return y
}
)");
}

// Other outputs of the statement do not keep it from being sorted.
TEST(FewPointsOfScatters, AreSortedBesideOtherOutputs) {
  const std::string text = in_versions(
      R"(program(x: i32[n], places: i64[m], values: i32[m_1], k: i64) {
    y: i32[n], c: i32[n] = loop (x, x) times k do (step: i64, z: i32[n], c: i32[n]) {
      most: i32, z_1: i32[n], c_1: i32[n] = redomap (i < m) { values[i], places[i], values[i], places[i], i32(i) } reduce max comm neutral 0i32 scatter (n) (j: i64) { z[j] } combine min comm neutral 7i32 scatter any (n) (j_1: i64) { c[j_1] }
      return z_1, c_1
    }
    return y, c
  })");
  const std::size_t few = text.find("if m <= n / 64"), other = text.find("} else {", text.find("unordered"));
  const std::string sorted = text.substr(few, other - few);
  EXPECT_NE(sorted.find("= redomap (i < m) { values[i], places[i], i32(i) } reduce max"), std::string::npos)
      << text;
  EXPECT_NE(sorted.find("sort (place, value)"), std::string::npos) << text;
  EXPECT_EQ(sorted.find("combine"), std::string::npos) << text;
  EXPECT_NE(text.find("combine min", other), std::string::npos) << text;
}

// Once, clearing bins costs less than compiling a sort.
TEST(FewPointsOfScatters, StayAsTheyAreOutsideOfLoops) {
  const std::string text = in_versions(R"(program(x: i32[n], places: i64[m], values: i32[m_1]) {
    y: i32[n] = redomap (i < m) { places[i], values[i] * 2i32 } scatter (n) (j: i64) { x[j] } combine add comm neutral 0i32
    return y
  })");
  EXPECT_EQ(text.find("sort"), std::string::npos) << text;
}

// Sums of floats depend on how they are grouped, which ranks do in another way.
TEST(FewPointsOfScatters, StayAsTheyAreWhereSumsRound) {
  for (const std::string op : {"add", "min"}) {
    const std::string text = in_versions(R"(program(x: f32[n], places: i64[m], values: f32[m_1], k: i64) {
      y: f32[n] = loop (x) times k do (step: i64, z: f32[n]) {
        z_1: f32[n] = redomap (i < m) { places[i], values[i] } scatter (n) (j: i64) { z[j] } combine )" +
                                         op + R"( comm neutral 0f
        return z_1
      }
      return y
    })");
    EXPECT_EQ(text.find("sort") == std::string::npos, op == "add") << text;
  }
}

}  // namespace
}  // namespace fulgurite::schedule
