#include "schedule/rows.h"

#include <algorithm>
#include <functional>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/rounding.h"
#include "schedule/rewrites/scanned.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

// Whether the variable is in the index itself, not only in that of an element it contains: starts[row] + j
// moves along j.
bool moves_along(Expr index, Var var) {
  if (index.is_name()) return index.var() == var;
  if (index.op() == scalar::Op::index) return false;
  const auto args = index.args();
  return std::ranges::any_of(args, [&](Expr arg) { return moves_along(arg, var); });
}

// Whether the element that is read is another one at each point of the map and of the reduction inside, at
// neighbouring places along the map's last axis, and far apart along that of the reduction.
bool is_in_rows(const Surroundings& at, Expr read, const soac::Soac& map, Var row) {
  const auto args = read.args();
  for (std::size_t d = 0; d < map.dims.size(); ++d)
    if (!map.dims[d].is_constant(1) && !mentions(read, map.body.params[d])) return false;
  if (!mentions(read, row)) return false;
  const Var column = map.body.params.back();
  const auto is_of_map = [&](Expr index) {
    return std::ranges::any_of(map.body.params, [&](Var param) { return mentions(index, param); });
  };
  for (std::size_t k = 1; k + 1 < args.size(); ++k)
    if (mentions(args[k], column) || (mentions(args[k], row) && is_of_map(args[k]))) return false;
  const auto along = scalar::affine_in(at.arena, args.back(), column);
  const auto across = scalar::affine_in(at.arena, args.back(), row);
  const std::int64_t far = at.policy.lanes.fold_distance;
  if (!along || !along->coefficient.is_constant(1) || !across) return false;
  if (!across->coefficient.is_constant()) return true;
  const auto step = static_cast<std::int64_t>(across->coefficient.bits());
  return step == 0 || step <= -far || far <= step;
}

}  // namespace

bool folds_outside(const Surroundings& at, const soac::Soac& op) {
  if (op.dims.empty() || !reduces_or_places_rows(at, op)) return false;
  const auto& inner = std::get<soac::Soac>(op.body.body[0].op);
  if (inner.dims.size() != 1 || makes_arrays(op)) return false;
  bool found = false;
  scalar::for_each_node(inner.body.results, [&](Expr e) {
    found = found || (e.op() == scalar::Op::index && is_in_rows(at, e, op, inner.body.params[0]));
  });
  return found;
}

bool scans_outside(const Surroundings& at, scalar::Arena& arena, const soac::Stm& s) {
  const auto& op = std::get<soac::Soac>(s.op);
  if (op.axes_behind == 0 || op.body.body.size() != 1) return false;
  if (!op.reductions.empty() || !op.scatters.empty() || !op.partitions.empty()) return false;
  const soac::Stm& lines = op.body.body[0];
  const auto* inner = base::as<soac::Soac>(lines.op);
  if (!inner || inner->dims.size() != 1 || !at.is_known(inner->dims) || !has_scan(inner->body)) return false;
  if (!inner->scatters.empty() || !inner->partitions.empty() || makes_arrays(inner->body)) return false;
  if (!scans_in_runs(arena, *inner)) return false;
  for (std::size_t g = 0; g < inner->reductions.size(); ++g)
    if (scan_like(arena, lines, g) < 0) return false;
  return std::ranges::all_of(op.body.results, [&](Expr result) {
    return result.type().rank == 0 || (result.is_name() && soac::mapped_result(lines, result.var()));
  });
}

bool reduces_rows(const Surroundings& at, const soac::Soac& op) {
  return op.scatters.empty() && reduces_or_places_rows(at, op);
}

bool reduces_or_places_rows(const Surroundings& at, const soac::Soac& op) {
  if (!op.reductions.empty() || !op.partitions.empty()) return false;
  if (!std::ranges::all_of(op.scatters, &soac::Scatter::stores_in_any_order)) return false;
  if (op.body.body.size() != 1) return false;
  const auto* inner = base::as<soac::Soac>(op.body.body[0].op);
  if (!inner || inner->reductions.empty() || makes_arrays(op.body) || has_scan(inner->body)) return false;
  return at.is_known(inner->dims);
}

bool reads_along_rows(const soac::Soac& soac) {
  if (makes_arrays(soac)) return true;
  if (soac.body.params.empty()) return false;
  int along_inner = 0, along_outer = 0;
  std::function<void(const soac::Lambda&, const soac::Soac&)> reads = [&](const soac::Lambda& f,
                                                                          const soac::Soac& inner) {
    scalar::for_each_node(f.results, [&](Expr e) {
      if (e.op() != scalar::Op::index || inner.body.params.empty()) return;
      const Var j = inner.body.params.back();
      if (!mentions(e, j)) return;  // once for each outer point
      along_inner += moves_along(e.args().back(), j);
      along_outer += moves_along(e.args().back(), soac.body.params.back());
    });
    for (const soac::Stm& s : f.body)
      if (auto* deeper = base::as<soac::Soac>(s.op)) reads(deeper->body, inner);
  };
  for (const soac::Stm& s : soac.body.body)
    if (auto* inner = std::get_if<soac::Soac>(&s.op))
      if (commutes(*inner)) reads(inner->body, *inner);
  return along_inner > along_outer;
}

Expr longest_row(scalar::Arena& arena, const soac::Lambda& f) {
  Expr longest = arena.i64(1);
  for (const soac::Stm& s : f.body)
    for (const auto& nested : soac::nested_in(s)) {
      if (nested.role == soac::Role::operation) continue;
      Expr points = longest_row(arena, *nested.lambda);
      if (const auto* op = base::as<soac::Soac>(s.op)) points = product(arena, op->dims) * points;
      longest = max(longest, points);
    }
  return longest;
}

Expr longest_sum(scalar::Arena& arena, const soac::Lambda& f) {
  Expr longest = arena.i64(0);
  const auto take = [&](Expr n) {
    longest = longest.is_constant(0) ? n : n.is_constant(0) ? longest : max(longest, n);
  };
  for (const soac::Stm& s : f.body) {
    const auto* op = base::as<soac::Soac>(s.op);
    if (op && any_rounds(*op)) take(product(arena, op->dims));
    for (const auto& nested : soac::nested_in(s)) take(longest_sum(arena, *nested.lambda));
  }
  return longest;
}

bool has_even_rows(const soac::Soac& op) {
  soac::Vars inside;
  soac::add_bound(op.body, inside);
  return std::ranges::all_of(op.body.body, [&](const soac::Stm& s) {
    const auto* row = base::as<soac::Soac>(s.op);
    if (!row) return soac::nested_in(s).empty();
    soac::Vars mentioned;
    soac::add_mentioned(row->dims, mentioned);
    if (std::ranges::any_of(mentioned, [&](scalar::Var v) { return inside.contains(v); })) return false;
    return std::ranges::none_of(row->body.body,
                                [](const soac::Stm& deeper) { return !soac::nested_in(deeper).empty(); });
  });
}

namespace {

// The values that operators of reductions inside take together, at most, and the bytes of the narrowest one.
void add_operands(const soac::Lambda& f, std::size_t& most, std::size_t& bytes) {
  for (const soac::Stm& s : f.body)
    if (const auto* op = base::as<soac::Soac>(s.op)) {
      for (const soac::Reduction& r : op->reductions) {
        most = std::max(most, r.neutral.size());
        for (Expr x : r.neutral) bytes = std::min(bytes, size_of(x.kind()));
      }
      add_operands(op->body, most, bytes);
    }
}

}  // namespace

std::int64_t most_in_lane(scalar::Arena& arena, const soac::Soac& op, const LanesPolicy& by) {
  std::size_t most = 0, bytes = 8;
  add_operands(op.body, most, bytes);
  if (most == 1 || !longest_sum(arena, op.body).is_constant(0)) return std::min(by.lane_row, by.fold_chain);
  return most > 1 && bytes <= 4 ? 2 * by.lane_row : by.lane_row;
}

bool has_tuples(const soac::Soac& row) {
  return std::ranges::any_of(row.reductions, [](const auto& r) { return r.neutral.size() > 1; });
}

}  // namespace fulgurite::schedule
