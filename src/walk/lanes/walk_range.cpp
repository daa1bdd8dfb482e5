#include <algorithm>
#include <optional>

#include "schedule/lanes/nests.h"
#include "schedule/nest.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rewrites/gathered.h"
#include "schedule/rewrites/segments_in_turn.h"
#include "schedule/rewrites/slice.h"
#include "walk/lanes/points.h"
#include "walk/lanes/ragged_rows.h"
#include "walk/lanes/runs.h"
#include "walk/lanes/scan_runs.h"
#include "walk/lanes/scan_vectors.h"

namespace fulgurite::walk::lanes {

namespace {

std::vector<Running::Cursor> with_variables(const Emitter& e, std::vector<Running::Cursor> cursors) {
  for (Running::Cursor& cursor : cursors)
    for (Expr& next : cursor.next) next = e.declare(next, "next");
  return cursors;
}

std::vector<std::vector<Expr>> ends_of(const Walk& walk) {
  std::vector<std::vector<Expr>> ends;
  for (const Running::Cursor& cursor : walk.partitions) {
    ends.emplace_back();
    for (Expr variable : cursor.next) ends.back().push_back(walk.e.snapshot(variable, "next"));
  }
  return ends;
}

Ends in_lanes(const Walk& walk) {
  const Emitter e = walk.e.in_lanes();
  const Accumulators accumulators(e, walk.op(), walk.loops.lanes, walk.loops.tail_lanes);
  accumulators.start(e);
  const auto single = [&](std::span<const Expr> outer, Expr begin, Expr end) {
    if (walk.space.has_segments()) return walk_segment(walk, e, accumulators, begin, end);
    for_pieces(walk, e, outer, begin, end, [&](const schedule::Region& piece, Expr from, Expr to) {
      walk_columns(walk, e, accumulators, piece, outer, from, to);
    });
  };
  const auto together = [&](std::span<const Expr> first, Expr begin, Expr end) {
    walk_rows_together(walk, e, first, begin, end);
  };
  if (walk.loops.rows_together > 1)
    walk.space.rows(e, walk.range, walk.loops.rows_together, together, single);
  else
    walk.space.rows(e, walk.range, single);
  accumulators.halve(e);
  Ends ends;
  for (std::size_t k = 0; k < accumulators.n_components(); ++k)
    ends.totals.push_back(accumulators.total(e, k));
  ends.partitions = ends_of(walk);
  return ends;
}

// The points [from, to) one by one.
void one_by_one(const Walk& walk, const Emitter& e, const soac::Stm& piece, std::span<const Expr> outer,
                Expr from, Expr to, const Running& running) {
  const auto element = [&](const soac::Stm& s, Expr j) { walk.space.element(e, s, outer, j, running); };
  const auto ragged =
      walk.plan.nest.stages.empty() ? std::nullopt : schedule::gathered_rows(walk.arena(), piece);
  if (ragged) return walk_ragged_rows(e, piece, *ragged, from, to, walk.plan.nest, element);
  if (from.is_constant(0) && to.is_constant(1)) return element(piece, from);
  e.for_loop(from, to, walk.i64(1), "j", [&](Expr j) { element(piece, j); });
}

bool scans_in_lanes(const Walk& walk, bool packs) {
  const bool in_lanes =
      schedule::has_join(walk.plan.nest, schedule::Combine::Part::scan, schedule::Join::tree) ||
      walk.loops.scan_steps > 0;
  return !walk.entry.scans.empty() && packs && in_lanes;
}

// Scalar code, in order.
Ends in_order(const Walk& walk, bool packs) {
  const Emitter e = walk.e.streaming_if({});  // only whole vectors bypass the cache
  std::optional<Runs> runs;
  if (walk.loops.run > 0 && schedule::folds_in_runs(walk.op())) runs.emplace(e, walk.op(), walk.loops);
  if (!schedule::commutes(walk.op()) && !runs)
    e.note_sequential(walk.s, "has an operator that is not known to commute; tasks are joined in order");
  Running running{walk::start(e, walk.op()), {}, 0, walk.partitions};
  for (const auto& group : walk.entry.scans) {
    running.scans.emplace_back();
    for (Expr value : group) running.scans.back().push_back(e.declare(value, "so_far"));
  }
  std::optional<ScanVectors> vectors;
  if (scans_in_lanes(walk, packs)) vectors.emplace(walk, e, running);
  walk.space.rows(e, walk.range, [&](std::span<const Expr> outer, Expr begin, Expr end) {
    if (vectors) begin = vectors->walk(outer, begin, end);
    for_pieces(walk, e, outer, begin, end, [&](const schedule::Region& piece, Expr from, Expr to) {
      if (runs) {
        const Runs::Point point = [&](const Emitter& at, Expr j, const Runs::Body& body) {
          walk.space.at_point(at, outer, j, [&](const Emitter& here, std::span<const Expr> indices, Expr) {
            body(here, indices);
          });
        };
        from = runs->fold(std::get<soac::Soac>(piece.stm.op), from, to, running.reductions, point);
      }
      one_by_one(walk, e, piece.stm, outer, from, to, running);
    });
  });
  if (vectors) vectors->join(e);
  Ends ends;
  for (const auto& group : running.reductions)
    for (Expr variable : group) ends.totals.push_back(e.snapshot(variable, "total"));
  for (const auto& group : running.scans) {
    ends.scans.emplace_back();
    for (Expr variable : group) ends.scans.back().push_back(e.snapshot(variable, "so_far"));
  }
  ends.partitions = ends_of(walk);
  return ends;
}

// Takes the Scan that only segments tell from the statement: each segment gives its number a value.
std::optional<Space::Segments> take_segments(soac::Stm& s, const schedule::Nest& nest) {
  soac::Lambda& body = std::get<soac::Soac>(s.op).body;
  const soac::Stm* scan = schedule::scan_of_segments(body);
  if (!scan) return {};
  const Space::Segments segments{nest.axes.back().segments, scan->names[0]};
  body.body.erase(body.body.begin() + (scan - body.body.data()));
  return segments;
}

Ends walk_one(const Emitter& e, soac::Stm s, const Range& range, const Plan& plan, const Entry& entry) {
  const schedule::LaneLoops loops = schedule::loops_of(plan.nest);
  const std::optional<Space::Segments> segments = take_segments(s, plan.nest);
  const auto& op = std::get<soac::Soac>(s.op);
  Space space(e, op, loops.linear, segments);
  const Walk walk{e, s, range, plan, entry, loops, std::move(space), with_variables(e, entry.partitions)};
  const bool packs = std::ranges::all_of(walk.partitions, &Running::Cursor::packs);
  if (loops.rows || !schedule::suits_lanes(op) || !packs) return in_order(walk, packs);
  return in_lanes(walk);
}

}  // namespace

Ends walk_range(const Emitter& e, const soac::Stm& s, const Range& range, const Plan& plan,
                const Entry& entry) {
  const auto& op = std::get<soac::Soac>(s.op);
  std::size_t n_in_order = 0;
  for (const soac::Reduction& r : op.reductions) n_in_order += r.commutative ? 0 : r.op.results.size();
  const bool has_runs =
      schedule::has_join(plan.nest, schedule::Combine::Part::reduction, schedule::Join::runs);
  if (n_in_order == s.names.size() || !has_runs || !schedule::folds_in_runs(op))
    return walk_one(e, s, range, plan, entry);
  const schedule::ByOrder parts = schedule::split_by_order(e.arena(), s);
  // The reductions only read. They come before the other part, which may update what they read.
  const Ends in_order = walk_one(e, parts.in_order, range, plan, entry);
  const Ends others = walk_one(e, parts.in_any_order, range, plan, entry);
  Ends both;
  auto next = in_order.totals.begin(), next_other = others.totals.begin();
  for (const soac::Reduction& r : op.reductions)
    for (std::size_t k = 0; k < r.op.results.size(); ++k)
      both.totals.push_back(r.commutative ? *next_other++ : *next++);
  return both;
}

}  // namespace fulgurite::walk::lanes
