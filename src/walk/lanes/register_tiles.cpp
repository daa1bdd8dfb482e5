#include "walk/lanes/register_tiles.h"

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/shared_operands.h"
#include "soac/rename.h"
#include "walk/lanes/pieces.h"
#include "walk/lanes/tile_operands.h"
#include "walk/lanes/tile_results.h"
#include "walk/narrow.h"
#include "walk/phase.h"
#include "walk/points.h"

namespace fulgurite::walk::lanes {

using schedule::Nest, schedule::Stage, schedule::Unit;

namespace {

// The columns that lanes take together, as one step along a strip.
struct StripColumns {
  const ColumnStrip& strip;
  const Emitter& e;       // in lanes
  Expr t, column, first;  // the column of the first lane
  soac::Lambda body;      // of the map; its reduction reads panels
  // Whether all lanes have a column, and whether this lane has one. Absent where all have.
  Expr all_in_range = {}, in_range = {};
};

// Whether lanes without a column may fold whatever panels hold for them: no operation fails, and only panels
// are read at the column.
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
        depth_cuts_(schedule::sizes_of_cuts(nest_, depth_axis_, Unit::sequence)),
        is_mirrored_(nest_.axes[depth_axis_ - 1].mirrored),
        strip_(is_staged() ? schedule::sizes_of_cuts(nest_, depth_axis_ - 1, Unit::sequence)[0] : Expr()),
        operands_(task, nest_, map_, dims_) {}

  void run() {
    Expr rest = e_.context().task;
    columns_ = piece_of_task(e_, nest_, depth_axis_ - 1, rest);
    rows_ = piece_of_task(e_, nest_, depth_axis_ - 2, rest);
    const bool has_outer = depth_axis_ > 2;
    const Interval outer = has_outer ? piece_of_task(e_, nest_, 0, rest) : Interval{};
    depth_ = piece_of_task(e_, nest_, depth_axis_, rest);
    results_.emplace(e_, phase_, depth_, rest);
    if (!has_outer) return tiles({});
    const auto outer_dims = std::span(dims_).first(dims_.size() - 2);
    e_.for_loop(outer.begin, outer.end, arena_.i64(1), "outer",
                [&](Expr point) { tiles(indices_of(e_, point, outer_dims)); });
  }

 private:
  bool is_staged() const { return !nest_.stages.empty(); }

  void tiles(const std::vector<Expr>& outer) {
    if (!is_staged()) {
      const TileRows at{outer, rows_, columns_.begin, words_of(e_, 1, depth_.begin, depth_.end)};
      return walk({at, columns_.begin, columns_.end}, map_.body);
    }
    // The loop runs at least once, as a reduction of no points has a result, too.
    Expr end = max(depth_.end, depth_.begin + 1);
    if (is_mirrored_) end = select(rows_.begin < columns_.end, end, depth_.begin);
    const Expr last = e_.lower(end), step = e_.lower(depth_cuts_[0]);
    e_.for_loop(depth_.begin, last, step, "from", [&](Expr from) {
      const Expr to = e_.lower(min(from + depth_cuts_[0], depth_.end));
      const TileRows at{outer, rows_, columns_.begin, words_of(e_, operands_.together(), from, to)};
      const soac::Lambda body = operands_.with_rows(at);
      const Expr first_of_all = first_strip(), width = e_.lower(strip_);
      e_.for_loop(first_of_all, columns_.end, width, "strip", [&](Expr first) {
        const ColumnStrip strip{at, first, e_.lower(min(first + strip_, columns_.end))};
        operands_.fill_panels(strip);
        walk(strip, body);
      });
    });
  }

  // The first strip with a column that is not before all rows, where others are mirrored.
  Expr first_strip() const {
    if (!is_mirrored_) return columns_.begin;
    const Expr strips = max(rows_.begin - columns_.begin, 0) / strip_;
    return e_.lower(columns_.begin + strips * strip_);
  }

  void walk(const ColumnStrip& strip, const soac::Lambda& body) const {
    const std::int64_t lanes = schedule::size_by(nest_, Unit::lane, 1);
    const auto tiles = [&](const StripColumns& at) {
      const Expr end = is_mirrored_ ? at.e.lower(min(rows_.end, at.first + lanes)) : rows_.end;
      each(at.e, rows_.begin, end, n_rows(), "i", [&](Expr i) { tile(at, i); });
    };
    if (is_staged() && reads_panels_only(arena_, map_, nest_))
      return steps_of(nest_).in_strips(
          e_, strip.begin, strip.end,
          [&](const Emitter& lane, Expr t, Expr j, Expr first, Expr all, Expr in_range) {
            tiles({strip, lane, t, j, first, operands_.with_panels(strip, lane, t, j, body), all, in_range});
          });
    steps_of(nest_)(e_, strip.begin, strip.end,
                    [&](const Emitter& lane, Expr t, Expr j, Expr first, std::int64_t) {
                      tiles({strip, lane, t, j, first, operands_.with_panels(strip, lane, t, j, body)});
                    });
  }

  std::int64_t n_rows() const {
    const std::vector<Expr> sizes = schedule::sizes_of_cuts(nest_, depth_axis_ - 2, Unit::registers);
    return sizes.empty() ? 1 : static_cast<std::int64_t>(sizes[0].bits());
  }

  void tile(const StripColumns& at, Expr first_row) const {
    std::vector<TileRow> rows;
    for (std::int64_t r = 0; r < n_rows(); ++r) {
      const Expr row = r == 0 ? first_row : at.e.lower(min(first_row + r, rows_.end - 1));
      const Expr place = operands_.number(at.e, at.strip.at.outer, row, at.column);
      const Emitter e = at.e.at_element(place);
      soac::Applied body = soac::apply(arena_, at.body, point_of(at.strip.at.outer, row, at.column));
      Running::Groups totals = start(e, std::get<soac::Soac>(body.body[0].op));
      rows.push_back({e, row, place, std::move(body), std::move(totals)});
    }
    const Words& depth = at.strip.at.depth;
    if (depth.together == 1)
      fold(at.e, rows, depth.begin, depth.end, is_staged() ? 1 : 0);
    else
      add_words(at, rows);
    const auto leave = [&] { results_->leave(at.e, depth, rows); };
    if (is_mirrored_) return leave_mirrored(at, first_row, rows);
    if (!at.in_range) return leave();
    at.e.if_then_else(at.all_in_range, leave, [&] { at.e.if_then(at.in_range, leave); });
  }
  // Each row alone: what lies below the diagonal is left by the row above it.
  void leave_mirrored(const StripColumns& at, Expr first_row, const std::vector<TileRow>& rows) const {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::vector<TileRow> alone{rows[r]};
      TileRow& row = alone[0];
      row.is_above = row.row < at.column;
      row.mirror = operands_.number(at.e, at.strip.at.outer, at.column, row.row);
      Expr is_own = row.row <= at.column;
      if (r > 0) is_own = is_own & (first_row + static_cast<std::int64_t>(r) < rows_.end);
      if (at.in_range) is_own = is_own & at.in_range;
      row.e.if_then(row.e.lower(is_own), [&] { results_->leave(row.e, at.strip.at.depth, alone); });
    }
  }

  // Folds the points [from, to) of the reductions in pieces, as the cut with this number says. Each piece has
  // accumulators of its own.
  void fold(const Emitter& e, std::vector<TileRow>& rows, Expr from, Expr to, std::size_t cut) const {
    if (cut == depth_cuts_.size()) return points(e, rows, from, to);
    const Expr size = e.lower(depth_cuts_[cut]);
    e.for_loop(from, to, size, "chain", [&](Expr first) {
      std::vector<TileRow> inner = rows;
      for (TileRow& row : inner) row.totals = start(row.e, row.op());
      fold(e, inner, first, e.lower(min(first + size, to)), cut + 1);
      for (std::size_t r = 0; r < rows.size(); ++r)
        join(rows[r].e, rows[r].op().reductions, rows[r].totals, inner[r].totals, "acc");
    });
  }

  // For each row its reduction, and the accumulators that its points are folded into.
  // Folds the points [from, to), which are fewer than 2^32. From the second one on operators may know more
  // (ascending.h).
  void points(const Emitter& e, const std::vector<TileRow>& rows, Expr from, Expr to) const {
    std::vector<soac::Stm> reductions;
    std::vector<Running> into;
    std::vector<LaterPoints> later;
    bool know_more = false;
    for (const TileRow& row : rows) {
      reductions.push_back(row.reduction());
      into.push_back({row.totals, {}, 0, {}});
      const std::optional<LaterPoints> known = LaterPoints::of(e, row.reduction());
      later.push_back(known ? *known : LaterPoints(e, row.reduction()));
      know_more |= known.has_value();
    }
    const auto take = [&](const auto& stms, const auto& here, Expr first, Expr end) {
      each(e, first, end, 1, "l", [&](Expr l) {
        for (std::size_t r = 0; r < rows.size(); ++r) point(rows[r].e, stms[r], {{l}}, l, here[r]);
      });
    };
    if (know_more) {
      const Expr second = e.lower(min(from + 1, to));
      take(reductions, into, from, second);
      from = second;
    }
    std::vector<LaterPoints::Taken> taken;
    for (std::size_t r = 0; r < rows.size(); ++r) taken.push_back({later[r], from, into[r]});
    LaterPoints::side_by_side(e, taken,
                              [&](const auto& stms, const auto& here) { take(stms, here, from, to); });
  }

  void add_words(const StripColumns& at, std::span<const TileRow> rows) const {
    std::vector<Expr> numbers, sums;
    for (const TileRow& row : rows) {
      numbers.push_back(row.row);
      sums.push_back(row.totals[0][0]);
    }
    operands_.add_words(at.strip, at.e, at.t, at.column, numbers, sums);
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const schedule::Phase& phase_;
  const Nest& nest_;
  const soac::Soac& map_;
  const std::vector<Expr> dims_;
  const std::size_t depth_axis_;
  const std::vector<Expr> depth_cuts_;
  const bool is_mirrored_;
  const Expr strip_;
  const TileOperands operands_;
  Interval columns_, rows_, depth_;
  std::optional<TileResults> results_;
};

}  // namespace

void walk_register_tiles(const Emitter& task, const schedule::Phase& phase) {
  RegisterTiles(task, phase).run();
}

}  // namespace fulgurite::walk::lanes
