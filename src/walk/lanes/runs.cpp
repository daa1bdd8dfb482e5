#include "walk/lanes/runs.h"

#include <algorithm>

#include "schedule/rewrites/lift.h"
#include "soac/rename.h"
#include "walk/control.h"

namespace fulgurite::walk::lanes {

using kernel::Level;

Runs::Runs(const Emitter& e, const soac::Soac& soac, const schedule::LaneLoops& loops)
    : e_(e), arena_(e.arena()), loops_(loops) {
  std::size_t next = 0;
  for (const soac::Reduction& r : soac.reductions) {
    const std::size_t n = r.op.results.size();
    add(r, std::span(soac.body.results).subspan(next, n));
    next += n;
  }
}

void Runs::add(const soac::Reduction& r, std::span<const Expr> operands) {
  Group& group = groups_.emplace_back();
  for (Expr constant : schedule::constant_components(arena_, r, operands)) {
    group.components.push_back({{}, constant});
    if (constant) group.starts_with_neutral = false;
  }
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (Component& c = group.components[k]; !c.constant)
      c.shared = e_.allocate_shared(operands[k].kind(), loops_.run_lanes);
}

Expr Runs::fold(const soac::Soac& piece, Expr begin, Expr end, const Running::Groups& so_far,
                const Point& point) {
  auto i64 = [&](std::int64_t value) { return arena_.i64(value); };
  const Expr lanes = i64(loops_.run_lanes), zero = i64(0);
  const Expr step = i64(static_cast<std::int64_t>(loops_.run_lanes) * loops_.run_steps);
  const Expr whole = max(end - begin, zero) / step * step;
  const Expr stop = e_.lower(begin + whole);
  e_.for_loop(begin, stop, i64(loops_.run_lanes * loops_.run), "from", [&](Expr from) {
    const Expr left = (stop - from) / lanes;
    fold_runs(piece, from, e_.lower(min(left, loops_.run)), loops_.run_steps, so_far, point);
  });
  // What is less than a round of steps, point by point.
  const Expr length = e_.lower(max(end - stop, zero) / lanes);
  e_.if_then(e_.bind(zero < length, "some"), [&] { fold_runs(piece, stop, length, 1, so_far, point); });
  return e_.lower(stop + length * lanes);
}

// A run of `length` points for each lane, the first from `from` on.
void Runs::fold_runs(const soac::Soac& piece, Expr from, Expr length, int steps,
                     const Running::Groups& so_far, const Point& point) {
  const Expr lanes = arena_.i64(loops_.run_lanes);
  const Emitter in_lane = e_.in_lanes();
  in_lane.par(Level::block, lanes, "t", [&](Expr t) {
    const Expr start = in_lane.bind(from + t * length, "start");
    lane(in_lane, piece, start, length, steps, t, point);
  });
  e_.for_loop(arena_.i64(0), lanes, arena_.i64(1), "t", [&](Expr t) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::vector<Expr> values;
      for (const Component& c : groups_[g].components)
        values.push_back(c.constant ? c.constant : e_.load_plain(c.shared, t, "total"));
      walk::join(e_, piece.reductions[g], so_far[g], values);
    }
  });
}

void Runs::lane(const Emitter& e, const soac::Soac& piece, Expr start, Expr length, int n_steps, Expr t,
                const Point& point) {
  const Expr zero = arena_.i64(0), one = arena_.i64(1), steps = arena_.i64(n_steps);
  Running::Groups acc;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    acc.emplace_back();
    for (std::size_t k = 0; k < groups_[g].components.size(); ++k) {
      const Component& c = groups_[g].components[k];
      const Expr neutral = e.lower(piece.reductions[g].neutral[k]);
      acc.back().push_back(c.constant ? c.constant : e.declare(neutral, "acc"));
    }
  }
  const bool knows_first =
      std::ranges::any_of(groups_, [](const Group& g) { return !g.starts_with_neutral; });
  e.for_loop(zero, length, steps, "at", [&](Expr at) {
    e.for_loop(zero, steps, one, "k", [&](Expr k) {
      const Expr step = e.bind(at + k, "step");
      const Expr is_first = knows_first ? e.bind(equal(step, zero), "is_first") : Expr();
      const Expr j = e.bind(start + step, "j");
      point(e, j, [&](const Emitter& at_point, std::span<const Expr> indices) {
        const soac::Applied body = soac::apply(arena_, piece.body, indices);
        statements(at_point, body.body);
        const std::vector<Expr> operands = walk::operands(at_point, body.results);
        std::size_t next = 0;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
          const std::size_t n = groups_[g].components.size();
          join(at_point, piece.reductions[g], groups_[g], acc[g], is_first,
               std::span(operands).subspan(next, n));
          next += n;
        }
      });
    });
  });
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t k = 0; k < acc[g].size(); ++k)
      if (const Component& c = groups_[g].components[k]; !c.constant)
        e.store_plain(c.shared, t, e.snapshot(acc[g][k], "acc"));
}

// acc = is_first ? operands : op(acc, operands)
void Runs::join(const Emitter& e, const soac::Reduction& r, const Group& group, const std::vector<Expr>& acc,
                Expr is_first, std::span<const Expr> operands) {
  auto assign = [&](std::span<const Expr> values) {
    for (std::size_t k = 0; k < acc.size(); ++k)
      if (!group.components[k].constant) e.assign(acc[k], values[k]);
  };
  auto joined = [&] {
    std::vector<Expr> args;
    for (std::size_t k = 0; k < acc.size(); ++k)
      args.push_back(group.components[k].constant ? acc[k] : e.snapshot(acc[k], "acc"));
    args.insert(args.end(), operands.begin(), operands.end());
    assign(apply(e, r.op, args));
  };
  if (group.starts_with_neutral) return joined();
  e.if_then_else(is_first, [&] { assign(e.lower(operands)); }, joined);
}

}  // namespace fulgurite::walk::lanes
