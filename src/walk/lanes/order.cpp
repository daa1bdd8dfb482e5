#include "walk/lanes/order.h"

#include <algorithm>

#include "schedule/lanes/nests.h"
#include "schedule/nest.h"
#include "schedule/phases.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "walk/control.h"
#include "walk/lanes/counts.h"
#include "walk/lanes/packing.h"
#include "walk/lanes/range_of.h"

namespace fulgurite::walk::lanes {

using schedule::Combine, schedule::Join, schedule::Unit;

Order::Order(const Emitter& task, const schedule::Phase& phase)
    : e_(task),
      arena_(task.arena()),
      s_(phase.computes),
      op_(std::get<soac::Soac>(s_.op)),
      nest_(std::get<schedule::Nest>(phase.walk)),
      scans_(schedule::scans_of(op_.body)),
      n_tasks_(schedule::tasks_of(arena_, phase)) {}

const Combine* Order::combine(Combine::Part part, std::size_t which) const {
  return schedule::combine_of(nest_, part, which);
}

const Combine::Level* Order::level(Combine::Part part, std::size_t which, Join how) const {
  const Combine* found = combine(part, which);
  if (!found) return nullptr;
  const auto level = std::ranges::find(found->levels, how, &Combine::Level::how);
  return level == found->levels.end() ? nullptr : &*level;
}

bool Order::takes_turns(std::size_t partition) const {
  return level(Combine::Part::partition, partition, Join::handed_on) != nullptr;
}

// ---- Scans

Running::Groups Order::carried() const {
  Running::Groups groups;
  for (std::size_t s = 0; s < scans_.size(); ++s) {
    groups.emplace_back();
    for (Var carry : combine(Combine::Part::scan, s)->memory)
      groups.back().push_back(e_.load_plain(carry, e_.context().task, "so_far"));
  }
  return groups;
}

// The total of the points of a task. The last task folds nothing, as no task goes on from it.
Running::Groups Order::fold_points() const {
  Running::Groups partials;
  for (const soac::Stm* scan : scans_)
    for (partials.emplace_back(); Expr neutral : e_.lower(std::get<soac::Scan>(scan->op).reduction.neutral))
      partials.back().push_back(e_.declare(neutral, "partial"));
  const Expr is_last = e_.lower(equal(e_.context().task + 1, n_tasks_));
  e_.if_then(e_.lower(logical_not(is_last)), [&] {
    const soac::Stm folded = schedule::fold(arena_, s_, scans_, {});
    const Ends ends = walk_range(e_, folded, range_of(e_, nest_, op_), {*schedule::inner_of(nest_, 0)});
    std::size_t next = 0;
    for (const auto& group : partials)
      for (Expr variable : group) e_.assign(variable, ends.totals[next++]);
  });
  return partials;
}

// The total of the points of a task, which are whole rounds in all tasks but the last; what the Scans have
// within the rounds is kept.
const Running::Groups& Order::scan_ahead(std::int64_t n) {
  scanned_.emplace(e_, op_, schedule::loops_of(nest_), n);
  const Range points = range_of(e_, nest_, op_);
  return scanned_->scan_ahead(points.begin, points.end,
                              [](const Emitter& lane, Expr j, const Runs::Body& body) {
                                body(lane.at_element(j), std::span(&j, 1));
                              });
}

// Tasks take turns to join what they have to what all before them had.
Running::Groups Order::take_turn() {
  const std::int64_t n_ahead = level(Combine::Part::scan, 0, Join::handed_on)->n;
  const Running::Groups partials = n_ahead > 0 ? scan_ahead(n_ahead) : fold_points();
  Running::Groups groups;
  for (const soac::Stm* scan : scans_)
    for (groups.emplace_back(); Expr neutral : e_.lower(std::get<soac::Scan>(scan->op).reduction.neutral))
      groups.back().push_back(e_.declare(neutral, "so_far"));
  e_.in_order(combine(Combine::Part::scan, 0)->memory.back(), [&] {
    for (std::size_t s = 0; s < scans_.size(); ++s) {
      const std::vector<Var>& carries = combine(Combine::Part::scan, s)->memory;
      std::vector<Expr> args;
      for (std::size_t k = 0; k < groups[s].size(); ++k) {
        args.push_back(e_.load_plain(carries[k], i64(0), "so_far"));
        e_.assign(groups[s][k], args.back());
      }
      for (Expr variable : partials[s]) args.push_back(e_.snapshot(variable, "partial"));
      const std::vector<Expr> joined = apply(e_, std::get<soac::Scan>(scans_[s]->op).reduction.op, args);
      for (std::size_t k = 0; k < joined.size(); ++k) e_.store_plain(carries[k], i64(0), joined[k]);
    }
  });
  for (auto& group : groups)
    for (Expr& variable : group) variable = e_.snapshot(variable, "so_far");
  return groups;
}

// ---- partitions

Destination Order::table(std::size_t partition) const {
  const Expr classes = op_.partitions[partition].classes;
  const Var counts = combine(Combine::Part::partition, partition)->memory[0];
  return {counts, e_.lower(e_.context().task * classes)};
}

Running::Cursor Order::cursor(std::size_t partition) const {
  const soac::Partition& p = op_.partitions[partition];
  const Combine::Level* packed = level(Combine::Part::partition, partition, Join::packed);
  Running::Cursor cursor;
  if (level(Combine::Part::partition, partition, Join::bins)) {  // points are only counted
    cursor.packs = packed != nullptr;
    if (packed)
      cursor.next.assign(p.classes.bits(), i64(0));
    else
      clear(e_, p.classes, cursor.table = table(partition));
    return cursor;
  }
  if (packed) return Packing{s_, partition, packed->n}.start(e_);
  cursor.table = table(partition);
  if (p.classes.is_constant(1))
    cursor.next.push_back(e_.load_plain(cursor.table.buffer, cursor.table.base, "next"));
  return cursor;
}

void Order::store_counts(std::size_t partition, std::span<const Expr> counts) const {
  const Destination to = table(partition);
  for (std::size_t c = 0; c < counts.size(); ++c)
    e_.store_plain(to.buffer, e_.lower(to.base + static_cast<std::int64_t>(c)), counts[c]);
}

// Where the points of each class go, as an earlier phase has counted them; of a chain a variable.
std::vector<Expr> Order::first_places(std::size_t partition, std::span<const Expr> counts) const {
  if (takes_turns(partition)) return {e_.declare(i64(0), "first")};
  const Destination places = table(partition);
  std::vector<Expr> first;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const Expr at = e_.lower(places.base + static_cast<std::int64_t>(c));
    first.push_back(e_.load_plain(places.buffer, at, "first"));
  }
  return first;
}

void Order::hand_on_places(const std::vector<std::vector<Expr>>& counts,
                           const std::vector<std::vector<Expr>>& first) const {
  const soac::OutputView outputs = soac::view_of(s_);
  std::optional<Var> turn;
  for (std::size_t g = 0; g < counts.size(); ++g)
    if (takes_turns(g)) turn = combine(Combine::Part::partition, g)->memory.back();
  if (!turn) return;
  const Expr is_last = e_.lower(equal(e_.context().task + 1, n_tasks_));
  e_.in_order(*turn, [&] {
    for (std::size_t g = 0; g < counts.size(); ++g) {
      if (!takes_turns(g)) continue;
      const Var all_kept = combine(Combine::Part::partition, g)->memory[0];
      const Expr before = e_.load_plain(all_kept, i64(0), "before");
      const Expr kept = e_.bind(before + counts[g][0], "kept");
      e_.assign(first[g][0], before);
      e_.store_plain(all_kept, i64(0), kept);
      e_.if_then(is_last, [&] {
        const Var offsets = outputs.partitions[g].offsets;
        e_.store_plain(offsets, i64(0), i64(0));
        e_.store_plain(offsets, i64(1), kept);
      });
    }
  });
}

// ---- all

Entry Order::entry() {
  Entry entry;
  if (level(Combine::Part::scan, 0, Join::handed_on))
    entry.scans = take_turn();
  else if (!scans_.empty())
    entry.scans = carried();
  if (scanned_) entry.scanned = &*scanned_;
  for (std::size_t g = 0; g < op_.partitions.size(); ++g) entry.partitions.push_back(cursor(g));
  if (const schedule::Cut* cut = schedule::outermost(nest_, Unit::turn)) entry.per_task = cut->size;
  return entry;
}

void Order::finish(const Ends& ends, const schedule::Lanes& lanes) const {
  std::vector<std::vector<Expr>> counts(op_.partitions.size()), first(op_.partitions.size());
  const auto packing = [&](std::size_t g) {
    return Packing{s_, g, level(Combine::Part::partition, g, Join::packed)->n};
  };
  for (std::size_t g = 0; g < counts.size(); ++g) {
    if (!level(Combine::Part::partition, g, Join::packed)) continue;
    if (level(Combine::Part::partition, g, Join::bins)) {
      store_counts(g, ends.partitions[g]);
      continue;
    }
    counts[g] = packing(g).counts(e_, ends.partitions[g]);
    first[g] = first_places(g, counts[g]);
  }
  hand_on_places(counts, first);
  for (std::size_t g = 0; g < counts.size(); ++g) {
    if (counts[g].empty()) continue;
    if (takes_turns(g)) first[g][0] = e_.snapshot(first[g][0], "first");
    packing(g).finish(e_, counts[g], first[g], lanes);
  }
}

}  // namespace fulgurite::walk::lanes
