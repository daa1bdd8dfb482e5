#include "walk/lanes/register_tiles.h"

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/shared_operands.h"
#include "soac/rename.h"
#include "walk/lanes/pieces.h"
#include "walk/phase.h"
#include "walk/points.h"

namespace fulgurite::walk::lanes {

using schedule::Nest, schedule::Stage, schedule::Unit;

namespace {

// A strip of columns, and the part of the depth for which it is walked.
struct ColumnStrip {
  std::vector<Expr> outer;
  Expr begin, end;
  Expr from, to;
};
// StripColumns of a strip that are walked together.
struct StripColumns {
  const ColumnStrip& strip;
  const Emitter& e;  // in lanes
  Expr column;
  soac::Lambda body;  // of the map, its reduction reading panels
  // Whether all lanes have a column, and whether this lane has; absent: they have.
  Expr all_in_range = {}, in_range = {};
};

// Whether lanes without a column may fold as well what they find in panels: nothing fails, and nothing else
// is read at their column.
bool reads_panels_only(scalar::Arena& arena, const soac::Soac& map, const Nest& nest) {
  soac::Stm reduction = map.body.body[0];
  if (soac::may_fail(reduction)) return false;
  scalar::Substitution substitute(arena, [&](Expr each) {
    const bool is_staged = std::ranges::any_of(nest.stages, [&](const Stage& stage) {
      return schedule::is_shared_by_rows(nest, stage) && stage.read == each;
    });
    return is_staged ? arena.fresh(each.type(), "staged") : Expr();
  });
  soac::substitute_in(reduction, substitute);
  const Var column = map.body.params.back();
  bool only = true;
  soac::for_each_root(reduction, [&](Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr node) {
      const bool is_read_at_column = node.op() == scalar::Op::index && scalar::mentions(node, column);
      const bool may_trap = scalar::is_division(node.op()) && !scalar::is_float(node.kind());
      only = only && !is_read_at_column && !may_trap;
    });
  });
  return only;
}

/// Takes the place of what is staged in a function.
class StagedReads {
 public:
  StagedReads(scalar::Arena& arena, const Nest& nest, const std::vector<Var>& staged)
      : arena_(arena), nest_(nest), staged_(staged) {}
  void add(const Emitter& e, std::size_t number, Expr place) {
    const Stage& stage = nest_.stages[number];
    const Expr array = arena_.fresh_array(stage.read.kind(), {arena_.i64(stage.size)}, "staged");
    e.set_destination(array.var(), {staged_[number], {}});
    e.made(array.var());
    replaced_.emplace_back(stage.read, arena_.index(array, std::span(&place, 1)));
  }
  soac::Lambda in(soac::Lambda body) const {
    scalar::Substitution substitute(arena_, [&](Expr each) {
      const auto found = std::ranges::find(replaced_, each, &std::pair<Expr, Expr>::first);
      return found == replaced_.end() ? Expr() : found->second;
    });
    soac::substitute_in(body, substitute);
    return body;
  }

 private:
  scalar::Arena& arena_;
  const Nest& nest_;
  const std::vector<Var>& staged_;
  std::vector<std::pair<Expr, Expr>> replaced_;
};

/// One task.
class RegisterTiles {
 public:
  RegisterTiles(const Emitter& task, const schedule::Phase& phase)
      : e_(task),
        arena_(task.arena()),
        phase_(phase),
        nest_(std::get<Nest>(phase.walk)),
        map_(std::get<soac::Soac>(phase.computes.op)),
        dims_(task.lower(map_.dims)),
        depth_axis_(nest_.axes.size() - 1),
        partials_(schedule::memory_of_combines(nest_)),
        depth_cuts_(schedule::sizes_of_cuts(nest_, depth_axis_, Unit::sequence)),
        strip_(schedule::sizes_of_cuts(nest_, depth_axis_ - 1, Unit::sequence)[0]) {
    for (const Stage& stage : nest_.stages)
      staged_.push_back(e_.allocate(stage.space, stage.read.kind(), stage.size,
                                    schedule::is_shared_by_rows(nest_, stage) ? "panel" : "rows"));
  }

  void run() {
    Expr rest = e_.context().task;
    columns_ = piece_of_task(e_, nest_, depth_axis_ - 1, rest);
    rows_ = piece_of_task(e_, nest_, depth_axis_ - 2, rest);
    const bool has_outer = depth_axis_ > 2;
    const Interval outer = has_outer ? piece_of_task(e_, nest_, 0, rest) : Interval{};
    depth_ = piece_of_task(e_, nest_, depth_axis_, rest);
    const Expr points = schedule::product(arena_, map_.dims);
    first_ = e_.lower(rest * points);
    has_parts_ = e_.lower(schedule::task_cut(nest_, depth_axis_).size < nest_.axes[depth_axis_].extent);
    if (!has_outer) return tiles({});
    const auto outer_dims = std::span(dims_).first(dims_.size() - 2);
    e_.for_loop(outer.begin, outer.end, arena_.i64(1), "outer",
                [&](Expr point) { tiles(indices_of(e_, point, outer_dims)); });
  }

 private:
  void tiles(const std::vector<Expr>& outer) {
    // Reductions of no points have results, too.
    const Expr end = e_.lower(max(depth_.end, depth_.begin + 1));
    e_.for_loop(depth_.begin, end, e_.lower(depth_cuts_[0]), "from", [&](Expr from) {
      const Expr to = e_.lower(min(from + depth_cuts_[0], depth_.end));
      const soac::Lambda body = with_rows(outer, from, to);
      e_.for_loop(columns_.begin, columns_.end, e_.lower(strip_), "strip", [&](Expr first) {
        const ColumnStrip strip{outer, first, e_.lower(min(first + strip_, columns_.end)), from, to};
        fill_panels(strip);
        walk(strip, body);
      });
    });
  }

  void walk(const ColumnStrip& strip, const soac::Lambda& body) const {
    const auto tiles = [&](const StripColumns& at) {
      at.e.for_loop(rows_.begin, rows_.end, arena_.i64(n_rows()), "i", [&](Expr i) { tile(at, i); });
    };
    if (reads_panels_only(arena_, map_, nest_))
      return steps_of(nest_).in_strips(
          e_, strip.begin, strip.end, [&](const Emitter& lane, Expr t, Expr j, Expr all, Expr in_range) {
            tiles({strip, lane, j, with_panels(strip, lane, t, j, body), all, in_range});
          });
    steps_of(nest_)(e_, strip.begin, strip.end, [&](const Emitter& lane, Expr t, Expr j, Expr) {
      tiles({strip, lane, j, with_panels(strip, lane, t, j, body)});
    });
  }

  std::int64_t n_rows() const { return schedule::size_by(nest_, Unit::registers, 1); }

  Var folded() const { return std::get<soac::Soac>(map_.body.body[0].op).body.params[0]; }

  // What the columns share of some rows, for the points [from, to) of the reduction: lanes lie along these.
  soac::Lambda with_rows(const std::vector<Expr>& outer, Expr from, Expr to) const {
    StagedReads replacement(arena_, nest_, staged_);
    const Expr staged_row = arena_.name(map_.body.params[map_.dims.size() - 2]) - rows_.begin;
    const Expr staged_place = staged_row * depth_cuts_[0] + arena_.name(folded()) - from;
    for (std::size_t k = 0; k < staged_.size(); ++k) {
      if (schedule::is_shared_by_rows(nest_, nest_.stages[k])) continue;
      e_.for_loop(rows_.begin, rows_.end, arena_.i64(1), "i", [&](Expr i) {
        const Expr row = e_.lower((i - rows_.begin) * depth_cuts_[0]);
        const Emitter e = e_.at_element(number(e_, outer, i, columns_.begin));
        steps_of(nest_)(e, from, to, [&](const Emitter& lane, Expr, Expr l, Expr) {
          const Expr value = at_point(lane, nest_.stages[k].read, point_of(outer, i, columns_.begin), l);
          lane.store_plain(staged_[k], lane.lower(row + (l - from)), value);
        });
      });
      replacement.add(e_, k, staged_place);
    }
    return replacement.in(map_.body);
  }

  // Where what the rows share of columns is: those of a step lie side by side for one point of the reduction,
  // those for the next point behind them.
  Expr place_in_panel(const ColumnStrip& strip, const Emitter& lane, Expr t, Expr j, Expr l) const {
    const std::int64_t step = schedule::size_by(nest_, Unit::lane, 1);
    const Expr first = j - t - strip.begin, in_step = first % step;
    const Expr begin = lane.lower((first - in_step) * depth_cuts_[0] + in_step - strip.from * step) + t;
    return begin + l * step;
  }

  // What the rows share of the strip: arrays are read along their rows.
  void fill_panels(const ColumnStrip& strip) const {
    e_.for_loop(strip.from, strip.to, arena_.i64(1), "l", [&](Expr l) {
      steps_of(nest_)(e_, strip.begin, strip.end, [&](const Emitter& lane, Expr t, Expr j, Expr) {
        const std::vector<Expr> first = point_of(strip.outer, rows_.begin, j);
        const Emitter at = lane.at_element(number(lane, strip.outer, rows_.begin, j));
        const Expr place = at.lower(place_in_panel(strip, at, t, j, l));
        for (std::size_t k = 0; k < staged_.size(); ++k)
          if (schedule::is_shared_by_rows(nest_, nest_.stages[k]))
            at.store_plain(staged_[k], place, at_point(at, nest_.stages[k].read, first, l));
      });
    });
  }
  soac::Lambda with_panels(const ColumnStrip& strip, const Emitter& lane, Expr t, Expr j,
                           const soac::Lambda& body) const {
    StagedReads replacement(arena_, nest_, staged_);
    const Expr l = arena_.name(folded()), place = place_in_panel(strip, lane, t, j, l);
    for (std::size_t k = 0; k < staged_.size(); ++k)
      if (schedule::is_shared_by_rows(nest_, nest_.stages[k])) replacement.add(lane, k, place);
    return replacement.in(body);
  }

  static std::vector<Expr> point_of(std::vector<Expr> outer, Expr row, Expr column) {
    outer.push_back(row);
    outer.push_back(column);
    return outer;
  }
  Expr number(const Emitter& e, const std::vector<Expr>& outer, Expr row, Expr column) const {
    return e.lower(linear(e, point_of(outer, row, column), dims_));
  }

  // What several points share, at the first one of the task, which fails where it does.
  Expr at_point(const Emitter& e, Expr operand, std::span<const Expr> indices, Expr l) const {
    std::unordered_map<Var, Expr> values{{folded(), l}};
    for (std::size_t d = 0; d < indices.size(); ++d) values.emplace(map_.body.params[d], indices[d]);
    return e.lower(scalar::substitute(arena_, operand, values));
  }

  /// A row of a tile: its reduction and results, and where its partial results are.
  struct Row {
    Emitter e;
    Expr number;
    soac::Applied at;
    Running::Groups totals;
    const soac::Stm& reduction() const { return at.body[0]; }
    const soac::Soac& op() const { return std::get<soac::Soac>(at.body[0].op); }
  };

  void tile(const StripColumns& at, Expr first_row) const {
    std::vector<Row> rows;
    for (std::int64_t r = 0; r < n_rows(); ++r) {
      const Expr row = r == 0 ? first_row : at.e.lower(min(first_row + r, rows_.end - 1));
      const Expr place = number(at.e, at.strip.outer, row, at.column);
      const Emitter e = at.e.at_element(place);
      soac::Applied body = soac::apply(arena_, at.body, point_of(at.strip.outer, row, at.column));
      Running::Groups totals = start(e, std::get<soac::Soac>(body.body[0].op));
      rows.push_back({e, place, std::move(body), std::move(totals)});
    }
    fold(at.e, rows, at.strip.from, at.strip.to, 1);
    if (!at.in_range) return leave(at.strip, at.e, rows);
    at.e.if_then_else(
        at.all_in_range, [&] { leave(at.strip, at.e, rows); },
        [&] { at.e.if_then(at.in_range, [&] { leave(at.strip, at.e, rows); }); });
  }

  // The points [from, to) of the reductions in pieces of the cut with this number, each folded by
  // accumulators of its own.
  void fold(const Emitter& e, std::vector<Row>& rows, Expr from, Expr to, std::size_t cut) const {
    if (cut == depth_cuts_.size()) {
      e.for_loop(from, to, arena_.i64(1), "l", [&](Expr l) {
        for (const Row& row : rows) point(row.e, row.reduction(), {{l}}, l, {row.totals, {}, 0, {}});
      });
      return;
    }
    const Expr size = e.lower(depth_cuts_[cut]);
    e.for_loop(from, to, size, "chain", [&](Expr first) {
      std::vector<Row> inner = rows;
      for (Row& row : inner) row.totals = start(row.e, row.op());
      fold(e, inner, first, e.lower(min(first + size, to)), cut + 1);
      for (std::size_t r = 0; r < rows.size(); ++r)
        join(rows[r].e, rows[r].op().reductions, rows[r].totals, inner[r].totals, "acc");
    });
  }

  // Joins what the rows have to what they had of the depth before. The last row may be there several times,
  // hence all of them are read before one is stored.
  void leave(const ColumnStrip& strip, const Emitter& e, std::vector<Row>& rows) const {
    e.if_then(e.lower(depth_.begin < strip.from), [&] {
      for (Row& row : rows) {
        const Running::Groups before = restore(row.e, row.op().reductions, partials_, partial_of(row));
        join(row.e, row.op().reductions, before, row.totals, "acc");
        for (std::size_t g = 0; g < before.size(); ++g)
          for (std::size_t k = 0; k < before[g].size(); ++k)
            row.e.assign(row.totals[g][k], row.e.snapshot(before[g][k], "acc"));
      }
    });
    const Expr is_incomplete = e.lower(has_parts_ | (strip.to < depth_.end));
    e.if_then_else(
        is_incomplete,
        [&] {
          for (const Row& row : rows) save(row.e, row.totals, partials_, partial_of(row));
        },
        [&] {
          for (Row& row : rows) results(row);
        });
  }

  Expr partial_of(const Row& row) const { return row.e.lower(first_ + row.number); }

  void results(const Row& row) const {
    std::vector<Expr> totals;
    for (const auto& group : row.totals)
      for (Expr variable : group) totals.push_back(row.e.snapshot(variable, "total"));
    finish(row.e, row.reduction(), totals);
    for (std::size_t k = 0; k < row.at.results.size(); ++k)
      row.e.store(row.e.destination(phase_.computes.names[k]), row.number, row.e.lower(row.at.results[k]));
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const schedule::Phase& phase_;
  const Nest& nest_;
  const soac::Soac& map_;
  const std::vector<Expr> dims_;
  const std::size_t depth_axis_;
  const std::vector<Var> partials_;
  const std::vector<Expr> depth_cuts_;
  const Expr strip_;
  std::vector<Var> staged_;
  Interval columns_, rows_, depth_;
  Expr first_, has_parts_;
};

}  // namespace

void walk_register_tiles(const Emitter& task, const schedule::Phase& phase) {
  RegisterTiles(task, phase).run();
}

}  // namespace fulgurite::walk::lanes
