#include "walk/lanes/tile_operands.h"

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/shared_operands.h"
#include "soac/rename.h"

namespace fulgurite::walk::lanes {

using schedule::Nest, schedule::Stage, schedule::Unit;

namespace {

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

}  // namespace

TileOperands::TileOperands(const Emitter& task, const Nest& nest, const soac::Soac& map,
                           std::span<const Expr> dims)
    : e_(task),
      arena_(task.arena()),
      nest_(nest),
      map_(map),
      dims_(dims.begin(), dims.end()),
      together_(schedule::terms_together(nest)) {
  if (nest_.stages.empty()) return;
  words_ = schedule::sizes_of_cuts(nest, nest.axes.size() - 1, Unit::sequence)[0];
  if (together_ > 1) words_ = words_ / together_;
  for (const Stage& stage : nest_.stages)
    staged_.push_back(e_.allocate(stage.space, stage.read.kind(), stage.size,
                                  schedule::is_shared_by_rows(nest_, stage) ? "panel" : "rows"));
}

const soac::Soac& TileOperands::reduction() const {
  return std::get<soac::Soac>(map_.body.body[0].op);
}
Var TileOperands::folded() const {
  return reduction().body.params[0];
}

// What the columns share of some rows, for some points of the reduction: lanes lie along these. A last word
// that is short of points is made by itself.
soac::Lambda TileOperands::with_rows(const TileRows& at) const {
  const Words& depth = at.depth;
  StagedReads replacement(arena_, nest_, staged_);
  const Expr staged_row = arena_.name(map_.body.params[map_.dims.size() - 2]) - at.rows.begin;
  const Expr staged_place = staged_row * words_ + arena_.name(folded()) - depth.first;
  for (std::size_t k = 0; k < staged_.size(); ++k) {
    if (schedule::is_shared_by_rows(nest_, nest_.stages[k])) continue;
    if (nest_.stages[k].crosswise) {
      stage_crosswise(at, k);
      const Expr line = (arena_.name(folded()) - depth.first) * (arena_.i64(nest_.stages[k].size) / words_);
      replacement.add(e_, k, line + staged_row);
      continue;
    }
    e_.for_loop(at.rows.begin, at.rows.end, arena_.i64(1), "i", [&](Expr i) {
      const Expr row = e_.lower((i - at.rows.begin) * words_);
      const Emitter e = e_.at_element(number(e_, at.outer, i, at.first_column));
      const OperandAt operand = [&](const Emitter& in, Expr l) {
        return at_point(in, nest_.stages[k].read, point_of(at.outer, i, at.first_column), l);
      };
      const Expr whole = together_ == 1 ? depth.last : e.lower((depth.end - depth.begin) / together_);
      steps_of(nest_)(e, depth.first, whole, [&](const Emitter& lane, Expr, Expr w, Expr, std::int64_t) {
        const Expr value = whole_word(lane, depth, w, operand);
        lane.store_plain(staged_[k], lane.lower(row + (w - depth.first)), value);
      });
      if (together_ == 1) return;
      e.if_then(e.lower(whole < depth.last), [&] {
        const Expr value = word(e, parts_of_word(e, depth, whole, nest_.stages[k].read.kind()), operand);
        e.store_plain(staged_[k], e.lower(row + whole), value);
      });
    });
    replacement.add(e_, k, staged_place);
  }
  return replacement.in(map_.body);
}

// For one point of the reduction after the other, with lanes along the rows.
void TileOperands::stage_crosswise(const TileRows& at, std::size_t number_of_stage) const {
  const Stage& stage = nest_.stages[number_of_stage];
  e_.for_loop(at.depth.first, at.depth.last, arena_.i64(1), "l", [&](Expr l) {
    const Expr line = e_.lower((l - at.depth.first) * (arena_.i64(stage.size) / words_) - at.rows.begin);
    steps_of(nest_)(e_, at.rows.begin, at.rows.end,
                    [&](const Emitter& lane, Expr, Expr i, Expr, std::int64_t) {
                      const Emitter e = lane.at_element(number(lane, at.outer, i, at.first_column));
                      const Expr value = at_point(e, stage.read, point_of(at.outer, i, at.first_column), l);
                      e.store_plain(staged_[number_of_stage], e.lower(line + i), value);
                    });
  });
}

// The place in the panel of an operand that the rows share. For one point of the reduction the columns of a
// step lie side by side; the columns of the next point come after them.
Expr TileOperands::place_in_panel(const ColumnStrip& strip, const Emitter& lane, Expr t, Expr j,
                                  Expr word) const {
  const std::int64_t step = schedule::size_by(nest_, Unit::lane, 1);
  const Expr first = j - t - strip.begin, in_step = first % step;
  const Expr begin = lane.lower((first - in_step) * words_ + in_step - strip.at.depth.first * step) + t;
  return begin + word * step;
}

// What the rows share of the strip: arrays are read along their rows.
void TileOperands::fill_panels(const ColumnStrip& strip) const {
  const Kind kind = reduction().body.results[0].kind();
  e_.for_loop(strip.at.depth.first, strip.at.depth.last, arena_.i64(1), "l", [&](Expr w) {
    const WordParts parts = parts_of_word(e_, strip.at.depth, w, kind);
    steps_of(nest_)(e_, strip.begin, strip.end, [&](const Emitter& lane, Expr t, Expr j, Expr, std::int64_t) {
      const std::vector<Expr> first = point_of(strip.at.outer, strip.at.rows.begin, j);
      const Emitter at = lane.at_element(number(lane, strip.at.outer, strip.at.rows.begin, j));
      const Expr place = at.lower(place_in_panel(strip, at, t, j, w));
      for (std::size_t k = 0; k < staged_.size(); ++k)
        if (schedule::is_shared_by_rows(nest_, nest_.stages[k]))
          at.store_plain(staged_[k], place, word(at, parts, [&](const Emitter& in, Expr l) {
                           return at_point(in, nest_.stages[k].read, first, l);
                         }));
    });
  });
}
soac::Lambda TileOperands::with_panels(const ColumnStrip& strip, const Emitter& lane, Expr t, Expr j,
                                       const soac::Lambda& body) const {
  if (staged_.empty()) return body;
  StagedReads replacement(arena_, nest_, staged_);
  const Expr l = arena_.name(folded()), place = place_in_panel(strip, lane, t, j, l);
  for (std::size_t k = 0; k < staged_.size(); ++k)
    if (schedule::is_shared_by_rows(nest_, nest_.stages[k])) replacement.add(lane, k, place);
  return replacement.in(body);
}

std::vector<Expr> point_of(std::vector<Expr> outer, Expr row, Expr column) {
  outer.push_back(row);
  outer.push_back(column);
  return outer;
}
Expr TileOperands::number(const Emitter& e, const std::vector<Expr>& outer, Expr row, Expr column) const {
  return e.lower(linear(e, point_of(outer, row, column), dims_));
}

// What several points share, at the first one of the task, which fails where it does.
Expr TileOperands::at_point(const Emitter& e, Expr operand, std::span<const Expr> indices, Expr l) const {
  std::unordered_map<Var, Expr> values{{folded(), l}};
  for (std::size_t d = 0; d < indices.size(); ++d) values.emplace(map_.body.params[d], indices[d]);
  return e.lower(scalar::substitute(arena_, operand, values));
}

void TileOperands::add_words(const ColumnStrip& strip, const Emitter& lane, Expr t, Expr column,
                             std::span<const Expr> rows, std::span<const Expr> sums) const {
  const schedule::PackedTerms terms = *schedule::packed_terms(arena_, reduction(), together_);
  const std::size_t panel = schedule::is_shared_by_rows(nest_, nest_.stages[0]) ? 0 : 1;
  const bool is_row_first = nest_.stages[panel].read == terms.second;
  std::vector<Expr> begins;
  for (Expr row : rows) begins.push_back(lane.lower((row - strip.at.rows.begin) * words_));
  const Words& depth = strip.at.depth;
  lane.for_loop(depth.first, depth.last, arena_.i64(1), "l", [&](Expr w) {
    const Expr place = lane.lower(place_in_panel(strip, lane, t, column, w));
    const Expr of_columns = lane.load_plain(staged_[panel], place, "panel");
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Expr of_row = lane.load_plain(staged_[1 - panel], lane.lower(begins[r] + w), "row");
      const Expr first = is_row_first ? of_row : of_columns, second = is_row_first ? of_columns : of_row;
      const Expr before = lane.snapshot(sums[r], "acc");
      lane.assign(sums[r], lane.bind(arena_.apply(terms.step, {first, second, before}), "acc"));
    }
  });
}

}  // namespace fulgurite::walk::lanes
