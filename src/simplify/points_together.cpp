#include "simplify/points_together.h"

#include <algorithm>
#include <utility>

#include "base/match.h"
#include "simplify/unrolled.h"
#include "soac/kept_arrays.h"
#include "soac/linear.h"
#include "soac/literal.h"
#include "soac/reads_inside.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Lambda;
using soac::Soac;
using soac::Stm;

namespace {

// Fewer points than this are not worth lanes of their own.
constexpr std::int64_t least_points = 8;

}  // namespace

bool are_many(const std::vector<Expr>& dims) {
  const auto few = soac::few_points(dims);
  return !few || *few >= least_points;
}

bool binds_array(const Arena& arena, const Stm& s) {
  return std::ranges::any_of(s.names, [&](Var name) { return arena.info(name).type.rank > 0; });
}

bool has_arrays(const Arena& arena, const Lambda& f) {
  return std::ranges::any_of(f.body, [&](const Stm& s) {
    const auto nested = soac::nested_in(s);
    return binds_array(arena, s) ||
           std::ranges::any_of(nested, [&](const auto& each) { return has_arrays(arena, *each.lambda); });
  });
}

bool has_long_rounds(const Lambda& f) {
  return std::ranges::any_of(f.body, [](const Stm& s) {
    const auto* loop = as<soac::Loop>(s.op);
    if (loop && loop->trips && loop->trips.is_constant() &&
        static_cast<std::int64_t>(loop->trips.bits()) > least_row)
      return true;
    const auto nested = soac::nested_in(s);
    return std::ranges::any_of(nested, [](const auto& each) { return has_long_rounds(*each.lambda); });
  });
}

// Whether its points give scalars and do not depend on each other, and are rows that are shorter than a
// vector, or each reduce a constant number of points.
bool PointsTogether::may_take(const Soac& op) const {
  if (!op.reductions.empty() || !op.scatters.empty() || !op.partitions.empty() || op.axes_behind > 0)
    return false;
  const bool has_loops = std::ranges::any_of(op.body.body, [](const Stm& s) {
    const auto* inner = as<Soac>(s.op);
    return inner && !inner->reductions.empty() && soac::few_points(inner->dims);
  });
  const bool has_scans =
      std::ranges::any_of(op.body.body, [](const Stm& s) { return as<soac::Scan>(s.op) != nullptr; });
  if (has_scans) return false;
  const bool are_scalars = std::ranges::all_of(op.body.results, [](Expr e) { return e.type().rank == 0; });
  return are_scalars && op.dims.size() > 1 && !has_arrays(arena_, op.body) &&
         (has_loops || has_short_rows(op));
}

// Points of the space's rows that are not as good as points of one axis.
bool PointsTogether::has_short_rows(const Soac& op) const {
  const auto n = soac::few_points(std::span(op.dims).last(1));
  return n && *n < least_row && !soac::is_linear(op, arena_, sizes_) && !has_long_rounds(op.body);
}

std::optional<PointsTogether::Taken> PointsTogether::operator()(const Stm& stm) const {
  const auto* op = as<Soac>(stm.op);
  if (!op || !may_take(*op)) return {};
  const std::size_t n = op->dims.size();
  const auto columns = soac::few_points(std::span(op->dims).last(1));
  const auto rows = soac::few_points(std::span(op->dims).subspan(n - 2, 1));
  if (n > 2 && columns && *columns >= least_row && rows && *rows > 1 && *rows <= unroll_limits.elements)
    return take(stm, n - 2, 1, 1);
  std::size_t taken = 0;
  std::int64_t points = 1;
  while (taken + 1 < n) {
    const auto more = soac::few_points(std::span(op->dims).subspan(n - taken - 1, 1));
    if (!more || points * *more > unroll_limits.elements) break;
    points *= *more;
    ++taken;
  }
  if (points <= 1) return {};
  return take(stm, n - taken, taken, 0);
}

// Points of the axes [first, first + count) together, with `after` axes after these.
std::optional<PointsTogether::Taken> PointsTogether::take(const Stm& stm, std::size_t first,
                                                          std::size_t count, std::size_t after) const {
  const auto& op = std::get<Soac>(stm.op);
  if (!are_many({op.dims.begin(), op.dims.begin() + static_cast<std::ptrdiff_t>(first)})) return {};
  Soac outer{{}, {}};
  outer.outer_axes = op.outer_axes < op.dims.size() - count ? op.outer_axes : 0;
  outer.axes_behind = after;
  Soac inner{{}, {{}, op.body.body, op.body.results}};
  for (std::size_t d = 0; d < op.dims.size(); ++d) {
    const bool is_inner = first <= d && d < first + count;
    (is_inner ? inner : outer).dims.push_back(op.dims[d]);
    (is_inner ? inner : outer).body.params.push_back(op.body.params[d]);
  }
  Stm arrays{{}, {}, stm.where, ""};
  for (Expr result : op.body.results) {
    arrays.names.push_back(arena_.fresh_array(result.kind(), inner.dims, "elements").var());
    outer.body.results.push_back(arena_.name(arrays.names.back()));
  }
  arrays.op = std::move(inner);
  outer.body.body.push_back(std::move(arrays));
  auto unrolled = with_literals(arena_, outer.body, unroll_limits.elements);
  if (!unrolled || !(has_short_rows(op) || shares_reads(*unrolled))) return {};
  outer.body = *std::move(unrolled);
  if ((op.outer_axes > 0 && op.outer_axes <= first) || !soac::may_fail(outer.body))
    return Taken{std::move(outer), {}};
  const auto is_same = soac::same_for_all_points(outer);
  const auto is_known = [&](Expr e) { return soac::is_total({e}) && is_same({&e, 1}); };
  const auto holds = soac::take_checks(arena_, outer.body, outer.dims, is_known);
  if (!holds || holds->is_constant(0)) return {};
  return Taken{std::move(outer), *holds};
}

// Whether the elements, each by itself, would read half as much again as they do together.
bool PointsTogether::shares_reads(const Lambda& f) const {
  std::vector<Expr> all;
  std::size_t alone = 0;
  const auto reads = [](const std::vector<Expr>& roots) {
    std::size_t n = 0;
    scalar::for_each_node(roots, [&](Expr e) { n += e.op() == Op::index; });
    return n;
  };
  for (const Stm& s : f.body) {
    if (!soac::is_literal(s)) return false;
    for (const std::vector<Expr>& point : soac::points_of(arena_, std::get<Soac>(s.op))) {
      alone += reads(point);
      all.insert(all.end(), point.begin(), point.end());
    }
  }
  return 2 * alone >= 3 * reads(all);
}

}  // namespace fulgurite::simplify
