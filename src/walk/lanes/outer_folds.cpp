#include "walk/lanes/outer_folds.h"

#include <algorithm>

#include "parts/neighbours.h"
#include "schedule/nest.h"
#include "schedule/rewrites/ascending.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/rename.h"
#include "walk/lanes/pieces.h"
#include "walk/lanes/skeletons.h"
#include "walk/lanes/space.h"

namespace fulgurite::walk::lanes {

using schedule::Cut, schedule::Nest, schedule::Unit;

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
        nest_(std::get<Nest>(phase.walk)),
        map_(std::get<soac::Soac>(phase.computes.op)),
        row_axis_(nest_.axes.size() - 1),
        space_(task, map_, false) {
    for (const schedule::Combine& combine : nest_.combines)
      partials_.insert(partials_.end(), combine.memory.begin(), combine.memory.end());
    for (const Cut& cut : nest_.cuts)
      if (cut.axis == row_axis_ && cut.unit == Unit::sequence) row_cuts_.push_back(cut.size);
  }

  // Tasks are numbered with the tiles of columns fastest, then rows of the map, then the rows that are
  // folded.
  void run() const {
    Expr rest = e_.context().task;
    const Interval of_row = piece_of_task(e_, nest_, row_axis_ - 1, rest);
    Range columns;
    columns.begin = of_row.begin, columns.end = of_row.end;
    if (row_axis_ > 1) {
      const Interval outer = piece_of_task(e_, nest_, 0, rest);
      columns.first_row = outer.begin;
      columns.last_row = outer.end;
    }
    const Expr part = rest;
    const Interval rows = last_piece_of_task(e_, nest_, row_axis_, part);
    const Expr points = schedule::product(arena_, map_.dims);
    const Cut& task = schedule::grid_cut(nest_, row_axis_);
    const Expr parts = schedule::ceil_div(nest_.axes[row_axis_].extent, task.size);
    const Expr first = e_.lower(part * points);
    const Expr has_own = e_.lower(row_cuts_[0] < task.size);
    const Expr own = e_.lower(select(has_own, (parts + part) * points, first));
    space_.rows(e_, columns, [&](std::span<const Expr> outer, Expr begin, Expr end) {
      const Columns all{outer, begin, end};
      start(all, first);
      e_.for_loop(rows.begin, rows.end, e_.lower(row_cuts_[0]), "rows", [&](Expr from) {
        const Expr to = e_.lower(min(from + row_cuts_[0], rows.end));
        e_.if_then(has_own, [&] { start(all, own); });
        pieces(all, own, from, to);
        e_.if_then(has_own, [&] { join_own(all, first, own); });
      });
    });
  }

 private:
  // Some neighbouring columns of one row of the map.
  struct Columns {
    std::span<const Expr> outer;
    Expr begin, end;
  };

  const soac::Soac& reduction(const soac::Stm& s) const { return std::get<soac::Soac>(s.op); }

  /// The reduction at one point of the map, and where its partial results are.
  struct AtPoint {
    const Emitter& e;
    soac::Stm reduction;
    Expr partial;
  };
  void at_points(const Columns& all, Expr first, const std::function<void(const AtPoint&)>& body) const {
    steps_of(nest_)(e_, all.begin, all.end, [&](const Emitter& lane, Expr, Expr j) {
      space_.at_point(lane, all.outer, j, [&](const Emitter& at, std::span<const Expr> indices, Expr number) {
        const Expr partial = at.lower(first + number);
        body({at, soac::apply(arena_, map_.body, indices).body[0], partial});
      });
    });
  }

  void start(const Columns& all, Expr first) const {
    at_points(all, first, [&](const AtPoint& at) {
      save(at.e, walk::start(at.e, reduction(at.reduction)), partials_, at.partial);
    });
  }

  // The rows [from, to), some at a time through all columns.
  void pieces(const Columns& all, Expr first, Expr from, Expr to) const {
    e_.for_loop(from, to, e_.lower(row_cuts_[1]), "from", [&](Expr begin) {
      const Expr end = e_.lower(min(begin + row_cuts_[1], to));
      at_points(all, first, [&](const AtPoint& at) {
        const soac::Soac& op = reduction(at.reduction);
        const Running::Groups so_far = restore(at.e, op.reductions, partials_, at.partial);
        chains(at, begin, end, 2, so_far);
        save(at.e, so_far, partials_, at.partial);
      });
    });
  }

  void join_own(const Columns& all, Expr first, Expr own) const {
    const Expr apart = e_.lower(own - first);
    at_points(all, first, [&](const AtPoint& at) {
      const Expr other = at.e.lower(at.partial + apart);
      join_elements(at.e, reduction(at.reduction), partials_, at.partial, other);
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

  // Behind the first row operators may know more (ascending.h).
  void rows(const AtPoint& at, Expr from, Expr to, const Running::Groups& into) const {
    const Emitter& e = at.e;
    const Running running{into, {}, 0, {}};
    auto behind = schedule::behind_first(arena_, at.reduction, false);
    if (behind && !e.keeps(schedule::rewrite::ascending, at.reduction, *behind)) behind.reset();
    if (behind) {
      point(e, at.reduction, {{from}}, from, running);
      from = e.lower(from + 1);
    }
    e.for_loop(from, to, arena_.i64(1), "i",
               [&](Expr i) { point(e, behind ? *behind : at.reduction, {{i}}, i, running); });
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const Nest& nest_;
  const soac::Soac& map_;
  const std::size_t row_axis_;
  const Space space_;
  std::vector<Var> partials_;
  std::vector<Expr> row_cuts_;
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
    steps(e, begin, end, [&](const Emitter& lane, Expr, Expr number) {
      const Expr at = lane.lower(of_first + number), other = lane.lower(of_second + number);
      join_elements(lane, reduction, partials, at, other);
    });
  });
  steps(e, begin, end, [&](const Emitter& lane, Expr, Expr number) {
    const Emitter at = lane.at_element(number);
    const soac::Applied body = soac::apply(arena, map.body, indices_of(at, number, map.dims));
    std::vector<Expr> totals;
    for (Var partial : partials) totals.push_back(at.load_plain(partial, number, "total"));
    finish(at, body.body[0], totals);
    for (std::size_t k = 0; k < body.results.size(); ++k)
      at.store_plain(phase.computes.names[k], number, at.lower(body.results[k]));
  });
}

}  // namespace fulgurite::walk::lanes
