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
    inner 2 up_to 64 {
)"),
            std::string::npos)
      << main;
}

}  // namespace
}  // namespace fulgurite::schedule
