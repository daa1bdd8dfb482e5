#include "walk/sequential.h"

#include <algorithm>

#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/slice.h"
#include "soac/kept_indices.h"
#include "soac/literal.h"
#include "walk/arrays.h"
#include "walk/narrow.h"
#include "walk/points.h"

namespace fulgurite::walk {

namespace {

std::vector<Expr> snapshots_of(const Emitter& e, const soac::Stm& s, const Running::Groups& reductions) {
  std::vector<Expr> totals;
  for (const auto& group : reductions)
    for (Expr variable : group)
      totals.push_back(e.snapshot(variable, e.arena().info(s.names[totals.size()]).name));
  return totals;
}

/// The points of a reduction, folded in pieces by accumulators of their own as the cuts of a nest say.
class Chains {
 public:
  Chains(const Emitter& e, const soac::Stm& s, const std::vector<Expr>& dims, const schedule::Nest& nest)
      : e_(e), s_(s), dims_(dims), sizes_(dims.size()) {
    for (const schedule::Cut& cut : nest.cuts) sizes_[nest.axes[cut.axis].first].push_back(e.lower(cut.size));
  }

  void fold(const Running::Groups& into) { pieces(0, e_.arena().i64(0), dims_[0], into); }

 private:
  const soac::Soac& op() const { return std::get<soac::Soac>(s_.op); }

  // The axes from that of `indices_` on.
  void pieces(std::size_t level, Expr from, Expr to, const Running::Groups& into) {
    const std::vector<Expr>& sizes = sizes_[indices_.size()];
    if (level == sizes.size()) return points(from, to, into);
    e_.for_loop(from, to, sizes[level], "from", [&](Expr first) {
      const Running::Groups inner = start(e_, op());
      pieces(level + 1, first, e_.lower(min(first + sizes[level], to)), inner);
      join(e_, op().reductions, into, inner, "acc");
    });
  }
  void points(Expr from, Expr to, const Running::Groups& into) {
    e_.for_loop(from, to, e_.arena().i64(1), "i", [&](Expr i) {
      indices_.push_back(i);
      if (indices_.size() < dims_.size())
        pieces(0, e_.arena().i64(0), dims_[indices_.size()], into);
      else
        point(e_, s_, indices_, e_.lower(linear(e_, indices_, dims_)), Running{into, {}, 0, {}});
      indices_.pop_back();
    });
  }

  const Emitter& e_;
  const soac::Stm& s_;
  const std::vector<Expr>& dims_;
  std::vector<std::vector<Expr>> sizes_;  // of the pieces of each axis, larger ones first
  std::vector<Expr> indices_;
};

class Loop {
 public:
  Loop(const Emitter& e, const soac::Stm& s, const Together& together)
      : e_(e),
        arena_(e.arena()),
        s_(s),
        op_(std::get<soac::Soac>(s.op)),
        together_(together),
        dims_(extents(e, op_.dims)) {}

  std::vector<Expr> run() const {
    Running running;
    running.reductions = start(e_, op_);
    for (const soac::Stm* scan : schedule::scans_of(op_.body)) {
      running.scans.emplace_back();
      for (Expr first : e_.lower(schedule::first_of(*scan)))
        running.scans.back().push_back(e_.declare(first, "so_far"));
    }
    const bool is_one_loop = dims_.size() == 1 && running.scans.empty() && !schedule::makes_arrays(op_);
    const auto later = is_one_loop ? LaterPoints::of(e_, s_) : std::nullopt;
    if (later) {
      const Expr zero = arena_.i64(0);
      e_.if_then(e_.lower(zero < dims_[0]), [&] { point(e_, s_, {{zero}}, zero, running); });
      after_first(*later, running);
    } else if (is_one_loop) {
      points(s_, arena_.i64(0), dims_[0], running);
    } else {
      std::vector<Expr> indices;
      nest(indices, running);
    }
    return snapshots_of(e_, s_, running.reductions);
  }

 private:
  // The first point may be taken once more by operators that choose one of their operands, so that pieces of
  // points begin where the row's points do.
  void after_first(const LaterPoints& later, const Running& running) const {
    const bool again = together_.n > 1 && soac::chooses_operands(later.stm());
    later.in_pieces(
        e_, arena_.i64(again ? 0 : 1), dims_[0], running,
        [&](const soac::Stm& s, Expr from, Expr to, const Running& into) { points(s, from, to, into); });
  }

  void points(const soac::Stm& s, Expr from, Expr to, const Running& into) const {
    const auto take = [&](Expr i) { point(e_, s, {{i}}, i, into); };
    const Expr one = arena_.i64(1);
    for (std::int64_t n = together_.n; n > 1; n = n == together_.n ? together_.rest : n / 2) {
      const Expr end = e_.lower(from + (to - from) / n * n);
      if (end != from)
        e_.for_loop(from, end, arena_.i64(n), "from", [&](Expr first) {
          e_.for_loop(arena_.i64(0), arena_.i64(n), one, "i", [&](Expr i) { take(e_.bind(first + i, "i")); });
        });
      from = end;
    }
    if (from != to) e_.for_loop(from, to, one, "i", take);
  }

  void nest(std::vector<Expr>& indices, const Running& running) const {
    if (indices.size() == dims_.size())
      return point(e_, s_, indices, e_.lower(linear(e_, indices, dims_)), running);
    e_.for_loop(arena_.i64(0), dims_[indices.size()], arena_.i64(1), "i", [&](Expr i) {
      indices.push_back(i);
      nest(indices, running);
      indices.pop_back();
    });
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const soac::Stm& s_;
  const soac::Soac& op_;
  const Together together_;
  const std::vector<Expr> dims_;
};

}  // namespace

void fold_in_lanes(const Emitter& e, const soac::Stm& original, const schedule::Nest& nest) {
  const soac::Stm s = schedule::lift_missing_neutral(e.arena(), original);
  const auto& soac = std::get<soac::Soac>(s.op);
  const std::vector<Expr> dims = extents(e, soac.dims);
  const Running::Groups totals = start(e, soac);
  Chains(e, s, dims, nest).fold(totals);
  finish(e, s, snapshots_of(e, s, totals));
}

namespace {

// What lanes store far apart does not bypass caches: transpose_rows makes whole vectors of it. Elements of an
// array whose points lie after them (soac::Soac::axes_behind) are whole vectors already.
void store_element(const Emitter& e, const Destination& to, Expr number, Expr value) {
  if (to.step) return e.store(to, number, value);
  e.store_plain(to.buffer, e.bind(element_of(to, number), "at"), value);
}

// Each element is stored where it belongs as soon as it is known, so that few are alive at once.
void store_literal(const Emitter& e, const soac::Stm& s) {
  scalar::Arena& arena = e.arena();
  Expr number = arena.i64(0);
  for (const std::vector<Expr>& point : soac::points_of(arena, std::get<soac::Soac>(s.op))) {
    for (std::size_t k = 0; k < s.names.size(); ++k)
      store_element(e, e.destination(s.names[k]), number, e.lower(point[k]));
    number = number + 1;
  }
}

}  // namespace

void sequential_loop(const Emitter& e, const soac::Stm& original, const Together& together) {
  if (original.origin.empty() && soac::is_literal(original)) return store_literal(e, original);
  e.note_sequential(original, "depends on the element of the combinator around it");
  const soac::Stm s = schedule::lift_missing_neutral(e.arena(), original);
  finish(e, s, Loop(e, s, together).run());
}

}  // namespace fulgurite::walk
