// Schedules of maps whose points change arrays of their own in loops.
#include "decided.h"

namespace fulgurite::schedule {
namespace {

using testing_schedule::Decided, testing_schedule::decided_lanes, testing_schedule::phase;

// A map of rows x of `m` elements, each of which the loop of the rows' function changes in turn.
std::string changed(const std::string& trips, const std::string& value) {
  return R"(program (x: f32[n, m], z: f32[m1], l: i64) {
    y: f32[n, m] = map (i < n) {
      first: f32[m] = map (j < m) { x[i, j] }
      last: f32[m] = loop (first) times )" +
         trips + R"( do (k: i64, s: f32[m]) {
        with: f32[m] = redomap (o < 1) { k, )" +
         value + R"( } scatter unordered (m) (p: i64) { s[p] }
        return with
      }
      return last
    }
    return y
  })";
}
bool has_lanes(const Decided& decided) {
  return decided.text.find("phase \"arrays in lanes\"") != std::string::npos;
}

// Arrays of floats take two whole vectors of lanes, and fewer where the loop reads rows of another array too,
// as each lane reads lines of its own.
TEST(LaneArrays, AreAVersionForArraysThatFit) {
  const Decided alone = decided_lanes(changed("m", "s[k] * z[k]"));
  EXPECT_NE(phase(alone, "main").find("guard 1 - select(m * 64 <= 262144 & 32 <= n, 1, 0)"),
            std::string::npos)
      << phase(alone, "main");
  EXPECT_NE(phase(alone, "arrays in lanes").find("cut 0 by 32 lane apart 16\n"), std::string::npos)
      << phase(alone, "arrays in lanes");
  const Decided beside = decided_lanes(changed("m", "s[k] * x[i, k]"));
  EXPECT_NE(phase(beside, "arrays in lanes").find("cut 0 by 8 lane apart 8\n"), std::string::npos)
      << phase(beside, "arrays in lanes");
}

// Rows that an iteration makes anew fill vectors by themselves where they are long.
TEST(LaneArrays, AreForShortIterations) {
  const Decided rows = decided_lanes(R"(program (x: f32[n, m]) {
    y: f32[n, m] = map (i < n) {
      first: f32[m] = map (j < m) { x[i, j] }
      last: f32[m] = loop (first) times 9 do (k: i64, s: f32[m]) {
        next: f32[m] = map (j < m) { s[j] * s[m - 1 - j] }
        return next
      }
      return last
    }
    return y
  })");
  EXPECT_NE(phase(rows, "arrays in lanes").find("max(m, 1) <= 64"), std::string::npos)
      << phase(rows, "arrays in lanes");
}

// What an iteration does around a row of its own: `inner` gives z for it.
std::string around(const std::string& inner) {
  return R"(program (x: i32[n, m], r: i64, l: i64) {
    y: i32[n] = map (i < n) {
      first: i32[m] = map (j < m) { x[i, j] }
      last: i32[m], total: i32 = loop (first, 0i32) times 9 do (k: i64, s: i32[m], t: i32) {
        next: i32[m] = map (j < m) { s[m - 1 - j] + 1i32 }
        )" +
         inner + R"(
        return next, t + z
      }
      return total
    }
    return y
  })";
}
const std::string changed_row = R"({
          row: i32[l] = map (j < l) { s[a] }
          done: i32[l] = loop (row) times l do (o: i64, q: i32[l]) {
            with: i32[l] = redomap (p < 1) { o, q[o] * q[0] } scatter unordered (l) (v: i64) { q[v] }
            return with
          }
          return done[l - 1]
        })";

// Points of a reduction that change rows are scalar code where lanes do not take the points around them. As
// many elements as they have steps may be computed beside them.
TEST(LaneArrays, AreForLongIterationsAroundScalarLoops) {
  const Decided sums =
      decided_lanes(around("z: i32 = redomap (a < r) " + changed_row + " reduce add comm neutral 0i32"));
  EXPECT_NE(
      phase(sums, "arrays in lanes").find("guard select(l <= max(l, 1) * 64 & m <= max(r * l, 1) * 64 & "),
      std::string::npos)
      << phase(sums, "arrays in lanes");
  // Lanes take the points of a map.
  const Decided maps =
      decided_lanes(around("rows: i32[r] = map (a < r) " + changed_row + "\n        let z = rows[0]"));
  EXPECT_NE(phase(maps, "arrays in lanes").find("guard select(max(max(m, max(r, l)), 1) <= 64 & "),
            std::string::npos)
      << phase(maps, "arrays in lanes");
}

// A lane adds up what it keeps only where sums pass through few roundings.
TEST(LaneArrays, AreForShortSums) {
  const Decided sums = decided_lanes(R"(program (x: f32[n, m]) {
    y: f32[n] = map (i < n) {
      first: f32[m] = map (j < m) { x[i, j] }
      last: f32[m] = loop (first) times m do (k: i64, s: f32[m]) {
        with: f32[m] = redomap (o < 1) { k, s[k] * 2f } scatter unordered (m) (p: i64) { s[p] }
        return with
      }
      sum: f32 = redomap (j < m) { last[j] } reduce add comm neutral 0f
      return sum
    }
    return y
  })");
  EXPECT_NE(phase(sums, "arrays in lanes").find("m <= 16 & "), std::string::npos)
      << phase(sums, "arrays in lanes");
}

// Loops of points may end at different times; a vector of points sorts nothing.
TEST(LaneArrays, AreForLoopsOfAnyLength) {
  EXPECT_TRUE(has_lanes(decided_lanes(changed("l", "s[k] * 2f"))));
  EXPECT_TRUE(has_lanes(decided_lanes(changed("min(i, m)", "s[k] * 2f"))));
  const Decided sorts = decided_lanes(R"(program (x: f32[n, m]) {
    y: f32[n, m] = map (i < n) {
      first: f32[m] = map (j < m) { x[i, j] }
      last: f32[m] = loop (first) times m do (k: i64, s: f32[m]) {
        sorted: f32[m] = sort (s) by (a: f32) { bitcast(u32, a) }
        return sorted
      }
      return last
    }
    return y
  })");
  EXPECT_FALSE(has_lanes(sorts));
}

}  // namespace
}  // namespace fulgurite::schedule
