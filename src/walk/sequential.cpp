#include "walk/sequential.h"

#include "schedule/rewrites/ascending.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/slice.h"
#include "walk/arrays.h"
#include "walk/points.h"

namespace fulgurite::walk {

namespace {

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

void finish_with(const Emitter& e, const soac::Stm& s, const Running::Groups& reductions) {
  std::vector<Expr> totals;
  for (const auto& group : reductions)
    for (Expr variable : group)
      totals.push_back(e.snapshot(variable, e.arena().info(s.names[totals.size()]).name));
  finish(e, s, totals);
}

}  // namespace

void fold_in_lanes(const Emitter& e, const soac::Stm& original, const schedule::Nest& nest) {
  const soac::Stm s = schedule::lift_missing_neutral(e.arena(), original);
  const auto& soac = std::get<soac::Soac>(s.op);
  const std::vector<Expr> dims = extents(e, soac.dims);
  const Running::Groups totals = start(e, soac);
  Chains(e, s, dims, nest).fold(totals);
  finish_with(e, s, totals);
}

void sequential_loop(const Emitter& e, const soac::Stm& original) {
  e.note_sequential(original, "depends on the element of the combinator around it");
  scalar::Arena& arena = e.arena();
  const soac::Stm s = schedule::lift_missing_neutral(arena, original);
  const auto& soac = std::get<soac::Soac>(s.op);
  const std::vector<Expr> dims = extents(e, soac.dims);
  Running running;
  running.reductions = start(e, soac);
  for (const soac::Stm* scan : schedule::scans_of(soac.body)) {
    running.scans.emplace_back();
    for (Expr first : e.lower(schedule::first_of(*scan)))
      running.scans.back().push_back(e.declare(first, "so_far"));
  }
  std::vector<Expr> indices;
  std::function<void(std::size_t)> nest = [&](std::size_t d) {
    if (d == dims.size()) return point(e, s, indices, e.lower(linear(e, indices, dims)), running);
    e.for_loop(arena.i64(0), dims[d], arena.i64(1), "i", [&](Expr i) {
      indices.push_back(i);
      nest(d + 1);
      indices.pop_back();
    });
  };
  const bool may_repeat = dims.size() == 1 && running.scans.empty() && !schedule::makes_arrays(soac);
  const auto behind = may_repeat ? schedule::behind_first(arena, s, false) : std::nullopt;
  if (behind && e.keeps(schedule::rewrite::ascending, s, *behind)) {
    const Expr zero = arena.i64(0), one = arena.i64(1);
    e.if_then(e.lower(zero < dims[0]), [&] { point(e, s, {{zero}}, zero, running); });
    e.for_loop(one, dims[0], one, "i", [&](Expr i) { point(e, *behind, {{i}}, i, running); });
  } else {
    nest(0);
  }
  finish_with(e, s, running.reductions);
}

}  // namespace fulgurite::walk
