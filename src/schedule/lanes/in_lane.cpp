#include "schedule/lanes/in_lane.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/rewrites/slice.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

// Whether neighbouring points of the loop read neighbouring elements, and neighbouring lanes elements that
// are not neighbours.
bool reads_run(scalar::Arena& arena, Expr read, Var lane, Var point) {
  if (!mentions(read, lane)) return false;
  const auto args = read.args();
  for (std::size_t k = 1; k + 1 < args.size(); ++k)
    if (mentions(args[k], point)) return false;
  const auto along = scalar::affine_in(arena, args.back(), point);
  const auto across = scalar::affine_in(arena, args.back(), lane);
  return along && along->coefficient.is_constant(1) && across && !across->coefficient.is_constant(1) &&
         !across->coefficient.is_constant(-1);
}

// The bytes of the narrowest element that it reads so; 0: it reads none.
std::size_t bytes_of_runs(scalar::Arena& arena, const soac::Soac& op, Var lane) {
  std::size_t bytes = 0;
  if (op.dims.size() != 1 || op.reductions.empty() || has_scan(op.body) || makes_arrays(op)) return 0;
  scalar::for_each_node(op.body.results, [&](Expr e) {
    if (e.op() != scalar::Op::index || !reads_run(arena, e, lane, op.body.params[0])) return;
    bytes = bytes == 0 ? size_of(e.kind()) : std::min(bytes, size_of(e.kind()));
  });
  return bytes;
}

void add(scalar::Arena& arena, const soac::Lambda& f, Var lane, const Lanes& lanes,
         std::vector<Inner>& inner) {
  for (const soac::Stm& s : f.body) {
    const auto* op = base::as<soac::Soac>(s.op);
    const std::size_t bytes = op && s.nest != 0 ? bytes_of_runs(arena, *op, lane) : 0;
    constexpr std::int64_t piece = 16;
    const std::int64_t together =
        bytes == 0 ? 0 : std::min(lanes.by.lane_row_steps, piece / static_cast<std::int64_t>(bytes));
    if (together > 1) {
      Nest nest;
      nest.axes.push_back({Axis::Role::fold, 0, 1, op->dims[0]});
      nest.cuts.push_back({0, arena.i64(together), Unit::registers, Tail::apart, together / 2});
      inner.push_back({s.nest, std::move(nest)});
    }
    for (const auto& nested : soac::nested_in(s))
      if (nested.role != soac::Role::operation) add(arena, *nested.lambda, lane, lanes, inner);
  }
}

}  // namespace

std::vector<Inner> in_lane(scalar::Arena& arena, const soac::Soac& op, const Lanes& lanes) {
  std::vector<Inner> inner;
  if (!op.body.params.empty()) add(arena, op.body, op.body.params.back(), lanes, inner);
  return inner;
}

}  // namespace fulgurite::schedule
