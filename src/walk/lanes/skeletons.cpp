#include "walk/lanes/skeletons.h"

#include <algorithm>

#include "parts/neighbours.h"
#include "schedule/rewrites/slice.h"
#include "soac/rename.h"
#include "walk/control.h"
#include "walk/lanes/counts.h"
#include "walk/operators.h"

namespace fulgurite::walk::lanes {

// The values of one Scan are computed together.
void start_chain(const Emitter& e, const schedule::Launch&, const schedule::Phase& phase) {
  const schedule::Skeleton& start = skeleton_of(phase);
  const std::span results(std::get<soac::Soac>(phase.computes.op).body.results);
  const Expr zero = e.arena().i64(0);
  std::size_t next = 0;
  for (const schedule::Skeleton::Number& together : start.numbers) {
    const auto n = static_cast<std::size_t>(together.value);
    const std::vector<Expr> values = e.lower(results.subspan(next, n));
    for (std::size_t k = 0; k < n; ++k) e.store_plain(start.memory[next + k], zero, values[k]);
    next += n;
  }
}

void carry(const Emitter& e, const schedule::Launch&, const schedule::Phase& phase) {
  scalar::Arena& arena = e.arena();
  const auto& op = std::get<soac::Soac>(phase.computes.op);
  const std::vector<Var>& memory = skeleton_of(phase).memory;
  const Expr zero = arena.i64(0), one = arena.i64(1);
  std::size_t next = 0;
  for (const soac::Stm* scan : schedule::scans_of(op.body)) {
    const soac::Reduction& r = std::get<soac::Scan>(scan->op).reduction;
    std::vector<Expr> so_far;
    for (Expr first : e.lower(schedule::first_of(*scan))) so_far.push_back(e.declare(first, "so_far"));
    const std::span<const Var> partials(memory.data() + next, so_far.size());
    next += so_far.size();
    const auto exchange = [&](Expr t) {
      for (std::size_t k = 0; k < so_far.size(); ++k)
        e.store_plain(partials[k], t, e.snapshot(so_far[k], "so_far"));
    };
    const Expr last = e.lower(op.dims[0] - one);
    e.for_loop(zero, last, one, "t", [&](Expr t) {
      std::vector<Expr> partial;
      for (Var array : partials) partial.push_back(e.load_plain(array, t, "partial"));
      exchange(t);
      join(e, r, so_far, partial);
    });
    exchange(last);
  }
}

void count(const Emitter& e, const schedule::Launch&, const schedule::Phase& phase) {
  const auto& op = std::get<soac::Soac>(phase.computes.op);
  const std::vector<Var>& memory = skeleton_of(phase).memory;
  const Var counts = memory[0], offsets = memory[1], all = memory[2];
  const Expr kept = count_off(e, {counts, {}}, op.dims[1], op.dims[0], {offsets, {}});
  e.store_plain(all, e.arena().i64(0), kept);
}

void join_partials(const Emitter& e, const schedule::Launch&, const schedule::Phase& phase) {
  scalar::Arena& arena = e.arena();
  const auto& over = std::get<soac::Soac>(phase.computes.op);
  const std::vector<Var>& partials = skeleton_of(phase).memory;
  const Expr n = e.lower(over.dims[0]), zero = arena.i64(0);
  parts::join_neighbours(e, walk::operators_of(e, over.reductions), partials, n);
  std::vector<Expr> totals;
  for (const auto& group : start(e, over)) totals.insert(totals.end(), group.begin(), group.end());
  e.if_then(e.lower(zero < n), [&] {
    for (std::size_t k = 0; k < totals.size(); ++k)
      e.assign(totals[k], e.load_plain(partials[k], zero, "total"));
  });
  for (Expr& total : totals) total = e.snapshot(total, "total");
  // Names of the launch's own, for the statement's are bound outside of the kernel.
  soac::Stm joined{{}, over, phase.computes.where, phase.computes.origin};
  for (Var name : phase.computes.names)
    joined.names.push_back(arena.fresh({arena.info(name).type.kind}, "total").var());
  finish(e, joined, totals);
  for (std::size_t k = 0; k < partials.size(); ++k)
    e.store_plain(partials[k], zero, e.lower(arena.name(joined.names[k])));
}

void join_tiles(const Emitter& task, const schedule::Launch&, const schedule::Phase& phase) {
  scalar::Arena& arena = task.arena();
  const auto& map = std::get<soac::Soac>(phase.computes.op);
  const std::vector<Var>& partials = skeleton_of(phase).memory;
  const Expr row = task.context().task;
  const Emitter e = task.at_element(row);
  const soac::Applied body = soac::apply(arena, map.body, indices_of(e, row, map.dims));
  const auto& reduced = std::get<soac::Soac>(body.body[0].op);
  const Expr tiles = reduced.dims[0];
  const Running::Groups so_far = start(e, reduced);
  const Expr first = e.lower(row * tiles);
  e.for_loop(first, e.lower(first + tiles), arena.i64(1), "t",
             [&](Expr t) { join(e, reduced.reductions, so_far, partials, t, "partial"); });
  std::vector<Expr> totals;
  for (const auto& group : so_far)
    for (Expr variable : group) totals.push_back(e.snapshot(variable, "total"));
  finish(e, body.body[0], totals);
  leave_results(e, phase.computes, body.results, row);
}

}  // namespace fulgurite::walk::lanes
