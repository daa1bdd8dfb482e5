#include "schedule/lanes/reasons.h"

#include <fmt/format.h>

#include "schedule/lanes/costs.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rewrites/slice.h"

namespace fulgurite::schedule {

namespace {

std::string why_tile(const Building& at, double work) {
  const LanesPolicy& by = at.lanes.by;
  const char* cost = work <= by.cheap_work ? "cheap" : work <= by.moderate_work ? "moderate" : "expensive";
  return fmt::format("a task takes about {} points: one costs {:.0f} additions, which is {}", at.loops.tile,
                     work, cost);
}

std::string why_lanes(const Building& at) {
  const LaneLoops& loops = at.loops;
  if (loops.rows)
    return makes_arrays(at.op())
               ? "points are scalar code, one at a time: they make arrays"
               : "points are scalar code, one at a time: the Soacs inside read along their own axis";
  if (has_bins(at.op())) return "bins are updated by scalar code, one after the other";
  if (loops.run > 0 && folds_in_runs(at.op()))
    return fmt::format(
        "{} lanes fold a run of up to {} neighbouring points each: an operator is not known to commute",
        loops.run_lanes, loops.run);
  if (is_in_order(at.op()) && has_scan(at.op().body))
    return loops.scan_steps > 0 ? fmt::format("{} lanes scan runs of {} points: the operator is expensive",
                                              loops.scan_lanes, loops.scan_steps)
                                : fmt::format("{} lanes scan neighbouring points", loops.scan_lanes);
  return fmt::format("{} lanes in vectors of {}: vectors side by side hide latency", loops.lanes,
                     loops.tail_lanes);
}

}  // namespace

std::vector<std::string> reasons_of(const Building& at) {
  std::vector<std::string> why{why_tile(at, Costs(at.lanes.by).of_point(at.op())), why_lanes(at)};
  if (at.loops.linear)
    why.emplace_back("one axis: every array is read and stored at the number of the point");
  if (at.in_order) why.emplace_back("tasks take neighbouring points in their order");
  return why;
}

}  // namespace fulgurite::schedule
