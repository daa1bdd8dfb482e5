#include "walk/lanes/phases.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schedule/nest.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "walk/lanes/bins.h"
#include "walk/lanes/order.h"
#include "walk/lanes/outer_folds.h"
#include "walk/lanes/outer_scans.h"
#include "walk/lanes/range_of.h"
#include "walk/lanes/register_tiles.h"
#include "walk/lanes/skeletons.h"

namespace fulgurite::walk::lanes {

namespace {

using schedule::Combine, schedule::Join, schedule::Nest, schedule::Unit;

// Whether the points of a phase are only folded and counted, for the main one to go on from.
bool only_folds(const Nest& nest) {
  return std::ranges::all_of(nest.combines,
                             [](const Combine& c) { return c.part == Combine::Part::reduction; }) ||
         schedule::has_join(nest, Combine::Part::partition, Join::bins);
}

std::vector<Expr> walk_in_order(const Emitter& e, const schedule::Phase& phase, const Nests& nests) {
  const auto& nest = std::get<Nest>(phase.walk);
  const auto& op = std::get<soac::Soac>(phase.computes.op);
  Order order(e, phase);
  const Entry entry = order.entry();
  const Ends ends = schedule::has_bins(op)
                        ? walk_with_bins(e, phase, entry)
                        : walk_range(e, phase.computes, range_of(e, nest, op), {nest}, entry);
  order.finish(ends, nests.lanes);
  if (!only_folds(nest) && has_ends(nest)) {
    const Expr is_last = e.lower(equal(e.context().task + 1, schedule::tasks_of(e.arena(), phase)));
    e.if_then(is_last, [&] { store_ends(e, nest, ends.scans); });
  }
  return ends.totals;
}

// Where tasks share a row, the tasks of the rows' reduction are tiles of it.
bool shares_rows(const Nest& nest) {
  return std::ranges::any_of(nest.inner, [](const schedule::Inner& inner) {
    return schedule::outermost(inner.nest, Unit::grid) != nullptr;
  });
}

void walk_shared_rows(const Emitter& of_task, const schedule::Phase& phase) {
  const auto& map = std::get<soac::Soac>(phase.computes.op);
  const Nest& row_nest = std::get<Nest>(phase.walk).inner[0].nest;
  const Expr tile = task_cut(row_nest).size, columns = row_nest.axes[0].extent;
  const PartOfRow part = part_of_row(of_task, map, schedule::ceil_div(columns, tile), tile, columns);
  Range range;
  range.is_points = true;
  range.begin = part.begin, range.end = part.end;
  store_partials(part.e, row_nest, walk_range(part.e, part.reduction, range, {row_nest, true}).totals);
}

// An emitter whose stores bypass the cache if the launch touches too much for any of it to stay there.
Emitter streaming(const Emitter& e, const schedule::Launch& launch, const Nest& nest) {
  if (nest.traffic.streaming == 0) return e;
  return e.streaming_if(e.lower(nest.traffic.streaming < launch.touched));
}

void walk_nest(const Emitter& task, const schedule::Launch& launch, const schedule::Phase& phase,
               const Nests& nests) {
  const auto& nest = std::get<Nest>(phase.walk);
  if (schedule::number_of_combined(nest) != 0) {
    if (schedule::innermost(nest, Unit::turn)) return walk_outer_scans(task, launch, phase);
    return schedule::innermost(nest, Unit::registers) ? walk_register_tiles(task, phase)
                                                      : walk_outer_folds(task, phase);
  }
  if (shares_rows(nest)) return walk_shared_rows(task, phase);
  const Emitter e = streaming(task, launch, nest);
  if (is_in_order(nest)) return store_partials(e, nest, walk_in_order(e, phase, nests));
  const Range tile = range_of(e, nest, std::get<soac::Soac>(phase.computes.op));
  store_partials(e, nest, walk_range(e, phase.computes, tile, {nest}).totals);
}

void walk_skeleton(const Emitter& e, const schedule::Launch& launch, const schedule::Phase& phase) {
  using Part = void (*)(const Emitter&, const schedule::Launch&, const schedule::Phase&);
  static constexpr std::pair<std::string_view, Part> parts[] = {{"start", start_chain},
                                                                {"carry", carry},
                                                                {"count", count},
                                                                {"join neighbours", join_partials},
                                                                {"join tiles", join_tiles},
                                                                {"join columns", join_columns},
                                                                {"store in order", store_in_order},
                                                                {"sort tiles", sort_tiles},
                                                                {"store ranges", store_ranges}};
  const std::string& name = skeleton_of(phase).name;
  const auto found = std::ranges::find(parts, name, &std::pair<std::string_view, Part>::first);
  FULGURITE_CHECK(found != std::end(parts), "no walk of lanes for the skeleton '{}'", name);
  found->second(e, launch, phase);
}

void walk_phase(const Emitter& e, const schedule::Launch& launch, const schedule::Phase& phase,
                Nests& nests) {
  const auto* nest = std::get_if<Nest>(&phase.walk);
  nests.phase = nest;
  if (nest)
    walk_nest(e, launch, phase, nests);
  else
    walk_skeleton(e, launch, phase);
  nests.phase = nullptr;
}

// Arrays that a nest makes are in their own memory, whatever an earlier phase has had in their place.
void place_arrays(const Emitter& e, const schedule::Launch& launch, const schedule::Phase& phase) {
  if (!std::holds_alternative<Nest>(phase.walk)) return;
  for (Var name : phase.computes.names)
    if (e.arena().info(name).type.rank > 0) e.set_destination(name, {name, {}});
  for (const auto& [array, first] : soac::in_memory_of_others(phase.computes))
    e.set_destination(array, {first, {}});
  for (const schedule::Reshaped& each : launch.reshaped) e.set_destination(each.array, {each.of, {}});
}

}  // namespace

kernel::Block phases(const Emitter& e, const schedule::Launch& launch, Nests& nests) {
  return e.block([&] {
    const std::vector<schedule::Phase>& all = launch.phases;
    for (std::size_t p = 0; p < all.size();) {
      const Expr n_tasks = schedule::tasks_of(e.arena(), all[p]);
      e.par(kernel::Level::grid, n_tasks, "task", [&](Expr task) {
        const Emitter of_task = e.of_task(task, n_tasks);
        do {
          place_arrays(e, launch, all[p]);
          read_in_place(e, launch, all[p]);
          const std::vector<schedule::Constant>& constants = all[p].constants;
          for (const auto& [name, value] : constants) e.bind_name(name, e.arena().i64(value));
          walk_phase(of_task, launch, all[p++], nests);
          for (const schedule::Constant& each : constants) e.unbind_name(each.name);
        } while (p < all.size() && all[p].in_phase_before);
      });
    }
  });
}

}  // namespace fulgurite::walk::lanes
