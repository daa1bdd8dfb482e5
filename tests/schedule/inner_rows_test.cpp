// Schedules of maps of rows inside of the points of another map.
#include "decided.h"

namespace fulgurite::schedule {
namespace {

using testing_schedule::Decided, testing_schedule::decided_lanes, testing_schedule::phase;

// Inside of a point, too, lanes take rows that are short: which, is decided for each row of the map around.
TEST(InnerRows, AreForLanesOrForVectors) {
  const Decided apart = decided_lanes(R"(program (x: f32[n, m], z: f32[l, m1]) {
    most: f32[n] = map (i < n) {
      apart: f32[l] = map (j < l) {
        s: f32 = redomap (k < m) { x[i, k] * z[j, k] } reduce add comm neutral 0f
        return s
      }
      most: f32 = redomap (j < l) { apart[j] * apart[l - 1 - j] } reduce max comm neutral 0f
      return most
    }
    return most
  })");
  const std::string main = phase(apart, "main");
  EXPECT_NE(main.find(R"(  inner 1 rows_up_to 16 {
    axis free 0 1 extent l
    cut 0 by 64 lane apart 16
    inner 2 {
      axis fold 0 1 extent m
      cut 0 by 4 registers apart 2
    }
  }
  inner 1 {
    axis free 0 1 extent l
    inner 2 up_to 512 {
)"),
            std::string::npos)
      << main;
}

TEST(InnerRows, ThatAreFoldedOnceMoreAreForLanesToo) {
  const Decided nearest = decided_lanes(R"(program (x: f32[n, m], z: f32[l, m1]) {
    places: i64[n, 2] = map (i < n) {
      most: f32, place: i64 = redomap (j < l) {
        s: f32 = redomap (k < m) { x[i, k] * z[j, k] } reduce add comm neutral 0f
        return s, j
      } reduce (a: f32, b: i64, c: f32, d: i64) { select(a < c, c, a), select(a < c, d, b) } comm neutral 0f, 0
      both: i64[2] = redomap (j < 1) { 1, place } scatter unordered (2) (k: i64) { k }
      return both
    }
    return places
  })");
  const std::string main = phase(nearest, "main");
  EXPECT_NE(main.find(R"(  inner 1 rows_up_to 16 {
    axis fold 0 1 extent l
    cut 0 by 64 lane apart 16
    combine reduction 0 lane accumulators 4
    inner 2 {
      axis fold 0 1 extent m
      cut 0 by 4 registers apart 2
    }
  }
)"),
            std::string::npos)
      << main;
}

// Rows that loops change, too, each lane keeps one of: which rows are short is decided by their memory.
TEST(InnerRows, ThatLoopsChangeAreForLanes) {
  const auto with_steps = [](std::string_view step) {
    return phase(decided_lanes(fmt::format(R"(program (x: f32[n, m, l]) {{
      sums: f32[n, m, l] = map (i < n) {{
        rows: f32[m, l] = map (j < m) {{
          row: f32[l] = map (k < l) {{ x[i, j, k] * 2f }}
          state: f32[l] = loop (row) times l do (step: i64, s: f32[l]) {{
            {}
            return with
          }}
          return state
        }}
        return rows
      }}
      return sums
    }})",
                                           step)),
                 "main");
  };
  const std::string of_elements = with_steps(
      "with: f32[l] = redomap (p < 1) { return step, s[step] * 3f } scatter unordered (l) (q: i64) { s[q] }");
  EXPECT_NE(of_elements.find("inner 1 rows_up_to 4096 {"), std::string::npos) << of_elements;
  // Steps of many elements fill vectors by themselves.
  const std::string of_rows = with_steps("with: f32[l] = map (p < l) { s[p] * 3f }");
  EXPECT_EQ(of_rows.find("rows_up_to"), std::string::npos) << of_rows;
}

// What a row keeps is packed by lanes, as what a task keeps is.
TEST(InnerRows, AreFilteredInLanes) {
  const Decided counts = decided_lanes(R"(program (x: f32[n, m]) {
    sums: f32[n] = map (i < n) {
      k: i64, o: i64[2], y: f32[k] = redomap (j < m) { select(x[i, j] < 0.5f, 0, 1), x[i, j] } partition 1 of 1
      s: f32 = redomap (p < k) { y[p] * y[k - 1 - p] } reduce max comm neutral 0f
      return s
    }
    return sums
  })");
  const std::string main = phase(counts, "main");
  EXPECT_NE(main.find(R"(  inner 1 {
    axis scan 0 1 extent m
    cut 0 by 64 lane apart 16
    combine partition 0 registers packed
  }
)"),
            std::string::npos)
      << main;
}

}  // namespace
}  // namespace fulgurite::schedule
