// Rows whose stores are aligned to cache lines: vectors of others lie in two lines each.
#include "schedule/rewrites/slice.h"
#include "soac/linear.h"
#include "soac/rename.h"
#include "walk/lanes/points.h"

namespace fulgurite::walk::lanes {

namespace {

// A row of a constant length whose vectors are so few that a head would be as long as the rest.
bool has_short_rows(const Walk& walk) {
  const std::vector<Expr>& dims = walk.op().dims;
  const auto most = static_cast<std::uint64_t>(walk.loops.lanes) * 4;
  return dims.size() > 1 && !walk.space.is_linear() && dims.back().is_constant() &&
         dims.back().bits() <= most;
}

// How many elements at this place, or after it, are stored before a cache line of 64 bytes begins.
Expr to_next_line(Expr at, Kind kind) {
  return (0 - at) & (64 / static_cast<std::int64_t>(size_of(kind)) - 1);
}

// Rows that are not long gain less by aligned stores than their head costs.
Expr head_of_update(const Emitter& e, const Walk& walk, const soac::Stm& piece, std::span<const Expr> first,
                    Expr length) {
  const soac::OutputView::Scattered output = soac::view_of(piece).scatters[0];
  const soac::Applied point = soac::apply(e.arena(), std::get<soac::Soac>(piece.op).body, first);
  const std::vector<Expr> place = e.lower(std::span(point.results).first(output.to.shape.size()));
  const Expr at = linear(e, place, extents(e, output.to.shape));
  const Expr is_long = 2 * walk.loops.lanes <= length;
  return e.lower(select(is_long, to_next_line(at, output.values[0].kind()), 0));
}

}  // namespace

Expr unaligned_head(const Walk& walk, const Emitter& e, const soac::Stm& piece, std::span<const Expr> outer,
                    Expr begin, Expr end) {
  if (has_short_rows(walk)) return {};
  std::vector<Expr> first(outer.begin(), outer.end());
  first.push_back(begin);
  if (e.context().scatters_inside && soac::replaces_rows(e.arena(), walk.s))
    return head_of_update(e, walk, piece, first, end - begin);
  // A tile of one axis begins where stores are aligned.
  if (walk.range.is_aligned && outer.empty() && begin == walk.range.begin) return {};
  const soac::OutputView outputs = soac::view_of(walk.s);
  if (outputs.mapped.empty() || schedule::gives_arrays(walk.op())) return {};
  Expr at = linear(e, first, walk.space.dims());
  if (const Expr base = e.destination(outputs.mapped[0].array).base) at = base + at;
  return e.lower(to_next_line(at, outputs.mapped[0].result.kind()));
}

}  // namespace fulgurite::walk::lanes
