#include "walk/inner.h"

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "walk/arrays.h"
#include "walk/lanes/counts.h"

namespace fulgurite::walk {

namespace {

class InnerWalk {
 public:
  InnerWalk(const Emitter& e, const soac::Stm& original, const WalkAll& walk, Filters filters)
      : e_(e),
        arena_(e.arena()),
        walk_(walk),
        filters_(filters),
        s_(schedule::lift_missing_neutral(arena_, original)),
        op_(std::get<soac::Soac>(s_.op)),
        outputs_(soac::view_of(s_)) {}

  void run() const {
    for (Var array : s_.names)
      if (const auto from = e_.reused(array)) e_.set_destination(array, e_.destination(*from));
    std::vector<Running::Cursor> cursors = give_memory();
    fill();
    lanes::Entry entry;
    for (const soac::Stm* scan : schedule::scans_of(op_.body))
      entry.scans.push_back(e_.lower(schedule::first_of(*scan)));
    std::vector<Expr> kept;
    for (std::size_t g = 0; g < op_.partitions.size(); ++g)
      kept.push_back(cursors[g].next.empty() ? count(g, entry.scans, cursors[g].table) : Expr());
    entry.partitions = cursors;
    const lanes::Ends ends = walk_(s_, entry);
    finish(e_, s_, ends.totals);
    bind_given_by_scans(ends);
    for (std::size_t g = 0; g < kept.size(); ++g) {
      if (!kept[g]) kept[g] = count_kept(g, cursors[g].next[0], ends.partitions[g][0]);
      e_.bind_name(outputs_.partitions[g].kept, kept[g]);
    }
    for (Var name : s_.names)
      if (arena_.info(name).type.rank > 0) e_.made(name);
  }

 private:
  // Reductions whose totals are what Scans have at the end.
  void bind_given_by_scans(const lanes::Ends& ends) const {
    for (std::size_t g = 0; g < outputs_.reductions.size(); ++g) {
      const int scan = schedule::scan_like(arena_, s_, g);
      const auto& names = outputs_.reductions[g].names;
      for (std::size_t k = 0; k < names.size() && scan >= 0; ++k)
        e_.bind_name(names[k], ends.scans[static_cast<std::size_t>(scan)][k]);
    }
  }

  // How many points of one class there are, which were counted as they were stored.
  Expr count_kept(std::size_t g, Expr first, Expr next) const {
    const Expr kept = e_.lower(next - first);
    const Destination& offsets = e_.destination(outputs_.partitions[g].offsets);
    for (const std::int64_t end : {0, 1})
      e_.store_plain(offsets.buffer, e_.lower(element_of(offsets, arena_.i64(end))),
                     end == 0 ? arena_.i64(0) : kept);
    return kept;
  }

  // Memory for the arrays that do not have any; of what a partition keeps, as if it kept every point. Sizes
  // are as the statement says: how a shape was declared may mention what the statement does not need any
  // more. Returns where partitions begin: those of several classes have no place yet.
  std::vector<Running::Cursor> give_memory() const {
    std::vector<Running::Cursor> cursors;
    const auto give = [&](Var array, Expr size, Amount amount = {}) {
      const Destination& to = place(e_, array, size, s_.where, amount);
      fit(e_, size, to, s_.where);
    };
    for (const auto& scattered : outputs_.scatters)
      for (Var array : scattered.arrays) give(array, schedule::product(arena_, scattered.to.shape));
    for (const auto& partition : outputs_.partitions) {
      give(partition.offsets, partition.classes + 1);
      cursors.push_back(first_place(partition));
      const Amount amount{.n_after = cursors.back().packs ? schedule::most_lanes : 0};
      for (Var array : partition.arrays) give(array, schedule::product(arena_, op_.dims), amount);
      if (cursors.back().packs) pack_from_base(partition.arrays, cursors.back());
    }
    for (const soac::Mapped& mapped : outputs_.mapped) {
      const std::vector<Expr> shape = arena_.info(mapped.array).shape;
      const Expr points = schedule::product(arena_, op_.dims);
      const std::size_t n_own = shape.size() - op_.dims.size();
      const std::size_t first = n_own > 0 ? soac::first_axis_of_results(op_) : 0;
      const Expr each = schedule::product(arena_, std::span(shape).subspan(first, n_own));
      give(mapped.array, points * each);
    }
    return cursors;
  }

  // Filters pack into memory that has room after it, which arrays that are elsewhere may not have.
  Running::Cursor first_place(const soac::OutputView::Partitioned& partition) const {
    if (!partition.classes.is_constant(1)) return {};
    const auto has_room = [&](Var array) {
      return !e_.has_destination(array) || e_.destination(array).n_after >= schedule::most_lanes;
    };
    const bool packs = filters_ == Filters::packed && std::ranges::all_of(partition.arrays, has_room);
    return {{arena_.i64(0)}, {}, packs};
  }
  // Vectors are packed at places of buffers, which are one number for all arrays if these begin together.
  void pack_from_base(std::span<const Var> arrays, Running::Cursor& cursor) const {
    for (Var array : arrays) {
      const Destination& to = e_.destination(array);
      cursor.packs = cursor.packs && !to.step && !to.lane && to.base == e_.destination(arrays[0]).base;
    }
    if (cursor.packs && !arrays.empty()) cursor.next = {e_.destination(arrays[0]).base};
  }

  // Fills arrays with their first contents, unless they take the memory of arrays that have these.
  void fill() const {
    for (const auto& scattered : outputs_.scatters) {
      soac::Stm map{{}, soac::Soac{scattered.to.shape, scattered.to.initial}, s_.where, s_.origin};
      std::vector<Expr>& contents = std::get<soac::Soac>(map.op).body.results;
      contents.clear();
      for (std::size_t k = 0; k < scattered.arrays.size(); ++k) {
        if (e_.reused(scattered.arrays[k])) continue;
        map.names.push_back(scattered.arrays[k]);
        contents.push_back(scattered.to.initial.results[k]);
      }
      if (!map.names.empty()) inner(e_, map, walk_);
    }
  }

  // Where the points of each class go, in a table; how many there are.
  Expr count(std::size_t g, const Running::Groups& scans, Destination& table) const {
    const auto& partition = outputs_.partitions[g];
    table = scratch(e_, Kind::i64, partition.classes, s_.where);
    fit(e_, partition.classes, table, s_.where);
    lanes::clear(e_, partition.classes, table);
    soac::Soac op{op_.dims, {}};
    op.partitions.push_back({partition.classes, 0});
    op.body = schedule::slice(arena_, op_.body, {partition.point_class});
    lanes::Entry entry{{}, {{{}, table}}};
    if (schedule::has_scan(op.body)) {  // all of them: they are numbered
      op.body = op_.body;
      op.body.results = {partition.point_class};
      entry.scans = scans;
    }
    soac::Stm s{{}, std::move(op), s_.where, s_.origin};
    s.names.push_back(arena_.fresh({Kind::i64}, "kept").var());
    s.names.push_back(arena_.fresh_array(Kind::i64, {arena_.i64(0)}, "offsets").var());
    walk_(s, entry);
    return lanes::count_off(e_, table, arena_.i64(1), partition.classes, e_.destination(partition.offsets));
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const WalkAll& walk_;
  const Filters filters_;
  const soac::Stm s_;
  const soac::Soac& op_;
  const soac::OutputView outputs_;
};

}  // namespace

void inner(const Emitter& e, const soac::Stm& s, const WalkAll& walk, Filters filters) {
  InnerWalk(e, s, walk, filters).run();
}

lanes::Ends walk_alone(const Emitter& e, const soac::Stm& s, const lanes::Entry& entry) {
  scalar::Arena& arena = e.arena();
  const auto& op = std::get<soac::Soac>(s.op);
  const std::vector<Expr> dims = extents(e, op.dims);
  Running running{start(e, op), {}, 0, entry.partitions};
  for (const auto& group : entry.scans) {
    running.scans.emplace_back();
    for (Expr value : group) running.scans.back().push_back(e.declare(value, "so_far"));
  }
  for (Running::Cursor& cursor : running.partitions)
    for (Expr& next : cursor.next) next = e.declare(next, "next");
  std::vector<Expr> indices;
  std::function<void(std::size_t)> nest = [&](std::size_t d) {
    if (d == dims.size()) return point(e, s, indices, e.lower(linear(e, indices, dims)), running);
    e.for_loop(arena.i64(0), dims[d], arena.i64(1), "i", [&](Expr i) {
      indices.push_back(i);
      nest(d + 1);
      indices.pop_back();
    });
  };
  nest(0);
  lanes::Ends ends;
  for (const auto& group : running.reductions)
    for (Expr value : e.snapshots(group)) ends.totals.push_back(value);
  for (const auto& group : running.scans) ends.scans.push_back(e.snapshots(group));
  for (const Running::Cursor& cursor : running.partitions)
    ends.partitions.push_back(e.snapshots(cursor.next));
  return ends;
}

}  // namespace fulgurite::walk
