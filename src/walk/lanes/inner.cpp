#include "walk/lanes/inner.h"

#include "base/match.h"
#include "schedule/lanes/nests.h"
#include "schedule/nest.h"
#include "schedule/rewrites/radix.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rows.h"
#include "soac/literal.h"
#include "walk/arrays.h"
#include "walk/inner.h"
#include "walk/lanes/row_sort.h"
#include "walk/lanes/short_rows.h"
#include "walk/sequential.h"

namespace fulgurite::walk::lanes {

namespace {

// Of the outermost nest that has them: nests of other walks over the same points have them again. What is met
// in lanes has its nest in the version of the points around it whose rows lanes take, which stands first.
void add_versions(const schedule::Nest& nest, std::size_t number, bool in_lanes,
                  std::vector<schedule::Inner>& versions) {
  for (const schedule::Inner& inner : nest.inner)
    if (inner.number == number) versions.push_back(inner);
  for (const schedule::Inner& inner : nest.inner)
    if (versions.empty() && (in_lanes || inner.rows_up_to == 0))
      add_versions(inner.nest, number, in_lanes, versions);
}

std::vector<schedule::Inner> versions_of(scalar::Arena& arena, const soac::Stm& s, const Nests& nests) {
  std::vector<schedule::Inner> versions;
  if (s.nest != 0 && nests.phase) add_versions(*nests.phase, s.nest, false, versions);
  return versions.empty() ? schedule::inner_versions(arena, s, nests.lanes) : versions;
}

/// The range of a Soac's whole space.
Range whole_range(const Emitter& e, const soac::Soac& op, const schedule::Nest& nest) {
  scalar::Arena& arena = e.arena();
  Range range;
  range.begin = arena.i64(0);
  range.is_row = true;
  const bool is_linear = nest.axes.back().by_number;
  if (op.dims.size() > 1 && !is_linear) {
    range.first_row = arena.i64(0);
    range.last_row = extent(e, schedule::product(arena, std::span(op.dims).first(op.dims.size() - 1)));
  }
  range.end = extent(e, is_linear ? schedule::product(arena, op.dims) : op.dims.back());
  return range;
}

// A Soac with a version for few points, or for points whose loops are short. Gives the totals.
std::vector<Expr> in_versions(const Emitter& e, const soac::Stm& s, const Range& range,
                              const std::vector<schedule::Inner>& versions, const Entry& entry) {
  const auto& op = std::get<soac::Soac>(s.op);
  const schedule::Inner& first = versions[0];
  const bool has_rows = first.rows_up_to > 0;
  std::vector<Expr> totals;
  for (const soac::Reduction& r : op.reductions)
    for (Expr neutral : r.neutral)
      totals.push_back(e.declare(e.arena().constant(neutral.kind(), 0), "total"));
  const auto assign = [&](const std::vector<Expr>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) e.assign(totals[k], values[k]);
  };
  const auto walk = [&](const schedule::Nest& nest) {
    assign(walk_range(e, s, range, {nest, true}, entry).totals);
  };
  Expr is_short = range.end <= range.begin + first.up_to;
  if (has_rows) is_short = schedule::longest_row(e.arena(), op.body) <= first.rows_up_to;
  const auto short_one = [&] {
    if (has_rows) return walk(first.nest);
    assign(reduce_short_row(e, s, range, *schedule::innermost(first.nest, schedule::Unit::lane)));
  };
  e.if_then_else(e.lower(is_short), short_one, [&] { walk(versions[1].nest); });
  for (Expr& total : totals) total = e.snapshot(total, "total");
  return totals;
}

Filters filters_of(scalar::Arena& arena, const soac::Stm& s, const Nests& nests) {
  if (std::get<soac::Soac>(s.op).partitions.empty()) return Filters::one_by_one;
  const schedule::Nest nest = versions_of(arena, s, nests).back().nest;
  const bool packs = schedule::has_join(nest, schedule::Combine::Part::partition, schedule::Join::packed);
  return packs ? Filters::packed : Filters::one_by_one;
}

// The nest of a reduction inside of a point in lanes that each lane folds in chains (a window); null: it is
// none.
const schedule::Nest* chains_of(const soac::Stm& s, const Nests& nests) {
  const auto* op = base::as<soac::Soac>(s.op);
  if (!op || op->reductions.empty() || schedule::has_scan(op->body)) return nullptr;
  if (!op->scatters.empty() || !op->partitions.empty() || s.nest == 0 || !nests.phase) return nullptr;
  const schedule::Nest* nest = schedule::inner_of(*nests.phase, s.nest);
  const auto has = [&](schedule::Unit unit) { return schedule::innermost(*nest, unit) != nullptr; };
  return nest && !has(schedule::Unit::lane) && !has(schedule::Unit::registers) ? nest : nullptr;
}

// What the nest of a statement inside of a point in lanes says. Points of masked lanes are not transposed.
Together together(const Emitter& e, const soac::Stm& s, const Nests& nests) {
  if (e.context().is_masked) return {};
  std::vector<schedule::Inner> versions;
  if (s.nest != 0 && nests.phase) add_versions(*nests.phase, s.nest, true, versions);
  const schedule::Cut* cut =
      versions.empty() ? nullptr : schedule::innermost(versions[0].nest, schedule::Unit::registers);
  return cut ? Together{static_cast<std::int64_t>(cut->size.bits()), cut->rest} : Together{};
}

// Whether lanes keep the arrays that the statement makes.
bool keeps_arrays(const Emitter& e, const soac::Stm& s) {
  return e.context().lane &&
         std::ranges::any_of(s.names, [&](Var name) { return e.arena().info(name).type.rank > 0; });
}

}  // namespace

void inner(const Emitter& e, const soac::Stm& s, const Nests& nests) {
  if (e.context().in_lanes) {
    if (keeps_arrays(e, s))
      return walk::inner(e, s, [&](const soac::Stm& walked, const Entry& entry) {
        if (soac::is_literal(walked)) return sequential_loop(e, walked), Ends();
        return walk_alone(e, walked, entry);
      });
    const schedule::Nest* chains = chains_of(s, nests);
    return chains ? fold_in_lanes(e, s, *chains) : sequential_loop(e, s, together(e, s, nests));
  }
  if (base::as<soac::Sort>(s.op))
    return inner_sort(e, s, schedule::row_sort(nests.lanes.by, e.arena().i64(1)));
  const WalkAll walk = [&](const soac::Stm& walked, const Entry& entry) -> Ends {
    const std::vector<schedule::Inner> versions = versions_of(e.arena(), walked, nests);
    const Range range = whole_range(e, std::get<soac::Soac>(walked.op), versions.back().nest);
    if (versions.size() > 1) return {in_versions(e, walked, range, versions, entry), {}, {}};
    return walk_range(e, walked, range, {versions[0].nest, true}, entry);
  };
  walk::inner(e, s, walk, filters_of(e.arena(), s, nests));
}

}  // namespace fulgurite::walk::lanes
