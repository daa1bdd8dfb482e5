#include "schedule/lanes/loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/lanes/costs.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rewrites/scanned.h"
#include "schedule/rewrites/slice.h"
#include "soac/linear.h"

namespace fulgurite::schedule {

namespace {

std::string why_tasks(const scalar::Arena& arena, const soac::Soac& op, const LaneLoops& loops,
                      const Lanes& lanes) {
  const LanesPolicy& by = lanes.by;
  const double work = Costs(by).of_point(op);
  const bool is_cheap = work <= by.cheap_work, is_moderate = work <= by.moderate_work;
  const char* cost = is_cheap ? "cheap" : is_moderate ? "moderate" : "expensive";
  std::string numbers = fmt::format("{}_tile, {}_work", cost, is_cheap ? "cheap" : "moderate");
  if (loops.run > 0)
    numbers = fmt::format("{}, moderate_work", is_moderate ? "run_tile" : "expensive_run_tile");
  if (is_cheap && has_scan(op.body)) numbers += ", scan_tiles";
  if (is_cheap && has_bins(op)) numbers += ", bin_tiles";
  if (!op.partitions.empty()) numbers += ", packed_bytes";
  if (loops.scan_steps > 0) numbers += ", scanned_bytes";
  if (loops.are_far) numbers += ", far_tile";
  if (soac::elements_of_results(arena, op.body) > 1) numbers += ", least_tile";
  // Rows cost what their points do, as many as are assumed where the length is no constant.
  if (loops.rows) numbers += ", cost_step, unknown_trips";
  return fmt::format("tasks: about {} points{} each: one{} costs {:.0f} addition{}, which is {} ({})",
                     loops.tile, loops.rows ? " of rows" : "", loops.rows ? " row" : "", work,
                     work == 1 ? "" : "s", cost, numbers);
}

// The numbers that decide how many vectors are side by side.
const char* numbers_of_vectors(const soac::Soac& op, std::int64_t vectors, const Lanes& lanes) {
  const bool has_32_registers = lanes.device.vector_bytes >= 64;
  if (Costs(lanes.by).waits_for_itself(op.body))
    return has_32_registers ? "waiting_vectors, waiting_work" : "waiting_vectors_16_registers, waiting_work";
  if (vectors != lanes.by.short_vectors) return "medium_vectors, medium_work, few_accumulators";
  if (!has_32_registers) return "short_vectors, short_work_16_registers";
  return soac::view_of(op).mapped.empty() ? "short_vectors, short_work" : "short_vectors, short_work_stores";
}

std::string why_scans(const scalar::Arena& arena, const soac::Soac& op, const LaneLoops& loops,
                      const Lanes& lanes) {
  if (lanes_scan(arena, op, loops, lanes))
    return fmt::format("lanes: {} scan {} (cheap_scan_work, least_scan_lanes, scan_steps, scan_run_bytes)",
                       loops.scan_lanes, loops.scan_steps > 0 ? "a run each" : "neighbouring points");
  if (loops.scan_lanes < lanes.by.least_scan_lanes)
    return fmt::format("lanes: none, as vectors of {} are too short for scans (least_scan_lanes)",
                       loops.scan_lanes);
  if (!moves_to_lanes(arena, op, lanes.device.vector_bytes, loops.tail_lanes))
    return "lanes: none, as bools that are scanned do not move to other lanes in such vectors";
  return "lanes: none, as the order of points counts for more than scans";
}

}  // namespace

std::string why_lanes(const scalar::Arena& arena, const soac::Soac& op, const LaneLoops& loops,
                      const Lanes& lanes) {
  if (loops.rows && makes_arrays(op)) return "lanes: none, as points make arrays";
  if (loops.rows) return "lanes: none, as the combinators inside read along their own axis";
  if (has_bins(op)) return "lanes: none for bins, which scalar code updates one after the other";
  if (loops.run > 0 && folds_in_runs(op))
    return fmt::format("lanes: {} fold runs, as order counts (run_vectors, run_lanes, run_components)",
                       loops.run_lanes);
  if (is_in_order(op) && has_scan(op.body)) return why_scans(arena, op, loops, lanes);
  const bool is_short = !loops.linear && !op.dims.empty() && op.dims.back().is_constant() &&
                        loops.lanes < most_lanes &&
                        op.dims.back().bits() < 2 * static_cast<std::uint64_t>(loops.lanes);
  if (is_short)
    return fmt::format("lanes: {} in vectors of {}, as their axis has {} points", loops.lanes,
                       loops.tail_lanes, op.dims.back().bits());
  const std::int64_t vectors = loops.lanes / loops.tail_lanes;
  if ((gives_arrays(op) && vectors == 1) || loops.meets_far_lines)
    return fmt::format("lanes: {} in one vector, as {}", loops.lanes,
                       gives_arrays(op) ? "the elements of arrays are many values of a point"
                                        : "points meet cache lines of their own several times");
  if (gives_arrays(op))
    return fmt::format(
        "lanes: {} in vectors of {}, as each step waits for the one before (lane_array_vectors)", loops.lanes,
        loops.tail_lanes);
  return fmt::format("lanes: {} in vectors of {}, as values have up to {} bytes: {} ({})", loops.lanes,
                     loops.tail_lanes, lanes.device.vector_bytes / loops.tail_lanes,
                     vectors > 1 ? "vectors side by side hide latency" : "points are too long for several",
                     numbers_of_vectors(op, vectors, lanes));
}

std::vector<std::string> reasons_of(const scalar::Arena& arena, const soac::Soac& op, const LaneLoops& loops,
                                    const Lanes& lanes) {
  std::vector<std::string> why{why_tasks(arena, op, loops, lanes)};
  if (loops.rows)
    why.push_back(fmt::format(
        "tasks: a row counts as its points, or as {} if data decide how many these are; a sort as "
        "{} walks over it (unknown_row, sort_walks)",
        lanes.by.unknown_row, lanes.by.sort_walks));
  if (keeps_arrays(op.body)) why.emplace_back("tasks: few: points keep arrays (scratch_tasks, scratch_room)");
  const bool has_counts = std::ranges::any_of(
      op.partitions, [&](const soac::Partition& p) { return !has_few_classes(p, lanes.by.few_classes); });
  if (has_counts || has_bins(op))
    why.emplace_back(
        "tasks: few, as they have bins or counts of their own (bins_points, bins_many_points, "
        "bins_few_tasks, bins_least_points, count_points)");
  if (depends_on_order(op)) why.emplace_back("tasks: neighbouring points in their order");
  why.push_back(why_lanes(arena, op, loops, lanes));
  return why;
}

}  // namespace fulgurite::schedule
