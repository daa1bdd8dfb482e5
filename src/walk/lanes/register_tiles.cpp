#include "walk/lanes/register_tiles.h"

#include <algorithm>

#include "schedule/nest.h"
#include "soac/rename.h"
#include "walk/lanes/pieces.h"
#include "walk/phase.h"
#include "walk/points.h"

namespace fulgurite::walk::lanes {

using schedule::Nest, schedule::Stage, schedule::Unit;

namespace {

// Where a strip of columns is, and the part of the depth for which it is walked.
struct Strip {
  const Emitter& e;  // in lanes
  std::vector<Expr> outer;
  Expr t, column;
  Expr in_range;  // whether the lane has a column; absent: it has
  Expr from, to;
  soac::Lambda body;  // of the map, its reduction reading panels

  void where_there_is_a_column(const std::function<void()>& then) const {
    in_range ? e.if_then(in_range, then) : then();
  }
};

// Whether lanes without a column may fold as well what they find in panels: nothing fails, and nothing else
// is read at their column.
bool reads_panels_only(const soac::Lambda& body) {
  const soac::Stm& reduction = body.body[0];
  if (soac::may_fail(reduction)) return false;
  const Var column = body.params.back();
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
        depth_cuts_(schedule::sizes_of_cuts(nest_, depth_axis_, Unit::sequence)) {
    for (const Stage& stage : nest_.stages)
      staged_.push_back(
          e_.allocate(stage.space, stage.read.kind(), stage.size, is_panel(stage) ? "panel" : "rows"));
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
      steps_of(nest_).in_strips(e_, columns_.begin, columns_.end,
                                [&](const Emitter& lane, Expr t, Expr j, Expr in_range) {
                                  walk({lane, outer, t, j, in_range, from, to, {}}, body);
                                });
    });
  }

  void walk(Strip strip, const soac::Lambda& body) const {
    const auto tiles = [&] {
      strip.e.for_loop(rows_.begin, rows_.end, arena_.i64(n_rows()), "i", [&](Expr i) { tile(strip, i); });
    };
    strip.where_there_is_a_column([&] { strip.body = with_panels(strip, body); });
    if (reads_panels_only(strip.body)) return tiles();
    strip.where_there_is_a_column(tiles);
  }

  std::int64_t n_rows() const { return schedule::size_by(nest_, Unit::registers, 1); }

  bool is_panel(const Stage& stage) const { return nest_.cuts[stage.at].unit == Unit::lane; }

  /// Takes the place of what is staged in a function.
  class Replacement {
   public:
    Replacement(const RegisterTiles& of, std::int64_t lanes) : of_(of), lanes_(lanes) {}
    void add(const Emitter& e, std::size_t number, Expr row, Expr column) {
      scalar::Arena& arena = of_.arena_;
      const Stage& stage = of_.nest_.stages[number];
      const Expr shape[] = {arena.i64(stage.size / lanes_), arena.i64(lanes_)}, place[] = {row, column};
      const Expr array = arena.fresh_array(stage.read.kind(), {shape[0], shape[1]}, "staged");
      e.set_destination(array.var(), {of_.staged_[number], {}});
      e.made(array.var());
      replaced_.emplace_back(stage.read, arena.index(array, place));
    }
    soac::Lambda in(soac::Lambda body) const {
      scalar::Substitution substitute(of_.arena_, [&](Expr each) {
        const auto found = std::ranges::find(replaced_, each, &std::pair<Expr, Expr>::first);
        return found == replaced_.end() ? Expr() : found->second;
      });
      soac::substitute_in(body, substitute);
      return body;
    }

   private:
    const RegisterTiles& of_;
    const std::int64_t lanes_;
    std::vector<std::pair<Expr, Expr>> replaced_;
  };

  Var folded() const { return std::get<soac::Soac>(map_.body.body[0].op).body.params[0]; }
  Expr row_index() const { return arena_.name(map_.body.params[map_.dims.size() - 2]); }

  // What the columns share of some rows, for the points [from, to) of the reduction: lanes lie along these.
  soac::Lambda with_rows(const std::vector<Expr>& outer, Expr from, Expr to) const {
    const auto depth = static_cast<std::int64_t>(depth_cuts_[0].bits());
    Replacement replacement(*this, depth);
    for (std::size_t k = 0; k < staged_.size(); ++k) {
      if (is_panel(nest_.stages[k])) continue;
      e_.for_loop(rows_.begin, rows_.end, arena_.i64(1), "i", [&](Expr i) {
        const Expr row = e_.lower((i - rows_.begin) * depth);
        const Emitter e = e_.at_element(number(e_, outer, i, columns_.begin));
        steps_of(nest_)(e, from, to, [&](const Emitter& lane, Expr, Expr l) {
          const Expr value = at_point(lane, nest_.stages[k].read, point_of(outer, i, columns_.begin), l);
          lane.store_plain(staged_[k], lane.lower(row + (l - from)), value);
        });
      });
      const Expr row = row_index() - rows_.begin, l = arena_.name(folded()) - from;
      replacement.add(e_, k, row, l);
    }
    return replacement.in(map_.body);
  }

  // What the rows share of the strip.
  soac::Lambda with_panels(const Strip& strip, const soac::Lambda& body) const {
    const Emitter& e = strip.e;
    const std::int64_t lanes = schedule::size_by(nest_, Unit::lane, 1);
    Replacement replacement(*this, lanes);
    const std::vector<Expr> first = point_of(strip.outer, rows_.begin, strip.column);
    const Emitter at = e.at_element(number(e, strip.outer, rows_.begin, strip.column));
    e.for_loop(strip.from, strip.to, arena_.i64(1), "l", [&](Expr l) {
      const Expr row = e.lower((l - strip.from) * lanes);
      for (std::size_t k = 0; k < staged_.size(); ++k)
        if (is_panel(nest_.stages[k])) {
          const Expr place = at.lower(row + strip.t);
          at.store_plain(staged_[k], place, at_point(at, nest_.stages[k].read, first, l));
        }
    });
    for (std::size_t k = 0; k < staged_.size(); ++k)
      if (is_panel(nest_.stages[k])) replacement.add(e, k, arena_.name(folded()) - strip.from, strip.t);
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

  void tile(const Strip& strip, Expr first_row) const {
    std::vector<Row> rows;
    for (std::int64_t r = 0; r < n_rows(); ++r) {
      const Expr row = r == 0 ? first_row : strip.e.lower(min(first_row + r, rows_.end - 1));
      const Expr at = number(strip.e, strip.outer, row, strip.column);
      const Emitter e = strip.e.at_element(at);
      soac::Applied body = soac::apply(arena_, strip.body, point_of(strip.outer, row, strip.column));
      Running::Groups totals = start(e, std::get<soac::Soac>(body.body[0].op));
      rows.push_back({e, at, std::move(body), std::move(totals)});
    }
    fold(strip.e, rows, strip.from, strip.to, 1);
    strip.where_there_is_a_column([&] { leave(strip, rows); });
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
  void leave(const Strip& strip, std::vector<Row>& rows) const {
    const Emitter& e = strip.e;
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
  std::vector<Var> staged_;
  Interval columns_, rows_, depth_;
  Expr first_, has_parts_;
};

}  // namespace

void walk_register_tiles(const Emitter& task, const schedule::Phase& phase) {
  RegisterTiles(task, phase).run();
}

}  // namespace fulgurite::walk::lanes
