#include "walk/lanes/points.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/rewrites/ascending.h"
#include "schedule/rewrites/inside.h"
#include "schedule/rewrites/rounding.h"
#include "schedule/rewrites/segment_values.h"
#include "schedule/rewrites/slice.h"
#include "soac/literal.h"
#include "soac/outputs.h"
#include "soac/read_along.h"
#include "walk/control.h"
#include "walk/lanes/quotients.h"
#include "walk/narrow.h"

namespace fulgurite::walk::lanes {

using kernel::Level;

namespace {

bool only_maps(const Walk& walk) {
  const soac::OutputView outputs = soac::view_of(walk.s);
  return outputs.reductions.empty() && outputs.scatters.empty() && outputs.partitions.empty() &&
         !outputs.mapped.empty();
}

// Whether the statement reads an array from the memory that it stores to.
bool reads_what_it_stores(const Walk& walk) {
  soac::Vars mentioned;
  soac::add_mentioned(walk.op().body, mentioned);
  return std::ranges::any_of(soac::view_of(walk.s).mapped, [&](const soac::Mapped& mapped) {
    const Var buffer = walk.e.destination(mapped.array).buffer;
    return std::ranges::any_of(mentioned, [&](Var array) {
      return walk.e.has_destination(array) && walk.e.destination(array).buffer == buffer;
    });
  });
}

// Whether the points of a statement may be computed twice: it only maps, reads nothing that it updates, and
// has no loops but windows, whose rows are long beside a vector.
bool may_repeat(const Walk& walk) {
  if (!only_maps(walk) || walk.e.updates_in_place() || reads_what_it_stores(walk)) return false;
  return !walk.plan.nest.inner.empty() || std::ranges::none_of(walk.op().body.body, [](const soac::Stm& s) {
    return (base::as<soac::Soac>(s.op) && !soac::is_literal(s)) || base::as<soac::Loop>(s.op);
  });
}

bool has_one_vector(const Walk& walk) {
  return walk.loops.lanes == walk.loops.tail_lanes;
}

// How many columns a part of a row has at most, if splits leave it so few that no step of all lanes fits.
std::optional<std::int64_t> few_columns(const Walk& walk, const schedule::Region& piece) {
  if (piece.known.empty()) return {};
  const auto most = schedule::most_columns(walk.arena(), piece);
  return most && *most < walk.loops.lanes ? most : std::nullopt;
}

/// A row in vectors of lanes.
class Columns {
 public:
  Columns(const Walk& walk, const Accumulators& accumulators, const schedule::Region& piece,
          std::span<const Expr> outer, std::span<const schedule::Quotient> quotients = {})
      : walk_(walk),
        accumulators_(accumulators),
        piece_(piece.stm),
        outer_(outer),
        quotients_(quotients),
        arena_(walk.arena()),
        may_repeat_((!outer.empty() || walk.range.is_row) && may_repeat(walk)),
        has_few_rows_(piece.has_few_rows && only_maps(walk)),
        few_(few_columns(walk, piece)) {}

  bool are_few() const { return few_.has_value(); }
  // With less code: single vectors, unless rounding errors count.
  void run_by_vectors(const Emitter& e, Expr begin, Expr end) const {
    if (schedule::any_rounds(walk_.op())) return run(e, begin, end);
    masked_loop(e, begin, end);
  }
  void run(const Emitter& e, Expr begin, Expr end) const {
    if (few_) return *few_ <= walk_.loops.alone ? one_by_one(e, begin, end) : masked_loop(e, begin, end);
    if (has_few_rows_) return may_repeat_ ? single_vectors(e, begin, end) : masked_loop(e, begin, end);
    if (may_repeat_) return whole_vectors(e, begin, end);
    if (const Expr head = unaligned_head(walk_, e, piece_, outer_, begin, end)) {
      const Expr aligned = e.lower(min(begin + head, end));
      if (only_maps(walk_)) return masked_ends(e, begin, aligned, whole_steps(e, aligned, end), end);
      masked_loop(e, begin, aligned);
      begin = aligned;
    }
    masked_loop(e, whole_steps(e, begin, end), end);
  }

 private:
  // Lanes have their elements beside each other, however many a vector has.
  void by_lanes(const Emitter& e, Expr n, const std::function<void(const Emitter&, Expr t)>& body) const {
    kernel::Context lane = e.context();
    lane.lanes = walk_.loops.lanes;
    e.par(Level::block, n, "t", [&](Expr t) {
      lane.lane = t;
      body(e.in_context_of(e.with(lane)), t);
    });
  }

  // Where they end.
  Expr whole_steps(const Emitter& e, Expr begin, Expr end) const {
    const Expr step = walk_.i64(walk_.loops.lanes);
    const Expr full = e.lower((end - begin) / step * step);
    const Expr main = e.lower(begin + full);
    by_lanes(e, step, [&](const Emitter& lane, Expr t) {
      const Running running = restored(lane, t);
      main_loop(lane, t, begin, main, running);
      accumulators_.save(lane, running.reductions, t);
    });
    return main;
  }

  // Points of maps may be computed twice: so a remainder is a vector that ends where the row does, without a
  // mask. Rows are many, and masks cost more than what they leave out. Where stores go through the cache,
  // they need not be aligned.
  void whole_vectors(const Emitter& e, Expr begin, Expr end) const {
    const Expr least = walk_.i64(walk_.loops.tail_lanes);
    e.if_then_else(
        e.lower(least <= end - begin),
        [&] {
          Expr first = begin;
          const Expr streaming = e.context().streaming;
          if (!streaming && has_one_vector(walk_)) return vectors_up_to(e, begin, end, end);
          if (const Expr unaligned =
                  streaming ? unaligned_head(walk_, e, piece_, outer_, begin, end) : Expr()) {
            first = e.lower(min(begin + select(streaming, unaligned, 0), end));
            vectors_up_to(e, begin, first, end);
          }
          vectors_up_to(e, whole_steps(e, first, end), end, end);
        },
        [&] {
          if (walk_.op().body.body.empty())
            narrower_vectors(e, begin, end, walk_.loops.tail_lanes / 2);
          else
            masked_loop(e, begin, end);
        });
  }
  // Rows that are shorter than a vector, in the widest ones that they fill.
  void narrower_vectors(const Emitter& e, Expr begin, Expr end, std::int64_t lanes) const {
    if (lanes <= walk_.loops.alone) return one_by_one(e, begin, end);
    e.if_then_else(
        e.lower(walk_.i64(lanes) <= end - begin), [&] { vectors_up_to(e, begin, end, end, lanes); },
        [&] { narrower_vectors(e, begin, end, lanes / 2); });
  }
  // Walks the row with less code, for rows that are few.
  void single_vectors(const Emitter& e, Expr begin, Expr end) const {
    e.if_then_else(
        e.lower(walk_.i64(walk_.loops.tail_lanes) <= end - begin), [&] { vectors_up_to(e, begin, end, end); },
        [&] { one_by_one(e, begin, end); });
  }
  // The points [from, to), and others before `end`.
  void vectors_up_to(const Emitter& e, Expr from, Expr to, Expr end) const {
    vectors_up_to(e, from, to, end, walk_.loops.tail_lanes);
  }
  void vectors_up_to(const Emitter& of_vectors, Expr from, Expr to, Expr end, std::int64_t n_lanes) const {
    if (from == to && schedule::gives_arrays(walk_.op())) return;
    const Emitter e = of_vectors.streaming_if({});
    const Expr lanes = walk_.i64(n_lanes);
    by_lanes(e, lanes, [&](const Emitter& lane, Expr t) {
      lane.for_loop(from, to, lanes, "j", [&](Expr j) {
        const Expr at = lane.bind(min(j, end - lanes), "at");
        element(lane, piece_, lane.bind(at + t, "j"), {});
      });
    });
  }

  Running restored(const Emitter& e, Expr t) const { return entered(accumulators_.restore(e, t)); }
  Running entered(Running::Groups reductions) const {
    return {std::move(reductions), {}, 0, walk_.partitions};
  }
  void element(const Emitter& e, const soac::Stm& s, Expr j, const Running& running) const {
    name_quotients(e, quotients_, j);
    walk_.space.element(e, s, outer_, j, running);
  }

  // for (j = begin; j < end; ...) in single masked vectors; their stores go through the cache.
  void masked_loop(const Emitter& of_vectors, Expr begin, Expr end) const {
    const Emitter e = masked(of_vectors);
    const Expr lanes = walk_.i64(walk_.loops.tail_lanes);
    e.if_then(e.lower(begin < end), [&] {
      by_lanes(e, lanes, [&](const Emitter& lane, Expr t) {
        const Running running = restored(lane, t);
        lane.for_loop(begin, end, lanes, "j", [&](Expr j) {
          const Expr index = lane.bind(j + t, "j");
          lane.if_then(lane.bind(index < end, "in_range"), [&] { element(lane, piece_, index, running); });
        });
        accumulators_.save(lane, running.reductions, t);
      });
    });
  }

  // By a vector of one lane.
  void one_by_one(const Emitter& of_vectors, Expr begin, Expr end) const {
    const Emitter e = of_vectors.streaming_if({});
    const Expr one = walk_.i64(1);
    e.if_then(e.lower(begin < end), [&] {
      by_lanes(e, one, [&](const Emitter& lane, Expr t) {
        const Running running = restored(lane, t);
        lane.for_loop(begin, end, one, "j",
                      [&](Expr j) { element(lane, piece_, lane.bind(j + t, "j"), running); });
        accumulators_.save(lane, running.reductions, t);
      });
    });
  }

  // The points [begin, first) and [last, end) of a map, by the same code.
  void masked_ends(const Emitter& of_vectors, Expr begin, Expr first, Expr last, Expr end) const {
    const Emitter e = masked(of_vectors);
    const Expr lanes = walk_.i64(walk_.loops.tail_lanes);
    const Expr in_front = e.lower((first - begin + (lanes - 1)) / lanes);
    const Expr behind = e.lower((end - last + (lanes - 1)) / lanes);
    e.if_then(e.lower(0 < in_front + behind), [&] {
      by_lanes(e, lanes, [&](const Emitter& lane, Expr t) {
        lane.for_loop(walk_.i64(0), lane.lower(in_front + behind), walk_.i64(1), "k", [&](Expr k) {
          const Expr is_in_front = lane.lower(k < in_front);
          const Expr from = lane.lower(select(is_in_front, begin, last - in_front * lanes));
          const Expr to = lane.lower(select(is_in_front, first, end));
          const Expr index = lane.bind(from + k * lanes + t, "j");
          lane.if_then(lane.bind(index < to, "in_range"), [&] { element(lane, piece_, index, {}); });
        });
      });
    });
  }

  void steps(const Emitter& of_vectors, const soac::Stm& s, Expr t, Expr from, Expr to,
             const Running& into) const {
    const Emitter e = of_vectors.touching_if(walk_.loops.touch ? of_vectors.context().streaming : Expr());
    const SteppedQuotients quotients(e, quotients_, from, t, walk_.loops.lanes);
    const auto take = [&](Expr j) {
      read_ahead(walk_, e, j, walk_.loops.lanes);
      quotients.name(e);
      walk_.space.element(e, s, outer_, e.bind(j + t, "j"), into);
      quotients.advance(e);
    };
    // Code without a loop has the many addresses of a point that gives arrays as distances from one.
    const bool is_one_step = from.is_constant() && to == from + walk_.loops.lanes;
    if (is_one_step && schedule::gives_arrays(walk_.op())) return take(from);
    e.for_loop(from, to, walk_.i64(walk_.loops.lanes), "j", take);
  }

  // The whole steps of [from, to).
  void run_steps(const Emitter& e, const std::optional<LaterPoints>& later, Expr t, Expr from, Expr to,
                 const Running& into) const {
    if (!later) return steps(e, piece_, t, from, to, into);
    e.if_then(e.lower(from < to), [&] { element(e, piece_, e.bind(from + t, "j"), into); });
    from = e.lower(from + walk_.loops.lanes);
    const auto take = [&](const soac::Stm& s, Expr first, Expr end, const Running& here) {
      steps(e, s, t, first, end, here);
    };
    if (walk_.range.in_tile) return later->as_one(e, walk_.range.begin, from, to, into, take);
    later->in_pieces(e, from, to, into, take);
  }

  // A float accumulator takes `chain` additions before it is added to an outer one: errors grow with the sum
  // of the two lengths instead of their product.
  void main_loop(const Emitter& e, Expr t, Expr begin, Expr main, const Running& running) const {
    const soac::Soac& op = walk_.op();
    auto after = schedule::piece_after_first(arena_, walk_.s, piece_, walk_.range.in_tile);
    std::optional<LaterPoints> later;
    if (after && e.keeps(schedule::rewrite::ascending, piece_, *after)) later.emplace(e, *std::move(after));
    if (walk_.loops.chain == 0 || !schedule::any_rounds(op))
      return run_steps(e, later, t, begin, main, running);
    const Expr chain = walk_.i64(walk_.loops.chain * walk_.loops.lanes);
    e.for_loop(begin, main, chain, "from", [&](Expr from) {
      const Running inner = entered(walk::start(e, op));
      run_steps(e, later, t, from, e.lower(min(from + chain, main)), inner);
      join(e, op.reductions, running.reductions, inner.reductions);
    });
  }

  const Walk& walk_;
  const Accumulators& accumulators_;
  const soac::Stm& piece_;
  const std::span<const Expr> outer_;
  const std::span<const schedule::Quotient> quotients_;
  scalar::Arena& arena_;
  const bool may_repeat_, has_few_rows_;
  const std::optional<std::int64_t> few_;
};

}  // namespace

void read_ahead(const Walk& walk, const Emitter& e, Expr from, int n) {
  if (!walk.entry.per_task) return;
  const Expr size = product(e, walk.space.dims());
  for (Var array : soac::read_in_step(walk.op(), walk.space.is_linear()))
    e.prefetch(array, from, n, walk.entry.per_task, size);
}

void walk_columns(const Walk& walk, const Emitter& e, const Accumulators& accumulators,
                  const schedule::Region& piece, std::span<const Expr> outer, Expr begin, Expr end) {
  const Columns columns(walk, accumulators, piece, outer);
  const bool may_check_rows = !walk.plan.is_renamed && !walk.space.is_linear() && !columns.are_few();
  const auto inside = may_check_rows
                          ? schedule::inside(walk.arena(), piece.stm, {outer, begin, e.lower(end - 1)})
                          : std::nullopt;
  if (!inside || !e.keeps(schedule::rewrite::inside, piece.stm, inside->stm))
    return columns.run(e, begin, end);
  schedule::Region unchecked = piece;
  unchecked.stm = inside->stm;
  const Emitter in_arrays = e.scattering_inside(inside->scatters_inside);
  // Rows with points that fail are few.
  e.if_then_else(
      e.lower(inside->holds),
      [&] { Columns(walk, accumulators, unchecked, outer, inside->quotients).run(in_arrays, begin, end); },
      [&] { columns.run_by_vectors(e, begin, end); });
}

void walk_segment(const Walk& walk, const Emitter& e, const Accumulators& accumulators, Expr begin,
                  Expr end) {
  const schedule::SegmentValues values = schedule::segment_values(walk.arena(), walk.s);
  const Expr usable = e.declare(walk.arena().boolean(true), "usable");
  statements(e.at_element(begin).on_failure([&] { e.assign(usable, walk.arena().boolean(false)); }),
             values.before);
  schedule::Region points{values.stm, {}};
  const auto inside = schedule::inside(walk.arena(), points.stm, {{}, begin, e.lower(end - 1)});
  const bool is_kept = inside && e.keeps(schedule::rewrite::inside, points.stm, inside->stm);
  if (is_kept) points.stm = inside->stm;
  const std::vector<schedule::Quotient> quotients =
      is_kept ? inside->quotients : std::vector<schedule::Quotient>();
  const Emitter fast = e.scattering_inside(is_kept && inside->scatters_inside);
  const Expr is_usable = e.snapshot(usable, "usable");
  e.if_then_else(
      is_kept ? e.lower(is_usable & inside->holds) : is_usable,
      [&] {
        fast.rely_on_nothing();
        Columns(walk, accumulators, points, {}, quotients).run(fast, begin, end);
      },
      [&] {
        e.rely_on_nothing();
        Columns(walk, accumulators, {walk.s, {}}, {}).run_by_vectors(e, begin, end);
      });
}

void walk_rows_together(const Walk& walk, const Emitter& e, std::span<const Expr> first, Expr begin,
                        Expr end) {
  const std::int64_t lanes = walk.loops.tail_lanes;
  const std::size_t axis = walk.space.row_axis(walk.range);
  const auto columns = [&](const Emitter& in, std::int64_t n, Expr from, Expr to) {
    in.par(Level::block, walk.i64(n), "t", [&](Expr t) {
      in.for_loop(from, to, walk.i64(n), "j", [&](Expr j) {
        const Expr column = in.bind(j + t, "j");
        in.for_loop(walk.i64(0), walk.i64(walk.loops.rows_together), walk.i64(1), "r", [&](Expr r) {
          std::vector<Expr> outer(first.begin(), first.end());
          outer[axis] = in.bind(outer[axis] + r, "row");
          walk.space.element(in, walk.s, outer, column, {});
        });
      });
    });
  };
  const Expr whole = e.lower(begin + max(end - begin, walk.i64(0)) / lanes * lanes);
  columns(e, lanes, begin, whole);
  columns(e.streaming_if({}), 1, whole, end);
}

}  // namespace fulgurite::walk::lanes
