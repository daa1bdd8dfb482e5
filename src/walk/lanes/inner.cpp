#include "walk/lanes/inner.h"

#include "base/match.h"
#include "schedule/lanes/nests.h"
#include "schedule/nest.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "walk/arrays.h"
#include "walk/lanes/counts.h"
#include "walk/lanes/row_sort.h"
#include "walk/lanes/short_rows.h"

namespace fulgurite::walk::lanes {

namespace {

void add_versions(const schedule::Nest& nest, std::size_t number, std::vector<schedule::Inner>& versions) {
  for (const schedule::Inner& inner : nest.inner) {
    if (inner.number == number) versions.push_back(inner);
    add_versions(inner.nest, number, versions);
  }
}

std::vector<schedule::Inner> versions_of(scalar::Arena& arena, const soac::Stm& s, const Nests& nests) {
  std::vector<schedule::Inner> versions;
  if (s.nest != 0 && nests.phase) add_versions(*nests.phase, s.nest, versions);
  return versions.empty() ? schedule::inner_versions(arena, s, nests.lanes) : versions;
}

/// The range of a Soac's whole space.
Range whole_range(const Emitter& e, const soac::Soac& op, const schedule::Nest& nest) {
  scalar::Arena& arena = e.arena();
  Range range;
  range.begin = arena.i64(0);
  const bool is_linear = nest.axes.back().by_number;
  if (op.dims.size() > 1 && !is_linear) {
    range.first_row = arena.i64(0);
    range.last_row = extent(e, schedule::product(arena, std::span(op.dims).first(op.dims.size() - 1)));
  }
  range.end = extent(e, is_linear ? schedule::product(arena, op.dims) : op.dims.back());
  return range;
}

// The reductions of a row, which has a version for few points.
std::vector<Expr> reduce_row(const Emitter& e, const soac::Stm& s, const Range& range,
                             const std::vector<schedule::Inner>& versions) {
  scalar::Arena& arena = e.arena();
  std::vector<Expr> totals;
  for (const soac::Reduction& r : std::get<soac::Soac>(s.op).reductions)
    for (Expr neutral : r.neutral) totals.push_back(e.declare(arena.constant(neutral.kind(), 0), "total"));
  const auto assign = [&](const std::vector<Expr>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) e.assign(totals[k], values[k]);
  };
  const Expr most = arena.add(range.begin, arena.i64(versions[0].up_to));
  const Expr is_short = e.lower(arena.le(range.end, most));
  const std::int64_t lanes = schedule::size_by(versions[0].nest, schedule::Unit::lane, 1);
  e.if_then_else(
      is_short, [&] { assign(reduce_short_row(e, s, range, lanes)); },
      [&] { assign(walk_range(e, s, range, {versions[1].nest, true}).totals); });
  for (Expr& total : totals) total = e.snapshot(total, "total");
  return totals;
}

class InnerWalk {
 public:
  InnerWalk(const Emitter& e, const soac::Stm& original, const Nests& nests)
      : e_(e),
        arena_(e.arena()),
        nests_(nests),
        s_(schedule::lift_missing_neutral(arena_, original)),
        op_(std::get<soac::Soac>(s_.op)),
        outputs_(soac::view_of(s_)) {}

  void run() const {
    give_memory();
    fill();
    Entry entry;
    for (const soac::Stm* scan : schedule::scans_of(op_.body))
      entry.scans.push_back(e_.lower(schedule::first_of(*scan)));
    std::vector<Expr> kept;
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      if (op_.partitions[g].classes.is_constant(1)) {
        kept.emplace_back();
        entry.partitions.push_back({{arena_.i64(0)}, {}});
        continue;
      }
      Running::Cursor cursor;
      kept.push_back(count(g, entry.scans, cursor.table));
      entry.partitions.push_back(std::move(cursor));
    }
    const Ends ends = walk(s_, entry);
    finish(e_, s_, ends.totals);
    bind_given_by_scans(ends);
    for (std::size_t g = 0; g < kept.size(); ++g) bind_kept(g, kept[g], ends);
    for (Var name : s_.names)
      if (arena_.info(name).type.rank > 0) e_.made(name);
  }

 private:
  Ends walk(const soac::Stm& s, const Entry& entry) const {
    const std::vector<schedule::Inner> versions = versions_of(arena_, s, nests_);
    const Range range = whole_range(e_, std::get<soac::Soac>(s.op), versions.back().nest);
    if (versions.size() > 1) return {reduce_row(e_, s, range, versions), {}, {}};
    return walk_range(e_, s, range, {versions[0].nest, true}, entry);
  }

  // Reductions whose totals are what Scans have at the end.
  void bind_given_by_scans(const Ends& ends) const {
    for (std::size_t g = 0; g < outputs_.reductions.size(); ++g) {
      const int scan = schedule::scan_like(arena_, s_, g);
      const auto& names = outputs_.reductions[g].names;
      for (std::size_t k = 0; k < names.size() && scan >= 0; ++k)
        e_.bind_name(names[k], ends.scans[static_cast<std::size_t>(scan)][k]);
    }
  }

  // `kept`: absent of one class, whose points are counted as they are stored.
  void bind_kept(std::size_t g, Expr kept, const Ends& ends) const {
    const auto& partition = outputs_.partitions[g];
    if (!kept) {
      kept = ends.partitions[g][0];
      const Destination& offsets = e_.destination(partition.offsets);
      for (const std::int64_t end : {0, 1})
        e_.store_plain(offsets.buffer, e_.lower(element_of(e_, offsets, arena_.i64(end))),
                       end == 0 ? arena_.i64(0) : kept);
    }
    e_.bind_name(partition.kept, kept);
  }

  // Memory for the arrays that do not have any; of what a partition keeps, as if it kept every point. Sizes
  // are as the statement says: how a shape was declared may mention what the statement does not need any
  // more.
  void give_memory() const {
    const auto give = [&](Var array, Expr size) {
      const Destination& to = place(e_, array, size, s_.where);
      fit(e_, size, to, s_.where);
    };
    for (const auto& scattered : outputs_.scatters)
      for (Var array : scattered.arrays) give(array, schedule::product(arena_, scattered.to.shape));
    for (const auto& partition : outputs_.partitions) {
      give(partition.offsets, arena_.add(partition.classes, arena_.i64(1)));
      for (Var array : partition.arrays) give(array, schedule::product(arena_, op_.dims));
    }
    for (const soac::Mapped& mapped : outputs_.mapped) {
      const std::vector<Expr> shape = arena_.info(mapped.array).shape;
      const Expr points = schedule::product(arena_, op_.dims);
      const Expr each = schedule::product(arena_, std::span(shape).subspan(op_.dims.size()));
      give(mapped.array, arena_.mul(points, each));
    }
  }

  void fill() const {
    for (const auto& scattered : outputs_.scatters) {
      soac::Stm map{{scattered.arrays.begin(), scattered.arrays.end()},
                    soac::Soac{scattered.to.shape, scattered.to.initial},
                    s_.where,
                    s_.origin};
      inner(e_, map, nests_);
    }
  }

  // Where the points of each class go, in a table; how many there are.
  Expr count(std::size_t g, const Running::Groups& scans, Destination& table) const {
    const auto& partition = outputs_.partitions[g];
    table = scratch(e_, Kind::i64, partition.classes, s_.where);
    fit(e_, partition.classes, table, s_.where);
    clear(e_, partition.classes, table);
    soac::Soac op{op_.dims, {}};
    op.partitions.push_back({partition.classes, 0});
    op.body = schedule::slice(arena_, op_.body, {partition.point_class});
    Entry entry{{}, {{{}, table}}};
    if (schedule::has_scan(op.body)) {  // all of them: they are numbered
      op.body = op_.body;
      op.body.results = {partition.point_class};
      entry.scans = scans;
    }
    soac::Stm s{{}, std::move(op), s_.where, s_.origin};
    s.names.push_back(arena_.fresh({Kind::i64}, "kept").var());
    s.names.push_back(arena_.fresh_array(Kind::i64, {arena_.i64(0)}, "offsets").var());
    walk(s, entry);
    return count_off(e_, table, arena_.i64(1), partition.classes, e_.destination(partition.offsets));
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const Nests& nests_;
  const soac::Stm s_;
  const soac::Soac& op_;
  const soac::OutputView outputs_;
};

}  // namespace

void inner(const Emitter& e, const soac::Stm& s, const Nests& nests) {
  if (base::as<soac::Sort>(s.op)) return inner_sort(e, s, nests.lanes.by);
  InnerWalk(e, s, nests).run();
}

}  // namespace fulgurite::walk::lanes
