// How one Soac becomes loops of lanes on a CPU: numbers that the policy and the machine decide from what the
// code does. They are kept as the cuts, combines and traffic of a nest, which walks read them from.
#pragma once

#include "schedule/ir.h"
#include "schedule/surroundings.h"

namespace fulgurite::schedule {

/// The kernel language has vectors of at most this many lanes.
inline constexpr std::int64_t most_lanes = 64;

struct LaneLoops {
  /// Points that lanes take together in the main loop: the width of a vector, times vectors side by side.
  int lanes = 64;
  /// The width of a vector: points that lanes take together where fewer than `lanes` are left.
  int tail_lanes = 16;
  /// This many points at an end of a row, or fewer, are taken one by one.
  int alone = 2;
  /// Lanes that scan together; more lanes cost more operator applications but fewer carries.
  int scan_lanes = 64;
  /// Points of the run that each of these lanes scans by itself; 0: lanes scan neighbouring points.
  int scan_steps = 0;
  /// Points of a task; a function of the code only, so that results do not depend on threads.
  std::int64_t tile = 16384;
  /// Additions that a float accumulator takes before it is added to an outer one.
  int chain = 32;
  /// Every array is read and stored at the number of the point: the space is walked as one axis.
  bool linear = false;
  /// Points are scalar code, one at a time; Soacs in the body are vector loops.
  bool rows = false;
  /// Reductions that do not commute: lanes that fold runs of neighbouring points, points of its run that a
  /// lane takes in a round, most points of a run (0: there are no such reductions), and how many elements
  /// ahead of what is read memory is fetched.
  int run_lanes = 16, run_steps = 16;
  std::int64_t run = 0, ahead = 0;
  /// Neighbouring rows whose points lanes take one after the other.
  std::int64_t rows_together = 1;
  /// Points of a histogram whose places and values wait for the scalar code of bins.
  std::int64_t portion = 512;
  /// Bytes read and written from which on stores bypass the caches, and whether loads touch cache lines then.
  std::int64_t streaming = 32 << 20;
  bool touch = false;
  /// As soac::meets_far_lines.
  bool meets_far_lines = false;
  /// Tasks take far_tile points, as each has cache lines of its own.
  bool are_far = false;
  bool operator==(const LaneLoops&) const = default;
};

/// What decides about loops besides the Soac itself.
struct Lanes {
  const soac::EqualSizes& sizes;
  Device device;
  LanesPolicy by;
};

LaneLoops choose(scalar::Arena&, const soac::Soac&, const Lanes&);
/// Fits the loops to a last axis with a constant number of points, fewer than there are lanes: each vector is
/// full, or there is only one, which has a mask.
LaneLoops fitted(LaneLoops, const soac::Soac&);
/// Whether the lanes of these loops scan; else scalar code does, in order.
bool lanes_scan(const scalar::Arena&, const soac::Soac&, const LaneLoops&, const Lanes&);
/// The reasons for the numbers of points of tasks that are cut for the loops, and of lanes (Phase::why).
std::vector<std::string> reasons_of(const scalar::Arena&, const soac::Soac&, const LaneLoops&, const Lanes&);
std::string why_lanes(const scalar::Arena&, const soac::Soac&, const LaneLoops&, const Lanes&);

/// A partition of a constant number of classes, so few that lanes look at each.
bool has_few_classes(const soac::Partition&, std::int64_t few_classes);

}  // namespace fulgurite::schedule
