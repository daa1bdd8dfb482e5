#include "lower/inner.h"

#include "base/match.h"
#include "lower/carry.h"
#include "lower/gpu/alone.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/slice.h"
#include "soac/layout.h"
#include "walk/arrays.h"

namespace fulgurite::lower {

namespace {

using walk::Running, walk::lanes::Ends, walk::lanes::Entry;

class Inner {
 public:
  Inner(Launches& launches, const Emitter& e, const soac::Stm& original)
      : launches_(launches),
        arena_(launches.arena()),
        e_(e),
        s_(schedule::lift_missing_neutral(arena_, original)),
        op_(std::get<soac::Soac>(s_.op)),
        layout_(soac::layout_of(op_)) {}

  void run() {
    places();
    fill();
    Entry entry;
    for (const soac::Stm* scan : schedule::scans_of(op_.body))
      entry.scans.push_back(e_.lower(schedule::first_of(*scan)));
    std::vector<Expr> kept;
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      const bool one_class = op_.partitions[g].classes.is_constant(1);
      kept.push_back(one_class ? Expr() : count(g, entry.scans));
      entry.partitions.push_back(one_class ? Running::Cursor{{arena_.i64(0)}, {}}
                                           : Running::Cursor{{}, tables_[g]});
    }
    const Ends ends = walk(s_, entry);
    finish(e_, s_, ends.totals);
    for (std::size_t g = 0; g < op_.reductions.size(); ++g)
      if (const int scan = scan_like(arena_, op_, layout_, g); scan >= 0)
        for (std::size_t k = 0; k < layout_.reductions[g].n_names; ++k)
          e_.bind_name(s_.names[layout_.reductions[g].name + k],
                       ends.scans[static_cast<std::size_t>(scan)][k]);
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      const std::size_t first = layout_.partitions[g].name;
      if (!kept[g]) {
        kept[g] = ends.partitions[g][0];
        const Destination& offsets = e_.destination(s_.names[first + 1]);
        for (const std::int64_t end : {0, 1})
          e_.store_plain(offsets.buffer, e_.lower(element_of(e_, offsets, arena_.i64(end))),
                         end == 0 ? arena_.i64(0) : kept[g]);
      }
      e_.bind_name(s_.names[first], kept[g]);
    }
    for (Var name : s_.names)
      if (arena_.info(name).type.rank > 0) e_.made(name);
  }

 private:
  Ends walk(const soac::Stm& s, const Entry& entry) {
    e_.note_sequential(s, "is inside of another combinator, whose points have a thread each");
    return gpu::walk_alone(e_, s, entry);
  }

  // Memory for the arrays that do not have any; of what a partition keeps, as if it kept every point.
  void places() {
    for (std::size_t k = 0; k < s_.names.size(); ++k) {
      if (arena_.info(s_.names[k]).type.rank == 0) continue;
      const Expr size = size_of(k);
      const Destination& to = place(e_, s_.names[k], size, s_.where);
      fit(e_, size, to, s_.where);
    }
  }

  // Elements of the array with this number among the names, as the statement says it: how its shape was
  // declared may mention what the statement does not need any more.
  Expr size_of(std::size_t name) const {
    const auto is_in = [&](const soac::Layout::Part& part, std::size_t first) {
      return name >= part.name + first && name < part.name + part.n_names;
    };
    for (std::size_t g = 0; g < op_.scatters.size(); ++g)
      if (is_in(layout_.scatters[g], 0)) return launches_.product(op_.scatters[g].shape);
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      if (is_in(layout_.partitions[g], 2)) return launches_.product(op_.dims);
      if (is_in(layout_.partitions[g], 0)) return arena_.add(op_.partitions[g].classes, arena_.i64(1));
    }
    const std::span<const Expr> shape = arena_.info(s_.names[name]).shape;
    const Expr points = launches_.product(op_.dims);
    const Expr each = launches_.product(shape.subspan(op_.dims.size()));
    return arena_.mul(points, each);
  }

  void fill() {
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      const soac::Layout::Part& part = layout_.scatters[g];
      auto first = s_.names.begin() + static_cast<std::ptrdiff_t>(part.name);
      soac::Stm map{{first, first + static_cast<std::ptrdiff_t>(part.n_names)},
                    soac::Soac{op_.scatters[g].shape, op_.scatters[g].initial},
                    s_.where,
                    s_.origin};
      inner_combinator(launches_, e_, map);
    }
  }

  // Where the points of each class go, in a table; how many there are.
  Expr count(std::size_t partition, const Running::Groups& scans) {
    const soac::Partition& p = op_.partitions[partition];
    const soac::Layout::Part& part = layout_.partitions[partition];
    tables_.resize(op_.partitions.size());
    tables_[partition] = scratch(e_, Kind::i64, p.classes, s_.where);
    fit(e_, p.classes, tables_[partition], s_.where);
    clear(e_, p.classes, tables_[partition]);
    soac::Soac op{op_.dims, {}};
    op.partitions.push_back({p.classes, 0});
    op.body = schedule::slice(arena_, op_.body, {op_.body.results[part.result]});
    Entry entry{{}, {{{}, tables_[partition]}}};
    if (schedule::has_scan(op.body)) {  // all of them: they are numbered
      const std::vector<Expr> results = op.body.results;
      op.body = op_.body;
      op.body.results = results;
      entry.scans = scans;
    }
    soac::Stm s{{}, std::move(op), s_.where, s_.origin};
    s.names.push_back(arena_.fresh({Kind::i64}, "kept").var());
    s.names.push_back(arena_.fresh_array(Kind::i64, {arena_.i64(0)}, "offsets").var());
    walk(s, entry);
    return count_off(e_, tables_[partition], arena_.i64(1), p.classes,
                     e_.destination(s_.names[part.name + 1]));
  }

  Launches& launches_;
  scalar::Arena& arena_;
  const Emitter e_;
  const soac::Stm s_;
  const soac::Soac& op_;
  const soac::Layout layout_;
  std::vector<Destination> tables_;  // of the partitions of several classes
};

}  // namespace

void inner_combinator(Launches& launches, const Emitter& e, const soac::Stm& s) {
  Inner(launches, e, s).run();
}

}  // namespace fulgurite::lower
