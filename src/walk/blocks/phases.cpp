#include "walk/blocks/phases.h"

#include <algorithm>

#include "base/check.h"
#include "schedule/nest.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"
#include "walk/blocks/phase.h"

namespace fulgurite::walk::blocks {

using schedule::Combine, schedule::Join, schedule::Nest, schedule::Unit;

namespace {

void walk_phase(const Phase& phase) {
  if (const auto* skeleton = std::get_if<schedule::Skeleton>(&phase.of.walk)) {
    if (skeleton->name == "rows by tiles") return walk_short_rows(phase);
    FULGURITE_CHECK(skeleton->name == "ragged rows", "no walk is called '{}'", skeleton->name);
    return walk_ragged_rows(phase);
  }
  const Nest& nest = phase.nest();
  const auto has = [&](auto&& is_so) { return std::ranges::any_of(nest.stages, is_so); };
  if (!nest.inner.empty()) return walk_parts_of_rows(phase);
  if (schedule::number_of_combined(nest) != 0) return walk_products(phase);
  if (has([](const schedule::Stage& stage) { return stage.crosswise; })) return walk_tiles(phase);
  if (has([](const schedule::Stage& stage) { return !stage.around.empty(); })) return walk_strips(phase);
  walk_over_points(phase);
}

// Arrays are where their names say, unless they are made elsewhere; arrays whose elements go to memory of the
// launch are there.
void set_destinations(const Emitter& e, const schedule::Launch& launch, const schedule::Phase& phase) {
  for (Var name : phase.computes.names)
    if (e.arena().info(name).type.rank > 0 && std::ranges::find(launch.memory, name) != launch.memory.end())
      e.set_destination(name, {name, {}});
  const auto* nest = std::get_if<Nest>(&phase.walk);
  if (!nest) return;
  const soac::OutputView outputs = soac::view_of(phase.computes);
  for (const Combine& combine : nest->combines)
    if (combine.part == Combine::Part::scatter && !combine.memory.empty() &&
        combine.levels.front().how == Join::atomic)
      e.set_destination(outputs.scatters[combine.which].arrays[0], {combine.memory[0], {}});
}

// The block with the next number: blocks take numbers in the order in which they begin.
Block dealt(const Emitter& task, const Block& launched, Var next) {
  scalar::Arena& arena = task.arena();
  const kernel::Access ticket{next, arena.i64(0), arena.i64(1), {}};
  Expr one = cast(arena.i64(1), Kind::i32);
  Expr number = task.atomic({{}, kernel::Atomic::What::add, ticket, one, {}}, "number");
  return {task.bind(cast(number, Kind::i64), "tile"), launched.tasks, launched.threads};
}

// Names for elements that earlier phases have made, where they are mentioned.
void bind_given(const Emitter& task, const Phase& phase) {
  soac::Vars mentioned;
  soac::add_mentioned(phase.computes(), mentioned);
  for (const schedule::Given& given : phase.launch.given)
    if (mentioned.contains(given.name))
      task.bind_name(given.name, task.load_plain(given.array, given.at, "first"));
}

// The last values of the Scans, and where the classes begin that they count.
void store_classes(const Emitter& task, const schedule::Classes& classes, const Running::Groups& ends) {
  scalar::Arena& arena = task.arena();
  Expr so_far = arena.i64(0);
  for (std::size_t c = 0; c < classes.scans.size(); ++c) {
    task.store_plain(classes.offsets, arena.i64(static_cast<std::int64_t>(c)), so_far);
    so_far = task.lower(so_far + ends[classes.scans[c]][0]);
  }
  task.store_plain(classes.offsets, arena.i64(static_cast<std::int64_t>(classes.scans.size())), so_far);
  task.store_plain(classes.kept, arena.i64(0), so_far);
}

void store_all_ends(const Emitter& task, const Nest& nest, const Running::Groups& ends) {
  store_ends(task, nest, ends);
  for (const schedule::Classes& classes : nest.classes) store_classes(task, classes, ends);
}

// In a phase of one block: the reductions' results, with what they begin with, are scalars that land.
void store_results(const Phase& phase, const Emitter& task, std::span<const Expr> totals) {
  if (totals.empty()) return;
  const soac::Stm& s = phase.computes();
  task.par(kernel::Level::block, phase.i64(1), "t", [&](Expr) {
    finish(task, s, totals);
    for (Var name : s.names) {
      const auto landing = std::ranges::find(phase.launch.scalars, name, &schedule::Landing::scalar);
      task.store_plain(landing->array, phase.i64(0), task.lower(phase.arena().name(name)));
    }
  });
}

}  // namespace

void for_tasks(const Phase& phase, int threads, const OfBlock& body) {
  const Expr n_tasks = schedule::tasks_of(phase.arena(), phase.of);
  phase.e.par(kernel::Level::grid, n_tasks, "task",
              [&](Expr task) { body(phase.e.of_task(task, n_tasks), {task, n_tasks, threads}); });
}

void walk_over_points(const Phase& phase) {
  const Nest& nest = phase.nest();
  const schedule::Cut* grid = schedule::outermost(nest, Unit::grid);
  const schedule::Cut* turn = schedule::outermost(nest, Unit::turn);
  const schedule::Cut* cut = grid ? grid : turn;
  const auto threads = static_cast<int>(schedule::size_by(nest, Unit::thread, 1));
  for_tasks(phase, threads, [&](const Emitter& as_launched, const Block& launched) {
    const std::vector<parts::Published> published =
        turn ? published_by(phase.op(), nest, launched.tasks) : std::vector<parts::Published>();
    const Block block = published.empty() ? launched : dealt(as_launched, launched, published[0].state);
    const Emitter task = as_launched.of_task(block.task, block.tasks);
    const Expr n = nest.axes[0].extent;
    Range range{phase.i64(0), {}};
    if (cut) range.begin = task.lower(block.task * cut->size);
    range.end = task.lower(cut ? min(range.begin + cut->size, n) : n);
    bind_given(task, phase);
    const Running::Groups entry = entry_of(task, phase.op(), nest);
    const Ends ends = walk_points(task, phase.computes(), nest, block, range, entry, published);
    if (!cut) {
      store_all_ends(task, nest, ends.scans);
      return store_results(phase, task, ends.totals);
    }
    if (has_ends(nest)) {
      const Expr is_last = task.lower(equal(block.task + 1, block.tasks));
      task.if_then(is_last, [&] { store_all_ends(task, nest, ends.scans); });
    }
    store_partials(task, nest, ends.totals);
  });
}

void walk_parts_of_rows(const Phase& phase) {
  const Nest& nest = phase.nest().inner[0].nest;
  const Expr tile = schedule::outermost(nest, Unit::grid)->size, columns = nest.axes[0].extent;
  const Expr tiles = max(schedule::ceil_div(columns, tile), 1);
  const auto threads = static_cast<int>(schedule::size_by(nest, Unit::thread, 1));
  for_tasks(phase, threads, [&](const Emitter& task, const Block& block) {
    const PartOfRow part = part_of_row(task, phase.op(), tiles, tile, columns);
    const Range range{part.begin, part.end};
    store_partials(part.e, nest, walk_points(part.e, part.reduction, nest, block, range, {}).totals);
  });
}

kernel::Block phases(const Emitter& e, const schedule::Launch& launch) {
  return e.block([&] {
    for (const schedule::Phase& phase : launch.phases) {
      set_destinations(e, launch, phase);
      read_in_place(e, launch, phase);
      walk_phase({e, launch, phase});
    }
  });
}

}  // namespace fulgurite::walk::blocks
