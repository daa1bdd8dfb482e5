#include "schedule/lanes/lane_arrays.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rows.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

/// What the function of a map keeps for a point.
class Kept {
 public:
  explicit Kept(const Building& at) : at_(at), longest_row_(at.i64(1)) {
    is_for_lanes_ = add(at.op().body, false);
  }

  // Whether lanes can keep it, and change it in loops.
  bool is_for_lanes() const { return is_for_lanes_ && changes_in_loops_; }
  /// The bytes of the largest array.
  Expr largest() const {
    Expr largest;
    for (Expr bytes : sizes_) largest = largest ? max(largest, bytes) : bytes;
    return largest;
  }
  /// The most points that an iteration takes together.
  Expr longest_row() const { return longest_row_; }
  LaneLoops loops() const {
    LaneLoops loops = at_.loops;
    loops.rows = false;
    std::int64_t lanes = std::min<std::int64_t>(at_.lanes.device.vector_bytes / widest_, most_lanes);
    if (reads_in_loops_) lanes = std::min(lanes, at_.lanes.by.lane_array_lines);
    loops.lanes = loops.tail_lanes = static_cast<int>(std::max<std::int64_t>(lanes, 1));
    return loops;
  }

 private:
  // Whether it reads an array at an index of the point.
  bool reads_at_point(Expr root) const {
    bool found = false;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      found |= e.op() == scalar::Op::index && scalar::mentions(e, at_.op().body.params[0]);
    });
    return found;
  }

  bool add(const soac::Lambda& f, bool in_loop) {
    return std::ranges::all_of(f.body, [&](const soac::Stm& s) { return add(s, in_loop); });
  }
  bool add(const soac::Stm& s, bool in_loop) {
    const auto* op = base::as<soac::Soac>(s.op);
    if (base::as<soac::Sort>(s.op) || (op && !op->partitions.empty())) return false;
    if (op && in_loop) {
      if (!at_.around.is_known(op->dims)) return false;
      longest_row_ = max(longest_row_, product(at_.arena, op->dims));
    }
    const auto* loop = base::as<soac::Loop>(s.op);
    if (loop) soac::for_each_root(loop->body, [&](Expr root) { reads_in_loops_ |= reads_at_point(root); });
    for (Var name : s.names) {
      const scalar::VarInfo info = at_.arena.info(name);
      if (info.type.rank == 0) continue;
      if (!at_.around.is_known(info.shape)) return false;
      changes_in_loops_ |= loop != nullptr;
      const auto size = static_cast<std::int64_t>(size_of(info.type.kind));
      widest_ = std::max(widest_, size);
      const Expr bytes = product(at_.arena, info.shape) * size;
      if (std::ranges::find(sizes_, bytes) == sizes_.end()) sizes_.push_back(bytes);
    }
    return std::ranges::all_of(soac::nested_in(s),
                               [&](const auto& nested) { return add(*nested.lambda, in_loop || loop); });
  }

  const Building& at_;
  std::vector<Expr> sizes_;  // of different ones
  Expr longest_row_;
  std::int64_t widest_ = 1;
  bool is_for_lanes_ = false, changes_in_loops_ = false, reads_in_loops_ = false;
};

}  // namespace

LaneArrays lane_arrays_of(const Building& at, Expr otherwise) {
  const soac::Soac& op = at.op();
  if (!at.loops.rows || !lanes_keep_arrays(op) || op.dims.size() != 1) return {};
  if (has_rounding(op.body)) return {};
  const Kept kept(at);
  if (!kept.is_for_lanes()) return {};
  LaneArrays arrays{{}, kept.loops()};
  const std::int64_t lanes = arrays.loops.lanes;
  const Expr fits = kept.largest() * lanes <= at.lanes.by.lane_array_bytes;
  const Expr are_enough = lanes * 2 <= op.dims[0], is_short = kept.longest_row() <= at.lanes.by.lane_row;
  Expr holds = fits & are_enough & is_short;
  if (otherwise) holds = holds & logical_not(otherwise);
  if (!holds.is_constant(0)) arrays.holds = holds;
  return arrays;
}

void add_lane_arrays(Building& at, const LaneArrays& arrays) {
  if (!arrays.holds) return;
  const LaneLoops& loops = arrays.loops;
  Grid tiles = at.grid;
  tiles.columns_per_task = ceil_div(tiles.columns_per_task, at.i64(loops.lanes)) * loops.lanes;
  Nest nest = nest_of(at.arena, at.posting, loops, at.lanes, {&tiles});
  Phase& phase = at.add("arrays in lanes", at.posting, std::move(nest));
  phase.guard = select(arrays.holds, at.i64(1), 0);
  phase.why = reasons_of(at.op(), loops, at.lanes);
  phase.why.emplace_back(why_lane_arrays);
}

}  // namespace fulgurite::schedule
