#include "schedule/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/print.h"
#include "schedule/shared_operands.h"
#include "soac/reuse.h"

namespace fulgurite::schedule {

namespace {

std::string_view reason_of(Join how, bool is_on_lanes) {
  switch (how) {
#define FULGURITE_JOIN(name, on_lanes, on_blocks) \
  case Join::name: return is_on_lanes ? on_lanes : on_blocks;
#include "schedule/joins.def"
  }
  return {};
}

// `is_outer`: of a Soac inside whose rows lie apart.
std::string of(const Combine& combine, bool on_lanes, bool is_outer) {
  std::string all;
  for (const Combine::Level& level : combine.levels) {
    // The stage of its bins says the rest.
    if (level.how == Join::atomic && level.unit == Unit::thread) continue;
    all += all.empty() ? "" : "; ";
    if (level.how == Join::chain && level.unit == Unit::sequence) {
      all += fmt::format(
          "an accumulator takes {} points before an outer one, which bounds the rounding error (fold_chain)",
          level.n);
      continue;
    }
    if (level.how == Join::handed_on && is_outer) {
      all += "tasks that share rows take turns to hand on what they have of each column (outer_scan_block)";
      continue;
    }
    all += fmt::format(fmt::runtime(reason_of(level.how, on_lanes)), level.n);
  }
  return all;
}

// The reason of a stage in a nest with an axis of the inner Soac: points of tiles share it.
std::string of_tiles(const Nest& nest, const Stage& stage) {
  const bool is_panel = is_shared_by_rows(nest, stage);
  if (stage.space == kernel::Space::shared)
    return fmt::format("{} of a block share it, so that it is {} once for them (product_depth)",
                       is_panel ? "rows" : "columns",
                       stage.crosswise ? "read along the reduction" : "read along the tile");
  return fmt::format(
      "{} share it, so that it is computed once for them, at neighbouring places (tile_depth{})",
      is_panel ? "rows" : "columns", is_panel ? ", tile_strip_columns" : ", tile_task_rows");
}

std::string of(const Nest& nest, const Stage& stage) {
  if (number_of_combined(nest) != 0) return of_tiles(nest, stage);
  if (stage.crosswise) return "a tile is read along one axis and stored along another";
  if (!stage.around.empty())
    return fmt::format(
        "points read around themselves what a block {} once (window_elements, "
        "window_most_elements, window_rows)",
        stage.computed ? "computes" : "brings to shared memory");
  return stage.computed
             ? "elements of some rows are computed in whole vectors (ragged_rows, ragged_room)"
             : "bins are filled in passes over the points, if they do not fit in one (shared_bins, "
               "shared_bin_bytes, shared_bin_passes)";
}

std::string of(const Inner& inner, bool is_in_lanes) {
  const std::int64_t lanes = size_by(inner.nest, Unit::lane, 0);
  if (const std::int64_t together = size_by(inner.nest, Unit::registers, 0); lanes == 0 && together > 0)
    return fmt::format("each lane takes {} points together, which are loaded as one piece (lane_row_steps)",
                       together);
  if (inner.rows_up_to > 0)
    return "where rows are short, each lane takes one (lane_row, fold_chain, lane_array_bytes)";
  if (is_in_lanes) return "the lanes around it go from point to point together";
  if (innermost(inner.nest, Unit::thread)) return "the threads of a block share its points";
  const auto is_one = [](const Axis& axis) { return axis.extent.is_constant(1); };
  if (lanes == 0 && std::ranges::all_of(inner.nest.axes, is_one)) return "scalar code, as it has one point";
  if (lanes == 0) return "scalar code, as order counts, or it reads along rows or makes arrays";
  return inner.up_to == 0
             ? fmt::format("{} lanes for each point around it (short_vectors, medium_vectors)", lanes)
             : "short rows are joined in registers (short_row_vectors)";
}

// `around`: "inner 1, " before the subjects of a nest inside.
void add(const scalar::Arena& arena, const Nest& nest, bool on_lanes, const std::string& around,
         std::vector<std::string>& why) {
  const auto because = [&](const std::string& subject, const std::string& reason) {
    why.push_back(around + subject + ": " + reason);
  };
  if (!nest.axes.empty() && nest.axes.back().by_number)
    because("axes", "all as one, since every array is read and stored at the number of the point");
  if (!nest.axes.empty() && nest.axes.back().segments)
    because("axes", "segment by segment (segment_points), as points ask for the number of theirs");
  if (!nest.splits.empty())
    because("split", "in each piece of an axis its bounds are known (splits, row_splits, split_text)");
  for (const Stage& stage : nest.stages) because("stage " + arena.info(stage.array).name, of(nest, stage));
  for (const Combine& c : nest.combines)
    because(fmt::format("{} {}", name_of(c.part), c.which), of(c, on_lanes, number_of_combined(nest) != 0));
  if (nest.traffic.streaming > 0)
    because("stores", "what the last cache does not hold bypasses caches (streamed_percent)");
  if (nest.traffic.touch) because("loads", "points are cheap, so cache lines are touched first (cheap_work)");
  if (nest.traffic.portion > 0)
    because("portion", "lanes compute the points that scalar code stores (portion)");
  for (const Inner& inner : nest.inner) {
    if (inner.number == 0) continue;
    const std::string subject = fmt::format("inner {}", inner.number);
    because(subject, of(inner, on_lanes && innermost(nest, Unit::lane)));
    if (inner.up_to == 0) add(arena, inner.nest, on_lanes, around + subject + ", ", why);
  }
}

// Which statements inside of points change arrays where they lie, and which copy them first.
void add_updates(scalar::Arena& arena, Phase& phase) {
  const auto* op = base::as<soac::Soac>(phase.computes.op);
  if (!op) return;
  soac::for_each_update(arena, op->body, [&](const soac::Stm& s, Var array, const std::string& copies) {
    const std::string name = arena.info(array).name, who = s.origin.empty() ? "a step" : s.origin;
    const std::string by = s.where.line > 0 ? fmt::format("{} at line {}", who, s.where.line) : who;
    phase.why.push_back(copies.empty() ? fmt::format("update {}: {} changes it where it lies", name, by)
                                       : fmt::format("update {}: {} copies it, as it {}", name, by, copies));
  });
}

}  // namespace

void add_reasons(scalar::Arena& arena, Launch& launch) {
  for (Phase& phase : launch.phases)
    if (const auto* nest = base::as<Nest>(phase.walk)) {
      add(arena, *nest, launch.vector_lanes != 0, "", phase.why);
      add_updates(arena, phase);
    }
}

}  // namespace fulgurite::schedule
