#include "lower/long_rows.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/slice.h"
#include "soac/rename.h"
#include "walk/points.h"

namespace fulgurite::lower {

namespace {

constexpr std::int64_t few_rows = 64;   // more keep every core busy one by one
constexpr std::int64_t some_tiles = 4;  // in a row that is long

}  // namespace

bool reduces_rows(Launches& launches, const soac::Soac& op) {
  if (!op.reductions.empty() || !op.scatters.empty() || !op.partitions.empty()) return false;
  if (op.body.body.size() != 1) return false;
  const auto* inner = base::as<soac::Soac>(op.body.body[0].op);
  if (!inner || inner->reductions.empty() || schedule::makes_arrays(op.body) ||
      schedule::has_scan(inner->body))
    return false;
  return launches.known_outside(inner->dims);
}

LongRows::LongRows(Frame& frame) : at_(frame), arena_(frame.arena), are_few_(frame.i64(0)) {
  if (!reduces_rows(at_.launches, at_.op)) return;
  body_ = at_.op.body;
  body_.body[0] = schedule::lift_missing_neutral(arena_, body_.body[0]);
  const auto& inner = std::get<soac::Soac>(body_.body[0].op);
  tile_ = at_.i64(at_.policy_of(inner).tile);
  rows_ = at_.launches.product(at_.op.dims);
  columns_ = at_.launches.product(inner.dims);
  tiles_ = at_.launches.ceil_div(columns_, tile_);
  const Expr are_long = arena_.lt(arena_.mul(tile_, at_.i64(some_tiles)), columns_);
  Expr holds = arena_.logical_and(arena_.lt(rows_, at_.i64(few_rows)), are_long);
  are_few_ = arena_.apply(Op::select, {holds, at_.i64(1), at_.i64(0)});
  Expr n = arena_.mul(are_few_, arena_.mul(rows_, tiles_));
  for (const soac::Reduction& r : inner.reductions)
    for (Expr neutral : r.neutral) partials_.push_back(at_.temporary(neutral.kind(), n, "partial"));
}

std::vector<Expr> LongRows::indices_of(const Emitter& e, Expr row) {
  const std::vector<Expr>& dims = at_.op.dims;
  std::vector<Expr> indices(dims.size());
  Expr rest = row;
  for (std::size_t d = dims.size(); d-- > 1;) {
    indices[d] = e.lower(arena_.rem(rest, dims[d]));
    rest = e.lower(arena_.div(rest, dims[d]));
  }
  indices[0] = rest;
  return indices;
}

soac::Applied LongRows::at_row(const Emitter& e, Expr row) {
  return soac::apply(arena_, body_, indices_of(e, row));
}

void LongRows::phases() {
  if (are_few_.is_constant(0)) return;
  at_.phase(arena_.mul(are_few_, arena_.mul(rows_, tiles_)), [&](const Emitter& of_task) {
    const Expr task = of_task.context().task, row = of_task.lower(arena_.div(task, tiles_));
    const Emitter e = of_task.at_element(row);
    const soac::Stm reduction = at_row(e, row).body[0];
    Range range;
    range.is_points = true;
    range.begin = e.lower(arena_.mul(arena_.rem(task, tiles_), tile_));
    range.end = e.lower(arena_.min(arena_.add(range.begin, tile_), columns_));
    const Policy policy = at_.policy_of(std::get<soac::Soac>(reduction.op));
    const Ends ends = block_loop(e, reduction, range, policy);
    for (std::size_t k = 0; k < partials_.size(); ++k) e.store_plain(partials_[k], task, ends.totals[k]);
  });
  at_.phase(arena_.mul(are_few_, rows_), [&](const Emitter& task) {
    const Expr row = task.context().task;
    const Emitter e = task.at_element(row);
    const soac::Applied body = at_row(e, row);
    const auto& reduced = std::get<soac::Soac>(body.body[0].op);
    const Running::Groups so_far = start(e, reduced);
    Expr first = e.lower(arena_.mul(row, tiles_));
    e.for_loop(first, e.lower(arena_.add(first, tiles_)), at_.i64(1), "t", [&](Expr t) {
      std::size_t next = 0;
      for (std::size_t g = 0; g < so_far.size(); ++g) {
        std::vector<Expr> parts;
        for (std::size_t k = 0; k < so_far[g].size(); ++k)
          parts.push_back(e.load_plain(partials_[next++], t, "partial"));
        join(e, reduced.reductions[g], so_far[g], parts);
      }
    });
    std::vector<Expr> totals;
    for (const auto& group : so_far)
      for (Expr variable : group) totals.push_back(e.snapshot(variable, "total"));
    finish(e, body.body[0], totals);
    for (std::size_t k = 0; k < body.results.size(); ++k)
      e.store_plain(at_.s.names[k], row, e.lower(body.results[k]));
  });
}

}  // namespace fulgurite::lower
