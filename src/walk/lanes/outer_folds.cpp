#include "walk/lanes/outer_folds.h"

#include <algorithm>

#include "parts/neighbours.h"
#include "schedule/nest.h"
#include "soac/rename.h"
#include "walk/lanes/outer_nest.h"
#include "walk/lanes/skeletons.h"
#include "walk/narrow.h"

namespace fulgurite::walk::lanes {

using schedule::Unit;

namespace {

// part[at] = op(part[at], part[other])
void join_elements(const Emitter& e, const soac::Soac& op, std::span<const Var> partials, Expr at,
                   Expr other) {
  const Running::Groups first = restore(e, op.reductions, partials, at);
  join(e, op.reductions, first, partials, other);
  save(e, first, partials, at);
}

// The elements of arrays that the reduction reads at its own index and at the map's, of which the last
// one is the array's last: array[.., row, .., column].
std::vector<Expr> reads_of_rows(const soac::Soac& map) {
  const auto& reduction = std::get<soac::Soac>(map.body.body[0].op);
  const Var row = reduction.body.params[0], column = map.body.params.back();
  std::vector<Expr> roots, reads;
  soac::for_each_root(reduction.body, [&](Expr root) { roots.push_back(root); });
  scalar::for_each_node(roots, [&](Expr e) {
    if (e.op() != scalar::Op::index || e.args().size() < 3) return;
    const std::span<const Expr> indices = e.args().subspan(1);
    const auto is = [](Var name) { return [name](Expr at) { return at.is_name() && at.var() == name; }; };
    const bool are_plain = std::ranges::all_of(indices, [&](Expr at) {
      return is(row)(at) || std::ranges::any_of(map.body.params, [&](Var p) { return is(p)(at); });
    });
    if (are_plain && is(column)(indices.back()) && std::ranges::any_of(indices, is(row))) reads.push_back(e);
  });
  return reads;
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
    if (outer_.nest().traffic.ahead > 0) fetched_ = reads_of_rows(outer_.map());
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
  };
  void at_points(const OuterNest::Columns& all, Expr first, const std::function<void(const AtPoint&)>& body,
                 const OuterNest::Stores& stores = {}) const {
    outer_.at_points(e_, outer_.nest(), all, stores, [&](const OuterNest::Point& p) {
      std::vector<Expr> indices(p.indices.begin(), p.indices.end());
      indices.back() = p.first;
      body({p.e, p.body.body[0], p.e.lower(first + p.number), std::move(indices)});
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
      const auto lanes = static_cast<int>(schedule::size_by(outer_.nest(), Unit::lane, 1));
      const Expr first = at.e.lower(linear(at.e, indices, at.e.lower(shape)));
      const Expr end = schedule::product(arena_, shape);
      at.e.prefetch(array, first, lanes, arena_.i64(0), end);
    }
  }

  void rows(const AtPoint& at, Expr from, Expr to, const Running::Groups& into) const {
    const Emitter& e = at.e;
    const Running running{into, {}, 0, {}};
    const std::optional<LaterPoints> later = LaterPoints::of(e, at.reduction);
    const auto all = [&](const soac::Stm& of, Expr first, Expr end, const Running& here) {
      e.for_loop(first, end, arena_.i64(1), "i", [&](Expr i) {
        fetch(at, i);
        point(e, of, {{i}}, i, here);
      });
    };
    if (!later) return all(at.reduction, from, to, running);
    point(e, at.reduction, {{from}}, from, running);
    later->in_pieces(e, e.lower(from + 1), to, running, all);
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const OuterNest outer_;
  const std::vector<Var> partials_;
  const std::vector<Expr> row_cuts_;
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
    steps(e, begin, end, [&](const Emitter& lane, Expr, Expr number, Expr) {
      const Expr at = lane.lower(of_first + number), other = lane.lower(of_second + number);
      join_elements(lane, reduction, partials, at, other);
    });
  });
  steps(e, begin, end, [&](const Emitter& lane, Expr, Expr number, Expr) {
    const Emitter at = lane.at_element(number);
    const soac::Applied body = soac::apply(arena, map.body, indices_of(at, number, map.dims));
    std::vector<Expr> totals;
    for (Var partial : partials) totals.push_back(at.load_plain(partial, number, "total"));
    finish(at, body.body[0], totals);
    leave_results(at, phase.computes, body.results, number);
  });
}

}  // namespace fulgurite::walk::lanes
