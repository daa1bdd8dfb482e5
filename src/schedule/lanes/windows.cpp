#include "schedule/lanes/windows.h"

#include <algorithm>
#include <bit>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/rounding.h"
#include "schedule/rewrites/slice.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

/// The combinators in a function, and in their functions of points.
void add_combinators(const soac::Lambda& f, std::vector<const soac::Stm*>& found) {
  for (const soac::Stm& s : f.body)
    if (const auto* soac = base::as<soac::Soac>(s.op)) {
      found.push_back(&s);
      add_combinators(soac->body, found);
    }
}
std::vector<const soac::Stm*> combinators_of(const soac::Soac& map) {
  std::vector<const soac::Stm*> found;
  add_combinators(map.body, found);
  return found;
}

const soac::Soac& soac_of(const soac::Stm* s) {
  return std::get<soac::Soac>(s->op);
}

/// How neighbouring points of a map read an element.
enum class Read : std::uint8_t { same, neighbours, other };
Read read_by_neighbours(scalar::Arena& arena, Expr read, const soac::Vars& of_points, Var column,
                        std::int64_t most_stride) {
  const auto args = read.args().subspan(1);
  for (std::size_t d = 0; d < args.size(); ++d) {
    soac::Vars mentioned;
    soac::add_mentioned(args.subspan(d, 1), mentioned);
    if (std::ranges::any_of(mentioned, [&](Var v) { return of_points.contains(v); })) return Read::other;
    if (!mentioned.contains(column)) continue;
    const auto form = scalar::affine_in(arena, args[d], column);
    const bool is_constant = form && form->coefficient.is_constant();
    const auto stride = is_constant ? static_cast<std::int64_t>(form->coefficient.bits()) : 0;
    const bool is_step = 1 <= stride && stride <= most_stride;
    return d + 1 == args.size() && is_step ? Read::neighbours : Read::other;
  }
  return Read::same;
}

bool mentions_one_of(Expr index, const std::vector<Var>& names) {
  return std::ranges::any_of(names, [&](Var name) { return scalar::mentions(index, name); });
}

// Whether the reductions read only so, and some array at places that move both with the point and with the
// reduction, x[i + l]. What statements of the body bind may be anything.
bool read_windows(scalar::Arena& arena, const soac::Soac& map, std::int64_t most_stride) {
  const Var column = map.body.params.back();
  soac::Vars of_points;
  for (const soac::Stm& s : map.body.body) {
    of_points.insert(s.names.begin(), s.names.end());
    soac::add_bound(s, of_points);
  }
  std::vector<Var> running;
  for (const soac::Stm* s : combinators_of(map))
    for (Var index : soac_of(s).body.params) {
      running.push_back(index);
      of_points.erase(index);
    }
  bool are_windows = true, slides = false;
  for (const soac::Stm* s : combinators_of(map))
    soac::for_each_root(soac_of(s).body, [&](Expr root) {
      scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
        if (e.op() != scalar::Op::index) return;
        const Read read = read_by_neighbours(arena, e, of_points, column, most_stride);
        are_windows &= read != Read::other;
        for (std::size_t d = 1; d < e.args().size() && read == Read::neighbours; ++d)
          slides |= mentions_one_of(e.arg(d), map.body.params) && mentions_one_of(e.arg(d), running);
      });
    });
  return are_windows && slides;
}

bool is_plain_map(const soac::Soac& op) {
  if (op.dims.empty() || !op.reductions.empty() || !op.scatters.empty() || !op.partitions.empty())
    return false;
  if (makes_arrays(op) || has_scan(op.body)) return false;
  const std::vector<const soac::Stm*> inner = combinators_of(op);
  return !inner.empty() && std::ranges::all_of(inner, [](const soac::Stm* s) {
    return !soac_of(s).reductions.empty() && !soac_of(s).dims.empty() && !has_scan(soac_of(s).body);
  });
}

/// Points of the axes of a reduction but the first.
Expr points_of_row(const Building& at, const soac::Soac& inner) {
  return product(at.arena, std::span(inner.dims).subspan(1));
}

// Accumulators take fold_chain points, and outer ones as many accumulators: that bounds the rounding errors
// of so long windows (docs/semantics.md, float_sum_error). In short windows some rows of the first axis are
// such points; in wide ones each axis has levels of its own.
struct Extents {
  Expr are_short, are_wide;
};
Extents extents_of(const Building& at, const soac::Soac& inner) {
  const std::int64_t chain = at.lanes.by.fold_chain, most = at.lanes.by.window_most_points;
  const std::int64_t square = chain * chain, cube = square * chain;
  if (!any_rounds(inner)) return {at.arena.boolean(true), at.arena.boolean(false)};
  const Expr first = inner.dims[0];
  if (inner.dims.size() == 1)
    return {first <= std::min(most, cube), (cube < first) & (first <= std::min(most, cube * chain))};
  const Expr row = points_of_row(at, inner), points = row * first;
  const Expr are_short = (row <= chain) & (points <= std::min(most, cube / 4));
  Expr fit = (points <= most) & (first <= cube) & (inner.dims.back() <= cube);
  for (std::size_t d = 1; d + 1 < inner.dims.size(); ++d) fit = fit & (inner.dims[d] <= square);
  return {are_short, fit & logical_not(are_short)};
}

}  // namespace

WindowFolds window_folds_of(const Building& at, Expr otherwise) {
  WindowFolds windows;
  const soac::Soac& op = at.op();
  const LanesPolicy& by = at.lanes.by;
  if (!is_plain_map(op) || !read_windows(at.arena, op, by.window_stride)) return windows;
  Expr holds = by.window_least_columns <= op.dims.back(), are_short = at.arena.boolean(true);
  std::int64_t accumulators = 1;
  for (const soac::Stm* s : combinators_of(op)) {
    const soac::Soac& inner = soac_of(s);
    if (!at.around.is_known(inner.dims)) return windows;
    const Extents extents = extents_of(at, inner);
    holds = holds & (extents.are_short | extents.are_wide);
    are_short = are_short & extents.are_short;
    std::int64_t own = 0;
    for (const soac::Reduction& r : inner.reductions) own += static_cast<std::int64_t>(r.neutral.size());
    accumulators = std::max(accumulators, own);
  }
  if (otherwise) holds = holds & logical_not(otherwise);
  if (holds.is_constant(0)) return windows;
  windows.holds = holds;
  windows.are_wide = holds & logical_not(are_short);
  windows.loops = at.loops;
  windows.loops.rows = false;
  const std::int64_t vectors = std::max<std::int64_t>(by.window_vectors / accumulators, 1);
  const auto side_by_side = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(vectors)));
  windows.loops.lanes = static_cast<int>(std::min(most_lanes, at.loops.tail_lanes * side_by_side));
  windows.grid = tiles_grid(at.around, op, windows.loops);
  return windows;
}

namespace {

// The levels of an axis of a wide window, the largest first. The points of the axes after it, for one index,
// have an accumulator.
void add_levels(const Building& at, std::size_t axis, std::size_t n_axes, std::vector<Cut>& cuts) {
  const std::int64_t chain = at.lanes.by.fold_chain, square = chain * chain;
  const auto add = [&](std::int64_t n) { cuts.push_back({axis, at.i64(n), Unit::sequence}); };
  const bool is_last = axis + 1 == n_axes;
  if (n_axes == 1) add(square * chain);
  if (axis == 0 || is_last) add(square);
  add(chain);
  if (!is_last) add(1);
}

// The reduction goes from point to point, for all lanes.
Nest folded(const Building& at, const soac::Soac& inner, bool are_wide) {
  Nest nest;
  for (std::size_t d = 0; d < inner.dims.size(); ++d)
    nest.axes.push_back({Axis::Role::fold, d, 1, inner.dims[d]});
  if (!any_rounds(inner)) return nest;
  const std::int64_t chain = at.lanes.by.fold_chain;
  if (are_wide) {
    for (std::size_t d = 0; d < inner.dims.size(); ++d) add_levels(at, d, inner.dims.size(), nest.cuts);
  } else {
    const Expr rows =
        inner.dims.size() == 1 ? at.i64(chain) : max(chain / max(points_of_row(at, inner), 1), 1);
    nest.cuts.push_back({0, rows * chain, Unit::sequence});
    nest.cuts.push_back({0, rows, Unit::sequence});
  }
  for (std::size_t g = 0; g < inner.reductions.size(); ++g)
    add_level(nest, Combine::Part::reduction, g, {Unit::sequence, Join::chain, chain}, {});
  return nest;
}

void add_phase(Building& at, const WindowFolds& windows, const char* name, Expr holds, bool are_wide) {
  if (holds.is_constant(0)) return;
  Nest nest = nest_of(at.arena, at.posting, windows.loops, at.lanes, {&windows.grid});
  nest.traffic.streaming = windows.loops.streaming;
  for (const soac::Stm* s : combinators_of(at.op()))
    nest.inner.push_back({s->nest, folded(at, soac_of(s), are_wide)});
  Phase& phase = at.add(name, at.posting, std::move(nest));
  if (!holds.is_constant(1)) phase.guard = select(holds, at.i64(1), 0);
  phase.why = reasons_of(at.arena, at.op(), windows.loops, at.lanes);
  phase.why.pop_back();
  phase.why.emplace_back(
      "lanes: as many vectors as registers hold, which share what all points read (window_vectors)");
  if (phase.guard) phase.why.emplace_back(why_windows);
}

}  // namespace

void add_window_folds(Building& at, const WindowFolds& windows) {
  if (!windows.holds) return;
  add_phase(at, windows, "windows", windows.holds & logical_not(windows.are_wide), false);
  add_phase(at, windows, "wide windows", windows.are_wide, true);
}

}  // namespace fulgurite::schedule
