#include "walk/lanes/outer_folds.h"

#include <algorithm>

#include "parts/neighbours.h"
#include "schedule/nest.h"
#include "soac/read_along.h"
#include "soac/rename.h"
#include "walk/lanes/outer_nest.h"
#include "walk/lanes/skeletons.h"
#include "walk/narrow.h"

namespace fulgurite::walk::lanes {

using schedule::Combine, schedule::Unit;

namespace {

// part[at] = op(part[at], part[other])
void join_elements(const Emitter& e, const soac::Soac& op, std::span<const Var> partials, Expr at,
                   Expr other) {
  const Running::Groups first = restore(e, op.reductions, partials, at);
  join(e, op.reductions, first, partials, other);
  save(e, first, partials, at);
}

/// One task of the columns' phase.
class OuterFolds {
 public:
  OuterFolds(const Emitter& task, const schedule::Phase& phase)
      : e_(task),
        arena_(task.arena()),
        outer_(task, phase),
        partials_(schedule::memory_of_combines(outer_.nest())),
        row_cuts_(schedule::sizes_of_cuts(outer_.nest(), outer_.row_axis(), Unit::sequence)) {
    if (outer_.nest().traffic.ahead > 0) fetched_ = soac::read_down_rows(outer_.map());
    const auto* level = schedule::level_of(outer_.nest(), Combine::Part::reduction, 0, Unit::registers);
    if (level) pieces_ = level->n;
  }

  void run() const {
    const OuterNest::Part part = outer_.part();
    const Interval& rows = part.rows;
    const Expr points = schedule::product(arena_, outer_.map().dims);
    const Expr first = e_.lower(rows.number * points);
    outer_.space().rows(e_, part.columns, [&](std::span<const Expr> outer, Expr begin, Expr end) {
      const OuterNest::Columns all{outer, begin, end};
      at_points(all, first, [&](const AtPoint& at) {
        save(at.e, walk::start(at.e, reduction(at.reduction)), partials_, at.partial);
      });
      pieces(all, first, rows.begin, rows.end);
    });
  }

 private:
  const soac::Soac& reduction(const soac::Stm& s) const { return std::get<soac::Soac>(s.op); }

  /// The reduction at one point of the map, and where its partial results are.
  struct AtPoint {
    const Emitter& e;
    soac::Stm reduction;
    Expr partial;
    /// Indices of the map at the first lane.
    std::vector<Expr> indices;
    std::int64_t lanes;
  };
  void at_points(const OuterNest::Columns& all, Expr first, const std::function<void(const AtPoint&)>& body,
                 const OuterNest::Stores& stores = {}) const {
    outer_.at_points(e_, outer_.nest(), all, stores, [&](const OuterNest::Point& p) {
      std::vector<Expr> indices(p.indices.begin(), p.indices.end());
      indices.back() = p.first;
      body({p.e, p.body.body[0], p.e.lower(first + p.number), std::move(indices), p.lanes});
    });
  }

  // The rows [from, to), some at a time through all columns. These are most of the work: full vectors have no
  // mask.
  void pieces(const OuterNest::Columns& all, Expr first, Expr from, Expr to) const {
    e_.for_loop(from, to, e_.lower(row_cuts_[0]), "from", [&](Expr begin) {
      const Expr end = e_.lower(min(begin + row_cuts_[0], to));
      at_points(all, first,
                [&](const AtPoint& at) {
                  const soac::Soac& op = reduction(at.reduction);
                  const Running::Groups so_far = restore(at.e, op.reductions, partials_, at.partial);
                  chains(at, begin, end, 1, so_far);
                  save(at.e, so_far, partials_, at.partial);
                },
                {true, {}});
    });
  }

  // The rows [from, to) in pieces of the cut with this number, each folded by an accumulator of its own.
  void chains(const AtPoint& at, Expr from, Expr to, std::size_t cut, const Running::Groups& into) const {
    if (cut == row_cuts_.size()) return rows(at, from, to, into);
    const Emitter& e = at.e;
    const soac::Soac& op = reduction(at.reduction);
    const Expr size = e.lower(row_cuts_[cut]);
    e.for_loop(from, to, size, "from", [&](Expr first) {
      const Running::Groups inner = walk::start(e, op);
      chains(at, first, e.lower(min(first + size, to)), cut + 1, inner);
      join(e, op.reductions, into, inner, "acc");
    });
  }

  // Asks for what the lanes read some rows later, from `row` on.
  void fetch(const AtPoint& at, Expr row) const {
    const Var of_row = reduction(outer_.map().body.body[0]).body.params[0];
    const std::vector<Var>& of_map = outer_.map().body.params;
    for (Expr read : fetched_) {
      const Var array = read.arg(0).var();
      std::vector<Expr> indices;
      for (Expr index : read.args().subspan(1)) {
        const auto place = std::ranges::find(of_map, index.var()) - of_map.begin();
        indices.push_back(index.var() == of_row ? row + outer_.nest().traffic.ahead
                                                : at.indices[static_cast<std::size_t>(place)]);
      }
      const std::vector<Expr>& shape = arena_.info(array).shape;
      const Expr first = at.e.lower(linear(at.e, indices, at.e.lower(shape)));
      const Expr end = schedule::product(arena_, shape);
      at.e.prefetch(array, first, static_cast<int>(at.lanes), arena_.i64(0), end);
    }
  }

  void rows(const AtPoint& at, Expr from, Expr to, const Running::Groups& into) const {
    const Emitter& e = at.e;
    const std::optional<LaterPoints> later = LaterPoints::of(e, at.reduction);
    const bool are_abreast = pieces_ > 1 && at.lanes == schedule::innermost(outer_.nest(), Unit::lane)->rest;
    if (are_abreast) from = abreast(at, later, from, to, into);
    const auto all = [&](const soac::Stm& of, Expr first, Expr end, const Running& here) {
      e.for_loop(first, end, arena_.i64(1), "i", [&](Expr i) { row(at, of, i, here); });
    };
    const Running running{into, {}, 0, {}};
    if (!later || are_abreast) return all(at.reduction, from, to, running);
    point(e, at.reduction, {{from}}, from, running);
    later->in_pieces(e, e.lower(from + 1), to, running, all);
  }

  void row(const AtPoint& at, const soac::Stm& of, Expr i, const Running& into) const {
    fetch(at, i);
    point(at.e, of, {{i}}, i, into);
  }

  // Folds pieces of equal length, one row of each at a time, so that operators that wait for themselves
  // overlap. Gives the first row that is left.
  Expr abreast(const AtPoint& at, const std::optional<LaterPoints>& later, Expr from, Expr to,
               const Running::Groups& into) const {
    const Emitter& e = at.e;
    const soac::Soac& op = reduction(at.reduction);
    const LaterPoints known = later ? *later : LaterPoints(e, at.reduction);
    const Expr length = e.lower((to - from) / pieces_), first = arena_.i64(later ? 1 : 0);
    e.if_then(e.lower(0 < length), [&] {
      std::vector<LaterPoints::Taken> pieces{{known, from, {into, {}, 0, {}}}};
      for (std::int64_t k = 1; k < pieces_; ++k)
        pieces.push_back({known, e.lower(from + k * length), {walk::start(e, op), {}, 0, {}}});
      if (later)
        for (const auto& piece : pieces) row(at, at.reduction, piece.begin, piece.into);
      LaterPoints::side_by_side(e, pieces, [&](const auto& stms, const auto& here) {
        e.for_loop(first, length, arena_.i64(1), "i", [&](Expr i) {
          for (std::size_t k = 0; k < pieces.size(); ++k)
            row(at, stms[k], e.lower(pieces[k].begin + i), here[k]);
        });
      });
      for (const auto& piece : std::span(pieces).subspan(1))
        join(e, op.reductions, into, piece.into.reductions, "acc");
    });
    return e.lower(from + pieces_ * length);
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const OuterNest outer_;
  const std::vector<Var> partials_;
  const std::vector<Expr> row_cuts_;
  std::int64_t pieces_ = 1;
  std::vector<Expr> fetched_;
};

}  // namespace

void walk_outer_folds(const Emitter& task, const schedule::Phase& phase) {
  OuterFolds(task, phase).run();
}

void join_columns(const Emitter& e, const schedule::Launch&, const schedule::Phase& phase) {
  scalar::Arena& arena = e.arena();
  const schedule::Skeleton& skeleton = skeleton_of(phase);
  const auto& map = std::get<soac::Soac>(phase.computes.op);
  const auto& reduction = std::get<soac::Soac>(map.body.body[0].op);
  const std::vector<Var>& partials = skeleton.memory;
  const std::int64_t lanes = number_of(skeleton, "lanes"), size = number_of(skeleton, "points");
  const Expr points = e.lower(schedule::product(arena, map.dims)), parts = e.lower(reduction.dims[0]);
  const Expr begin = e.lower(e.context().task * size), end = e.lower(min(begin + size, points));
  const Steps steps(lanes, lanes);
  parts::join_neighbours(e, parts, [&](Expr first, Expr second) {
    const Expr of_first = e.lower(first * points), of_second = e.lower(second * points);
    steps(e, begin, end, [&](const Emitter& lane, Expr, Expr number, Expr, std::int64_t) {
      const Expr at = lane.lower(of_first + number), other = lane.lower(of_second + number);
      join_elements(lane, reduction, partials, at, other);
    });
  });
  steps(e, begin, end, [&](const Emitter& lane, Expr, Expr number, Expr, std::int64_t) {
    const Emitter at = lane.at_element(number);
    const soac::Applied body = soac::apply(arena, map.body, indices_of(at, number, map.dims));
    std::vector<Expr> totals;
    for (Var partial : partials) totals.push_back(at.load_plain(partial, number, "total"));
    finish(at, body.body[0], totals);
    leave_results(at, phase.computes, body.results, number);
  });
}

}  // namespace fulgurite::walk::lanes
