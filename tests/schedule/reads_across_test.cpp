// Schedules of maps whose neighbouring rows read neighbouring elements.
#include "decided.h"

namespace fulgurite::schedule {
namespace {

using testing_schedule::Decided, testing_schedule::decided_lanes, testing_schedule::phase;

// Points of neighbouring rows read the same cache lines.
TEST(ReadsAcrossText, TransposesHaveTilesOfRows) {
  const Decided transpose = decided_lanes(R"(program (x: f32[m, n]) {
    y: f32[n, m] = map (i < n, j < m) { x[j, i] + 1f }
    return y
  })");
  EXPECT_EQ(phase(transpose, "main"), R"(phase "main"
  axis free 0 1 extent n
  axis free 1 1 extent m
  cut 0 by max(16384 / max(min(m, 128), 1), 1) grid mask
  cut 1 by 128 grid mask
  cut 1 by 64 lane apart 16
  cut 0 by 16 registers apart 1
  traffic streaming 33554432
)");
}

// So they do where rows lie along the outermost axis: planes are the axes between.
TEST(ReadsAcrossText, PermutedAxesHavePlanes) {
  const Decided permuted = decided_lanes(R"(program (x: f64[l, m, n]) {
    y: f64[n, m, l] = map (k < n, j < m, i < l) { x[i, j, k] }
    return y
  })");
  EXPECT_EQ(phase(permuted, "main"), R"(phase "main"
  axis free 0 1 extent n
  axis free 1 1 extent m
  axis free 2 1 extent l
  cut 0 by max(16384 / max(min(l, 256), 1), 1) grid mask
  cut 1 by max(16384 / (max(min(l, 256), 1) * max(min(n, max(16384 / max(min(l, 256), 1), 1)), 1)), 1) grid mask
  cut 2 by 256 grid mask
  cut 2 by 32 lane apart 8
  cut 0 by 8 registers apart 1
  traffic streaming 33554432
)");
}

}  // namespace
}  // namespace fulgurite::schedule
