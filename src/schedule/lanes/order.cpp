#include "schedule/lanes/order.h"

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/phases.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/scanned.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"

namespace fulgurite::schedule {

namespace {

// Tasks have memory to pack their points in, and either lanes take these or there is one class.
bool packs(const Building& at, const soac::Partition& p) {
  if (!has_few_classes(p, at.lanes.by.few_classes) || at.grid.most_points == 0) return false;
  return p.classes.is_constant(1) || (!at.loops.rows && !is_in_order(at.op()));
}

std::vector<const soac::Stm*> statements_of(const std::vector<Order::Scan>& scans) {
  std::vector<const soac::Stm*> all;
  for (const Order::Scan& scan : scans) all.push_back(scan.stm);
  return all;
}
std::vector<std::vector<Var>> carries_of(const std::vector<Order::Scan>& scans) {
  std::vector<std::vector<Var>> all;
  for (const Order::Scan& scan : scans) all.push_back(scan.carries);
  return all;
}
std::vector<Var> all_of(const std::vector<std::vector<Var>>& groups) {
  std::vector<Var> all;
  for (const std::vector<Var>& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

// What the first task in a chain goes on from.
void start_chain(Building& at, const Order& order) {
  if (!order.takes_turns()) return;
  const Expr t = at.arena.fresh({Kind::i64}, "t"), zero = at.i64(0);
  soac::Soac op{{at.i64(1)}, {{t.var()}, {}, {}}};
  Skeleton start{"start", {}, at.i64(1)};
  const auto set = [&](std::span<const Var> arrays, std::span<const Expr> values) {
    start.memory.insert(start.memory.end(), arrays.begin(), arrays.end());
    op.body.results.insert(op.body.results.end(), values.begin(), values.end());
    start.numbers.push_back({"values together", static_cast<std::int64_t>(values.size())});
  };
  if (order.turn_of_scans) {
    set({&*order.turn_of_scans, 1}, {&zero, 1});
    for (const Order::Scan& scan : order.scans) set(scan.carries, first_of(*scan.stm));
  }
  if (order.turn_of_partitions) set({&*order.turn_of_partitions, 1}, {&zero, 1});
  for (const Order::Partition& p : order.partitions)
    if (p.takes_turns) set({&p.kept, 1}, {&zero, 1});
  const soac::Stm made{start.memory, std::move(op), at.posting.where, ""};
  at.add("start", made, std::move(start)).why = {
      "tasks: one, which sets what the first task of the main phase goes on from: they take turns"};
}

// Partial results of Scans, and the numbers of points of each class, over each tile.
void fold_tiles(Building& at, const Order& order, const std::vector<Order::Scan>& scans,
                const std::vector<std::size_t>& partitions, bool goes_on) {
  soac::Stm folded = fold(at.arena, at.posting, statements_of(scans), partitions, goes_on);
  const auto& op = std::get<soac::Soac>(folded.op);
  bool packs = true;
  for (const soac::Partition& p : op.partitions) packs = packs && has_few_classes(p, at.lanes.by.few_classes);
  const LaneLoops loops = choose(at.arena, op, at.lanes);
  Nest nest = nest_of(at.arena, folded, loops, at.lanes, {&at.grid, true, packs});
  for (std::size_t s = 0; s < scans.size(); ++s)
    add_level(nest, Combine::Part::reduction, s, {Unit::grid, Join::partials}, scans[s].carries);
  for (std::size_t s = 0; s < order.scans.size() && goes_on; ++s)
    add_level(nest, Combine::Part::scan, s, {Unit::grid, Join::carried}, order.scans[s].carries);
  for (std::size_t k = 0; k < partitions.size(); ++k) {
    if (has_few_classes(op.partitions[k], at.lanes.by.few_classes))
      add_level(nest, Combine::Part::partition, k, {Unit::registers, Join::packed}, {});
    add_level(nest, Combine::Part::partition, k, {Unit::grid, Join::bins},
              {order.partitions[partitions[k]].counts});
  }
  nest.axes[0].role = Axis::Role::scan;
  // No tile goes on from the partial result of the last one.
  if (partitions.empty()) nest.cuts[0].left_out = 1;
  Phase& phase = at.add("fold", std::move(folded), std::move(nest));
  phase.at_least_one = true;
  phase.why = {"phase: later ones need to know what comes before each task, which no task finds out alone",
               "tasks: those of the main phase",
               why_lanes(at.arena, std::get<soac::Soac>(phase.computes.op), loops, at.lanes)};
}

// Element [class, task] of the sums is where the points of the class in the task go.
soac::Stm places_of_classes(Building& at, Expr classes, Var counts) {
  scalar::Arena& arena = at.arena;
  const Expr c = arena.fresh({Kind::i64}, "c"), t = arena.fresh({Kind::i64}, "t"),
             before = arena.fresh({Kind::i64}, "before");
  const Expr number = t * classes + c;
  soac::Soac op{{classes, at.tasks}, {{c.var(), t.var()}, {}, {before}}};
  const Expr count = arena.index(arena.name(counts), std::span(&number, 1));
  op.body.body.push_back(
      {{before.var()}, soac::Scan{integer_sum(arena), {count}, false}, at.posting.where, ""});
  const Var sums = arena.fresh_array(Kind::i64, {classes, at.tasks}, "places").var();
  return {{sums}, std::move(op), at.posting.where, ""};
}

void carry_tiles(Building& at, const std::vector<Order::Scan>& scans) {
  const auto carries = carries_of(scans);
  const soac::Stm computes =
      carry(at.arena, at.posting, at.tasks, statements_of(scans), carries, fresh_like(at.arena, carries));
  at.add("carry", computes, Skeleton{"carry", {}, at.i64(1), all_of(carries)}).why = {
      "tasks: one, as the partial results of tiles are few"};
}

void count_tiles(Building& at, const Order& order, std::span<const std::size_t> partitions, bool goes_on) {
  const soac::OutputView outputs = soac::view_of(at.posting);
  for (std::size_t g : partitions) {
    const Order::Partition& p = order.partitions[g];
    const soac::Stm computes = places_of_classes(at, outputs.partitions[g].classes, p.counts);
    Skeleton count{"count", {}, at.i64(1), {p.counts, outputs.partitions[g].offsets, p.kept}};
    Phase& phase = at.add("count", computes, std::move(count));
    phase.in_phase_before = goes_on;
    phase.why = {"tasks: one, as the counts of tiles are few"};
    goes_on = true;
  }
}

// Whether tasks have their points in runs and scan them before their turn comes, to keep what they have: only
// values that nothing needs would be computed twice.
std::int64_t points_scanned_ahead(const Building& at) {
  const LaneLoops& loops = at.loops;
  const std::int64_t piece = static_cast<std::int64_t>(loops.scan_lanes) * loops.scan_steps;
  if (piece == 0 || at.op().dims.size() != 1 || !at.grid.columns_per_task.is_constant(loops.tile) ||
      loops.tile % piece != 0 || loops.rows || !lanes_scan(at.arena, at.op(), loops, at.lanes))
    return 0;
  return bytes_scanned(at.op()) * loops.tile <= at.lanes.by.scanned_bytes ? loops.tile : 0;
}

}  // namespace

Order order_of(Building& at) {
  Order order;
  order.scans_take_turns = true;
  const soac::OutputView outputs = soac::view_of(at.posting);
  for (std::size_t g = 0; g < at.op().partitions.size(); ++g) {
    const soac::Partition& p = at.op().partitions[g];
    Order::Partition& decided = order.partitions.emplace_back();
    decided.packs = packs(at, p);
    decided.takes_turns = decided.packs && p.classes.is_constant(1);
    decided.is_late = has_scan(slice(at.arena, at.op().body, {outputs.partitions[g].point_class}));
    order.scans_take_turns = order.scans_take_turns && decided.takes_turns;
    const Expr n_counts = at.tasks * p.classes;
    if (!decided.takes_turns) decided.counts = at.memory(Kind::i64, n_counts, "counts");
    decided.kept = at.memory(Kind::i64, at.i64(1), "kept");
  }
  for (const soac::Stm* s : scans_of(at.op().body)) {
    Order::Scan& scan = order.scans.emplace_back(Order::Scan{s, {}});
    for (Expr x : std::get<soac::Scan>(s->op).operands)
      scan.carries.push_back(at.memory(x.kind(), order.scans_take_turns ? at.i64(1) : at.tasks, "carry"));
  }
  if (order.scans_take_turns && !order.scans.empty())
    order.turn_of_scans = at.memory(Kind::i64, at.i64(1), "turn");
  if (std::ranges::any_of(order.partitions, &Order::Partition::takes_turns))
    order.turn_of_partitions = at.memory(Kind::i64, at.i64(1), "turn");
  return order;
}

void add_order_phases(Building& at, const Order& order) {
  if (order.scans.empty() && order.partitions.empty()) return;
  start_chain(at, order);
  if (order.scans_take_turns) return;
  std::vector<std::size_t> early, late;
  for (std::size_t g = 0; g < order.partitions.size(); ++g)
    if (!order.partitions[g].takes_turns) (order.partitions[g].is_late ? late : early).push_back(g);
  if (!order.scans.empty() || !early.empty()) {
    fold_tiles(at, order, order.scans, early, false);
    if (!order.scans.empty()) carry_tiles(at, order.scans);
    count_tiles(at, order, early, !order.scans.empty());
  }
  if (late.empty()) return;
  fold_tiles(at, order, {}, late, true);
  count_tiles(at, order, late, false);
}

void combine_in_order(const Building& at, const Order& order, Nest& nest) {
  using Part = Combine::Part;
  for (std::size_t s = 0; s < order.scans.size(); ++s) {
    std::vector<Var> memory = order.scans[s].carries;
    if (order.scans_take_turns) memory.push_back(*order.turn_of_scans);
    const Combine::Level level = order.scans_take_turns
                                     ? Combine::Level{Unit::turn, Join::handed_on, points_scanned_ahead(at)}
                                     : Combine::Level{Unit::grid, Join::carried};
    add_level(nest, Part::scan, s, level, std::move(memory));
  }
  for (std::size_t g = 0; g < order.partitions.size(); ++g) {
    const Order::Partition& p = order.partitions[g];
    if (p.packs)
      add_level(nest, Part::partition, g, {Unit::registers, Join::packed, at.grid.most_points}, {});
    if (p.takes_turns)
      add_level(nest, Part::partition, g, {Unit::turn, Join::handed_on}, {p.kept, *order.turn_of_partitions});
    else
      add_level(nest, Part::partition, g, {Unit::grid, Join::counted}, {p.counts});
  }
  if (order.takes_turns()) nest.cuts[0].unit = Unit::turn;
  if (!order.turn_of_scans || points_scanned_ahead(at) > 0) return;
  // Tasks fold their points before their turn comes.
  const soac::Stm folded = fold(at.arena, at.posting, statements_of(order.scans), {});
  const LaneLoops loops = choose(at.arena, std::get<soac::Soac>(folded.op), at.lanes);
  Nest inside = nest_of(at.arena, folded, loops, at.lanes, {&at.grid, true});
  std::erase_if(inside.cuts, [](const Cut& cut) { return cut.unit == Unit::grid; });
  nest.inner.push_back({0, std::move(inside)});
}

}  // namespace fulgurite::schedule
