#include "walk/lanes/points.h"

#include <algorithm>

#include "schedule/rewrites/ascending.h"
#include "schedule/rewrites/rounding.h"
#include "schedule/rewrites/splits.h"
#include "soac/outputs.h"
#include "walk/lanes/ahead.h"

namespace fulgurite::walk::lanes {

using kernel::Level;

namespace {

/// A row in vectors of lanes.
class Columns {
 public:
  Columns(const Walk& walk, const Accumulators& accumulators, const soac::Stm& piece,
          std::span<const Expr> outer)
      : walk_(walk), accumulators_(accumulators), piece_(piece), outer_(outer), arena_(walk.arena()) {}

  void run(const Emitter& e, Expr begin, Expr end) const {
    const Expr step = walk_.i64(walk_.loops.lanes);
    if (const Expr head = unaligned_head(e, begin)) {
      const Expr aligned = e.lower(min(begin + head, end));
      masked_loop(e, begin, aligned);
      begin = aligned;
    }
    const Expr full = e.lower((end - begin) / step * step);
    const Expr main = e.lower(begin + full);
    e.par(Level::block, step, "t", [&](Expr t) {
      const Running running = restored(e, t);
      main_loop(e, t, begin, main, running);
      accumulators_.save(e, running.reductions, t);
    });
    masked_loop(e, main, end);
  }

 private:
  Running restored(const Emitter& e, Expr t) const {
    return {accumulators_.restore(e, t), {}, 0, walk_.partitions};
  }
  void element(const Emitter& e, const soac::Stm& s, Expr j, const Running& running) const {
    walk_.space.element(e, s, outer_, j, running);
  }

  // Elements of a row before the first whose store is aligned to a cache line; a rank-1 tile starts aligned.
  Expr unaligned_head(const Emitter& e, Expr begin) const {
    const Range& range = walk_.range;
    if (range.is_aligned && outer_.empty() && begin == range.begin) return {};
    const soac::OutputView outputs = soac::view_of(walk_.s);
    if (outputs.mapped.empty()) return {};
    constexpr std::int64_t cache_line = 64;
    std::vector<Expr> first(outer_.begin(), outer_.end());
    first.push_back(begin);
    Expr at = linear(e, first, walk_.space.dims());
    if (const Expr base = e.destination(outputs.mapped[0].array).base) at = base + at;
    // Results are scalars: lanes make no arrays.
    const auto size = static_cast<std::int64_t>(size_of(outputs.mapped[0].result.kind()));
    const Expr line = walk_.i64(cache_line / size - 1);
    return e.lower((0 - at) & line);
  }

  // for (j = begin; j < end; ...) in single masked vectors; their stores go through the cache.
  void masked_loop(const Emitter& of_vectors, Expr begin, Expr end) const {
    const Emitter e = of_vectors.streaming_if({});
    const Expr lanes = walk_.i64(walk_.loops.tail_lanes);
    e.if_then(e.lower(begin < end), [&] {
      e.par(Level::block, lanes, "t", [&](Expr t) {
        const Running running = restored(e, t);
        e.for_loop(begin, end, lanes, "j", [&](Expr j) {
          const Expr index = e.bind(j + t, "j");
          e.if_then(e.bind(index < end, "in_range"), [&] { element(e, piece_, index, running); });
        });
        accumulators_.save(e, running.reductions, t);
      });
    });
  }

  void steps(const Emitter& of_vectors, const soac::Stm& s, Expr t, Expr from, Expr to,
             const Running& into) const {
    const schedule::LaneLoops& loops = walk_.loops;
    const Emitter e = of_vectors.touching_if(loops.touch ? of_vectors.context().streaming : Expr());
    e.for_loop(from, to, walk_.i64(loops.lanes), "j", [&](Expr j) {
      read_ahead(walk_, e, j, loops.lanes);
      element(e, s, e.bind(j + t, "j"), into);
    });
  }

  // A lane that took no index still holds first - 1, which is not in the tile and marks it.
  void steps_in_32_bits(const Emitter& e, const schedule::NarrowIndices& narrow, Expr t, Expr from, Expr to,
                        const Running& into) const {
    const Expr begin = walk_.range.begin;
    const Expr first = e.lower(cast(begin, Kind::i32));
    const Expr before = e.lower(first - 1);
    Running here = into;
    for (const auto& [g, k] : narrow.components) here.reductions[g][k] = e.declare(before, "at");
    steps(e, narrow.stm, t, from, to, here);
    for (const auto& [g, k] : narrow.components) {
      const Expr at = e.snapshot(here.reductions[g][k], "at"), wide = into.reductions[g][k];
      const Expr offset = cast(cast(at - first, Kind::u32), Kind::i64);
      const Expr index = begin + offset;
      e.assign(wide, e.lower(select(equal(at, before), e.snapshot(wide, "acc"), index)));
    }
  }

  // The whole steps of [from, to). Behind the first one operators may know more (ascending.h).
  void run_steps(const Emitter& e, const std::optional<soac::Stm>& behind, Expr t, Expr from, Expr to,
                 const Running& into) const {
    if (!behind) return steps(e, piece_, t, from, to, into);
    e.if_then(e.lower(from < to), [&] { element(e, piece_, e.bind(from + t, "j"), into); });
    from = e.lower(from + walk_.loops.lanes);
    const auto narrow = walk_.range.in_tile ? schedule::narrow_indices(arena_, *behind) : std::nullopt;
    if (narrow && e.keeps(schedule::rewrite::narrow, *behind, narrow->stm))
      steps_in_32_bits(e, *narrow, t, from, to, into);
    else
      steps(e, *behind, t, from, to, into);
  }

  // A float accumulator takes `chain` additions before it is added to an outer one: errors grow with the sum
  // of the two lengths instead of their product.
  void main_loop(const Emitter& e, Expr t, Expr begin, Expr main, const Running& running) const {
    const soac::Soac& op = walk_.op();
    auto behind = schedule::behind_first(arena_, piece_, walk_.range.in_tile);
    if (behind && !e.keeps(schedule::rewrite::ascending, piece_, *behind)) behind.reset();
    if (walk_.loops.chain == 0 || std::ranges::none_of(op.reductions, schedule::rounds))
      return run_steps(e, behind, t, begin, main, running);
    const Expr chain = walk_.i64(walk_.loops.chain * walk_.loops.lanes);
    e.for_loop(begin, main, chain, "from", [&](Expr from) {
      const Running inner{walk::start(e, op), {}, 0, walk_.partitions};
      run_steps(e, behind, t, from, e.lower(min(from + chain, main)), inner);
      join(e, op.reductions, running.reductions, inner.reductions);
    });
  }

  const Walk& walk_;
  const Accumulators& accumulators_;
  const soac::Stm& piece_;
  const std::span<const Expr> outer_;
  scalar::Arena& arena_;
};

void for_pieces(const Walk& walk, const Emitter& e, const soac::Stm& s, Expr begin, Expr end,
                std::size_t n_more, const Piece& body) {
  const std::vector<schedule::Split>& splits = walk.plan.nest.splits;
  const auto pieces =
      n_more > 0 ? schedule::split(walk.arena(), s, walk.plan.is_renamed ? nullptr : &splits) : std::nullopt;
  if (!pieces || !e.keeps(schedule::rewrite::pieces, s, pieces->before)) return body(s, begin, end);
  const Expr at = e.lower(max(begin, min(pieces->at, end)));
  for_pieces(walk, e, pieces->before, begin, at, n_more - 1, body);
  for_pieces(walk, e, pieces->behind, at, end, n_more - 1, body);
}

}  // namespace

void for_pieces(const Walk& walk, const Emitter& e, Expr begin, Expr end, const Piece& body) {
  for_pieces(walk, e, walk.s, begin, end, walk.plan.nest.splits.size(), body);
}

void read_ahead(const Walk& walk, const Emitter& e, Expr from, int n) {
  if (!walk.entry.per_task) return;
  Expr size = walk.i64(1);
  for (Expr extent : walk.space.dims()) size = size * extent;
  for (Var array : read_in_step(walk.op(), walk.space.is_linear()))
    e.prefetch(array, from, n, walk.entry.per_task, size);
}

void walk_columns(const Walk& walk, const Emitter& e, const Accumulators& accumulators,
                  const soac::Stm& piece, std::span<const Expr> outer, Expr begin, Expr end) {
  Columns(walk, accumulators, piece, outer).run(e, begin, end);
}

}  // namespace fulgurite::walk::lanes
