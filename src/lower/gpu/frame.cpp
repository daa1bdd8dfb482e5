#include "lower/gpu/frame.h"

#include "base/check.h"
#include "lower/gpu/updates.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/slice.h"

namespace fulgurite::lower::gpu {

namespace {

Emitter with_groups(Launches& to, const soac::Soac& op) {
  const Emitter e = to.emitter();
  if (op.outer_axes == 0) return e;
  return e.of_groups(to.product(std::span(op.dims).subspan(op.outer_axes)));
}

}  // namespace

Frame::Frame(Launches& to, const soac::Stm& original)
    : launches(to),
      arena(to.arena()),
      e(with_groups(to, std::get<soac::Soac>(original.op))),
      lifted(schedule::lift_missing_neutral(
          arena, with_neutral_for_atomics(arena, reading_what_it_updates(arena, original)))),
      ranks(rank(arena, lifted)),
      s(ranks.s),
      op(std::get<soac::Soac>(s.op)),
      layout(soac::layout_of(op)),
      results(to, e, original, lifted),
      looks_back(may_look_back()),
      policy(choose_policy()),
      kernel_number(static_cast<std::int32_t>(to.lowered().kernels.size())),
      cut(whole()) {
  for (std::size_t g = 0; g < lifted_layout().partitions.size(); ++g)
    kept_.push_back(temporary(Kind::i64, i64(1), "kept"));
}

std::span<const Var> Frame::names(const soac::Layout::Part& part) const {
  return std::span(s.names).subspan(part.name, part.n_names);
}

std::span<const Expr> Frame::results_of(const soac::Layout::Part& part) const {
  return std::span(op.body.results).subspan(part.result, part.n_results);
}

Var Frame::temporary(Kind kind, Expr size, std::string name) {
  temporaries.push_back(arena.fresh_array(kind, {size}, std::move(name)).var());
  return temporaries.back();
}

Frame::Cut Frame::cut_of(Expr n, const Policy& by, Expr own) {
  Expr per_block = i64(by.points), threads = i64(by.threads);
  auto at_most = [&](Expr blocks) {
    Expr whole = launches.ceil_div(launches.ceil_div(n, blocks), threads);
    per_block = arena.max(per_block, arena.mul(whole, threads));
  };
  if (by.most_blocks != 0)
    at_most(by.most_blocks == resident_blocks ? resident(by.threads) : i64(by.most_blocks));
  if (!own.is_constant(0)) {
    // Little of it beside the points, but for as many blocks as fill a device, if that is not much more of it
    // than there are points.
    constexpr std::int64_t some = 1 << 18, points_each = 64, to_fill = 128;
    const Expr each = arena.max(own, i64(1)), room = arena.max(arena.mul(n, i64(2)), i64(some));
    const Expr filling = arena.min(arena.div(room, each), i64(to_fill));
    at_most(arena.max(arena.max(arena.div(n, arena.mul(each, i64(points_each))), filling), i64(1)));
  }
  return {n, per_block, launches.ceil_div(n, per_block)};
}

Expr Frame::resident(int threads) {
  Expr& known = residents_[threads];
  if (known) return known;
  known = arena.fresh({Kind::i64}, "resident");
  const plan::Slot slot = launches.host().fresh_slot();
  launches.host().append(plan::Resident{slot, kernel_number, threads});
  launches.host().bind(known.var(), slot);
  return known;
}

// Where blocks may wait for each other, and nothing else needs to know before the walk what Scans give: where
// the second class of a partition begins, which of several points a place is for. Nor may a block have memory
// of its own, as there are many.
bool Frame::may_look_back() const {
  if (!launches.options().blocks_wait || schedule::scans_of(op.body).empty() || schedule::makes_arrays(op))
    return false;
  if (!op.partitions.empty()) return false;
  for (const Ranks::Partition& p : ranks.partitions)
    if (p.counts.size() > 1) return false;
  for (std::size_t g = 0; g < ranks.n_scatters; ++g) {
    if (!op.scatters[g].stores_in_any_order() && !atomic_of(op.scatters[g])) return false;
  }
  return true;
}

// What waits in a tile for its place (compaction.h).
std::int64_t Frame::posted_bytes() const {
  std::int64_t bytes = 0;
  for (std::size_t g = 0; g < op.scatters.size(); ++g)
    for (Var array : names(layout.scatters[g]))
      if (is_dense(g)) bytes += static_cast<std::int64_t>(size_of(arena.info(array).type.kind));
  return bytes;
}

Policy Frame::choose_policy() const {
  Policy chosen = choose(op, launches.options().target, posted_bytes());
  if (looks_back) chosen.points = chosen.tile(), chosen.most_blocks = 0;
  return chosen;
}

Frame::Cut Frame::whole() {
  Expr own = i64(0);  // elements that each block has for itself
  for (const soac::Scatter& scatter : op.scatters) {
    if (scatter.combine.empty()) continue;
    Expr size = launches.product(scatter.shape);
    if (atomic_of(scatter)) {  // if they are in shared memory
      if (looks_back) continue;
      const auto bytes = static_cast<std::int64_t>(size_of(scatter.combine[0].op.results[0].kind()));
      size = arena.apply(Op::select,
                         {arena.le(size, i64(policy.bin_passes * (bin_bytes / bytes))), size, i64(0)});
    }
    own = arena.add(own, size);
  }
  for (const soac::Partition& p : op.partitions) own = arena.add(own, p.classes);
  Cut all = cut_of(launches.product(op.dims), policy, own);
  all.blocks = arena.max(all.blocks, i64(1));
  return all;
}

void Frame::launch(kernel::Block phases, LaunchNote note) {
  results.launch(std::move(phases), tasks, temporaries, std::move(note));
  const std::int32_t launched = launches.lowered().notes.back().kernel;
  FULGURITE_CHECK(launched == kernel_number, "kernel {} was to be kernel {}", launched, kernel_number);
}

void Frame::phase(Expr n_tasks, int threads, const OfBlock& body) {
  tasks.push_back(n_tasks);
  e.par(kernel::Level::grid, n_tasks, "task",
        [&](Expr task) { body(e.of_task(task, n_tasks), {task, n_tasks, threads}); });
}

Run Frame::run_of(const Emitter& task, const Cut& of) {
  Expr begin = task.lower(arena.mul(task.context().task, of.per_block));
  return {begin, task.lower(arena.min(arena.add(begin, of.per_block), of.n))};
}

void Frame::walk_all(const soac::Stm& stm, const Start& start, const Sinks& sinks, const Finish& finish,
                     Expr if_one) {
  const bool deals = !sinks.published.empty();
  const std::int64_t posted = sinks.scatters.empty() ? 0 : posted_bytes();
  const Policy by = deals ? policy : choose(std::get<soac::Soac>(stm.op), launches.options().target, posted);
  phase(arena.mul(cut.blocks, if_one), by.threads, [&](const Emitter& as_launched, const Block& launched) {
    const Block block = deals ? dealt(as_launched, launched, sinks.published[0].state) : launched;
    const Emitter task = as_launched.of_task(block.task, block.tasks);
    const Run run = run_of(task, cut);
    const Entry entry = start(task);
    finish(task, block, walk(launches, task, stm, block, run, by, entry, sinks));
  });
}

// The block with the next number: blocks take numbers in the order in which they begin.
Block Frame::dealt(const Emitter& task, const Block& launched, Var next) {
  const kernel::Access ticket{next, i64(0), i64(1), {}};
  Expr one = arena.cast(i64(1), Kind::i32);
  Expr number = task.atomic({{}, kernel::Atomic::What::add, ticket, one, {}}, "number");
  return {task.bind(arena.cast(number, Kind::i64), "tile"), launched.tasks, launched.threads};
}

void Frame::walk_by_one(const soac::Stm& stm, const Start& start, const Finish& finish) {
  const auto& soac = std::get<soac::Soac>(stm.op);
  Policy by = choose(soac, launches.options().target);
  by.neighbours = 1;  // it is alone: no time is in what it moves
  phase(i64(1), by.threads, [&](const Emitter& task, const Block& block) {
    const Run run{i64(0), task.lower(launches.product(soac.dims))};
    const Entry entry = start(task);
    finish(task, block, walk(launches, task, stm, block, run, by, entry));
  });
}

void Frame::map(const soac::Lambda& f, const std::vector<Expr>& shape, std::vector<Var> arrays, Expr if_one) {
  const soac::Stm stm{std::move(arrays), soac::Soac{shape, f}, lifted.where, lifted.origin};
  const Policy by = choose(std::get<soac::Soac>(stm.op), launches.options().target);
  const Cut of = cut_of(launches.product(shape), by, i64(0));
  phase(arena.mul(of.blocks, if_one), by.threads, [&](const Emitter& task, const Block& block) {
    const Run run = run_of(task, of);
    walk(launches, task, stm, block, run, by);
  });
}

void Frame::fill_with(Var array, Expr n, Expr value) {
  Expr i = arena.fresh({Kind::i64}, "i");
  e.set_destination(array, {array, {}});
  map({{i.var()}, {}, {value}}, {n}, {array}, i64(1));
}

}  // namespace fulgurite::lower::gpu
