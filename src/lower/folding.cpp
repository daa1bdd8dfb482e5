#include "lower/folding.h"

#include "base/match.h"
#include "lower/carry.h"
#include "schedule/rewrites/slice.h"
#include "walk/control.h"

namespace fulgurite::lower {

Folding::Folding(Frame& frame) : at_(frame), arena_(frame.arena), packing_(frame), chain_(true) {
  for (std::size_t g = 0; g < at_.op.partitions.size(); ++g) {
    const bool chained = is_chained(g);
    chain_ = chain_ && chained;
    Expr n_counts = arena_.mul(at_.grid.tasks, at_.op.partitions[g].classes);
    counts_.push_back(chained ? Var() : at_.temporary(Kind::i64, n_counts, "counts"));
    kept_.push_back(at_.temporary(Kind::i64, at_.i64(1), "kept"));
  }
  for (const soac::Stm* s : schedule::scans_of(at_.op.body)) {
    Scan scan{s, &std::get<soac::Scan>(s->op), {}};
    for (Expr x : scan.op->operands)
      scan.partials.push_back(at_.temporary(x.kind(), chain_ ? at_.i64(1) : at_.grid.tasks, "carry"));
    scans_.push_back(std::move(scan));
  }
  const auto turn = [&] { return at_.temporary(Kind::i64, at_.i64(1), "turn"); };
  if (chain_ && !scans_.empty()) turn_of_scans_ = turn();
  for (std::size_t g = 0; g < kept_.size() && !turn_of_partitions_; ++g)
    if (is_chained(g)) turn_of_partitions_ = turn();
}

// One class, whose points a task packs: where they go is known without a look at the tasks behind.
bool Folding::is_chained(std::size_t partition) const {
  return at_.op.partitions[partition].classes.is_constant(1) && packing_.packs(partition);
}

// Classes of a partition that depend on a Scan are counted when every tile knows what its Scans go on from.
bool Folding::is_late(std::size_t partition) const {
  return schedule::has_scan(
      schedule::slice(arena_, at_.op.body, {at_.results(at_.layout.partitions[partition])[0]}));
}

void Folding::phases() {
  if (scans_.empty() && at_.op.partitions.empty()) return;
  start_chain();
  std::vector<std::size_t> early, late;
  for (std::size_t g = 0; g < at_.op.partitions.size(); ++g)
    if (!is_chained(g)) (is_late(g) ? late : early).push_back(g);
  if (chain_) return;
  // The partial result of the last tile is nobody's carry.
  Expr folded = early.empty() ? arena_.sub(at_.grid.tasks, at_.i64(1)) : at_.grid.tasks;
  if (!scans_.empty() || !early.empty()) {
    at_.phase(folded, [&](const Emitter& e) { store_partials(e, fold(e, scans_, early, {})); });
    at_.phase(at_.i64(1), [&](const Emitter& e) {
      for (const Scan& scan : scans_) carry(e, scan);
      for (std::size_t g : early) count(e, g);
    });
  }
  if (late.empty()) return;
  at_.phase(at_.grid.tasks, [&](const Emitter& e) { fold(e, {}, late, {carried(e), {}}); });
  at_.phase(at_.i64(1), [&](const Emitter& e) {
    for (std::size_t g : late) count(e, g);
  });
}

// What the first task in a chain goes on from.
void Folding::start_chain() {
  if (!turn_of_scans_ && !turn_of_partitions_) return;
  at_.phase(at_.i64(1), [&](const Emitter& e) {
    if (turn_of_scans_) {
      e.store_plain(*turn_of_scans_, at_.i64(0), at_.i64(0));
      for (const Scan& scan : scans_) {
        const std::vector<Expr> first = e.lower(schedule::first_of(*scan.stm));
        for (std::size_t k = 0; k < first.size(); ++k) e.store_plain(scan.partials[k], at_.i64(0), first[k]);
      }
    }
    if (turn_of_partitions_) e.store_plain(*turn_of_partitions_, at_.i64(0), at_.i64(0));
    for (std::size_t g = 0; g < kept_.size(); ++g)
      if (is_chained(g)) e.store_plain(kept_[g], at_.i64(0), at_.i64(0));
  });
}

// Partial results of Scans, which it gives, and the numbers of points of each class, over one tile.
std::vector<Expr> Folding::fold(const Emitter& e, const std::vector<Scan>& scans,
                                const std::vector<std::size_t>& partitions, Entry entry) {
  soac::Soac op{at_.op.dims, {}};
  std::vector<Expr> wanted;
  for (const Scan& scan : scans) {
    op.reductions.push_back(scan.op->reduction);
    op.reductions.back().initial.clear();
    wanted.insert(wanted.end(), scan.op->operands.begin(), scan.op->operands.end());
  }
  for (std::size_t g : partitions) {
    const soac::Partition& p = at_.op.partitions[g];
    op.partitions.push_back({p.classes, 0});
    wanted.push_back(at_.results(at_.layout.partitions[g])[0]);
    Running::Cursor& cursor = entry.partitions.emplace_back();
    if (has_few_classes(p)) {
      cursor.next.assign(p.classes.bits(), at_.i64(0));
      cursor.packs = true;
    } else {
      cursor.table = table(e, g);
      clear(e, p.classes, cursor.table);
    }
  }
  const bool scans_run = !entry.scans.empty();
  std::vector<Expr> needed = wanted;
  if (scans_run)  // all of them: the carries are numbered as they are
    for (const soac::Stm* scan : schedule::scans_of(at_.op.body))
      for (Var name : scan->names) needed.push_back(arena_.name(name));
  op.body = schedule::slice(arena_, at_.op.body, needed);
  op.body.results = wanted;
  soac::Stm walk{{}, std::move(op), at_.s.where, at_.s.origin};
  const auto& walked = std::get<soac::Soac>(walk.op);
  for (Expr result : wanted) walk.names.push_back(arena_.fresh(result.type(), "partial").var());
  for (std::size_t k = 0; k < partitions.size(); ++k)
    walk.names.push_back(arena_.fresh_array(Kind::i64, {at_.i64(0)}, "offsets").var());
  Policy policy = at_.policy_of(walked);
  Ends ends = block_loop(e, walk, at_.points_of(e), policy, entry);
  for (std::size_t k = 0; k < partitions.size(); ++k) {
    if (!entry.partitions[k].packs) continue;
    const Destination to = table(e, partitions[k]);
    for (std::size_t c = 0; c < ends.partitions[k].size(); ++c)
      e.store_plain(to.buffer, e.lower(arena_.add(to.base, at_.i64(static_cast<std::int64_t>(c)))),
                    ends.partitions[k][c]);
  }
  return ends.totals;
}

void Folding::store_partials(const Emitter& e, const std::vector<Expr>& partials) {
  std::size_t next = 0;
  for (const Scan& scan : scans_)
    for (Var partial : scan.partials) e.store_plain(partial, e.context().task, partials[next++]);
}

Destination Folding::table(const Emitter& e, std::size_t partition) {
  const Expr classes = at_.op.partitions[partition].classes;
  return {counts_[partition], e.lower(arena_.mul(e.context().task, classes))};
}
// partial[t] = initial op partial[0] op ... op partial[t - 1]
void Folding::carry(const Emitter& e, const Scan& scan) {
  const soac::Reduction& r = scan.op->reduction;
  std::vector<Expr> so_far;
  for (Expr first : e.lower(schedule::first_of(*scan.stm))) so_far.push_back(e.declare(first, "so_far"));
  auto exchange = [&](Expr t) {
    for (std::size_t k = 0; k < so_far.size(); ++k)
      e.store_plain(scan.partials[k], t, e.snapshot(so_far[k], "so_far"));
  };
  Expr last = e.lower(arena_.sub(at_.grid.tasks, at_.i64(1)));
  e.for_loop(at_.i64(0), last, at_.i64(1), "t", [&](Expr t) {
    std::vector<Expr> partial;
    for (Var array : scan.partials) partial.push_back(e.load_plain(array, t, "partial"));
    exchange(t);
    join(e, r, so_far, partial);
  });
  exchange(last);
}
Running::Groups Folding::carried(const Emitter& e) {
  Running::Groups groups;
  for (const Scan& scan : scans_) {
    groups.emplace_back();
    for (Var partial : scan.partials)
      groups.back().push_back(e.load_plain(partial, e.context().task, "so_far"));
  }
  return groups;
}

// What the points of a task come to. The last task folds nothing, as nobody goes on from it.
Running::Groups Folding::fold_all(const Emitter& e) {
  Running::Groups partials;
  for (const Scan& scan : scans_)
    for (partials.emplace_back(); Expr neutral : e.lower(scan.op->reduction.neutral))
      partials.back().push_back(e.declare(neutral, "partial"));
  e.if_then(e.lower(arena_.logical_not(is_last(e))), [&] {
    const std::vector<Expr> folded = fold(e, scans_, {}, {});
    std::size_t next = 0;
    for (const auto& group : partials)
      for (Expr variable : group) e.assign(variable, folded[next++]);
  });
  return partials;
}

// Tasks that have their points in runs scan these before their turn, and keep what they have: only values
// that nobody asks for would be computed twice.
bool Folding::scans_ahead() const {
  const Policy& policy = at_.policy;
  if (policy.scan_steps == 0 || at_.op.dims.size() != 1 ||
      !at_.grid.columns_per_task.is_constant(policy.tile) || policy.tile % ScanRuns::block_of(policy) != 0 ||
      !scans_in_lanes(arena_, at_.op, policy))
    return false;
  return bytes_scanned(at_.op) * policy.tile <= bytes_scanned_ahead;
}

Expr Folding::is_last(const Emitter& e) {
  return e.lower(arena_.eq(arena_.add(e.context().task, at_.i64(1)), at_.grid.tasks));
}

// The same of such tasks: all but the last are whole blocks.
const Running::Groups& Folding::scan_ahead(const Emitter& e) {
  scanned_.emplace(e, at_.op, at_.policy, at_.policy.tile);
  const Range points = at_.points_of(e);
  return scanned_->scan_ahead(points.begin, points.end,
                              [](const Emitter& lane, Expr j, const Runs::Body& body) {
                                body(lane.at_element(j), std::span(&j, 1));
                              });
}

// The same in a chain.
Running::Groups Folding::take_turn(const Emitter& e) {
  if (scans_.empty()) return {};
  const Running::Groups partials = scans_ahead() ? scan_ahead(e) : fold_all(e);
  Running::Groups groups;
  for (const Scan& scan : scans_)
    for (groups.emplace_back(); Expr neutral : e.lower(scan.op->reduction.neutral))
      groups.back().push_back(e.declare(neutral, "so_far"));
  e.in_order(*turn_of_scans_, [&] {
    for (std::size_t s = 0; s < scans_.size(); ++s) {
      std::vector<Expr> args;
      for (std::size_t k = 0; k < groups[s].size(); ++k) {
        args.push_back(e.load_plain(scans_[s].partials[k], at_.i64(0), "so_far"));
        e.assign(groups[s][k], args.back());
      }
      for (Expr variable : partials[s]) args.push_back(e.snapshot(variable, "partial"));
      const std::vector<Expr> joined = apply(e, scans_[s].op->reduction.op, args);
      for (std::size_t k = 0; k < joined.size(); ++k)
        e.store_plain(scans_[s].partials[k], at_.i64(0), joined[k]);
    }
  });
  for (auto& group : groups)
    for (Expr& variable : group) variable = e.snapshot(variable, "so_far");
  return groups;
}

void Folding::count(const Emitter& e, std::size_t partition) {
  const Var offsets = at_.names(at_.layout.partitions[partition])[1];
  Expr kept = count_off(e, {counts_[partition], {}}, at_.grid.tasks, at_.op.partitions[partition].classes,
                        {offsets, {}});
  e.store_plain(kept_[partition], at_.i64(0), kept);
}

Entry Folding::entry(const Emitter& e) {
  Entry entry{chain_ ? take_turn(e) : carried(e), {}};
  if (scanned_) entry.scanned = &*scanned_;
  for (std::size_t g = 0; g < at_.op.partitions.size(); ++g) {
    Running::Cursor& cursor = entry.partitions.emplace_back();
    if (packing_.packs(g)) {
      cursor = packing_.start(e, g);
      continue;
    }
    cursor.table = table(e, g);
    if (!at_.op.partitions[g].classes.is_constant(1)) continue;
    cursor.next.push_back(e.load_plain(cursor.table.buffer, cursor.table.base, "next"));
  }
  if (turn_of_scans_ || turn_of_partitions_) entry.per_task = at_.grid.columns_per_task;
  return entry;
}

void Folding::finish(const Emitter& e, const Ends& ends) {
  std::vector<std::vector<Expr>> counts, first;
  for (std::size_t g = 0; g < at_.op.partitions.size(); ++g) {
    counts.emplace_back(), first.emplace_back();
    if (!packing_.packs(g)) continue;
    counts[g] = packing_.counts(e, ends.partitions[g]);
    if (is_chained(g)) {
      first[g].push_back(e.declare(at_.i64(0), "first"));
      continue;
    }
    const Destination places = table(e, g);
    for (std::size_t c = 0; c < counts[g].size(); ++c) {
      Expr at = e.lower(arena_.add(places.base, at_.i64(static_cast<std::int64_t>(c))));
      first[g].push_back(e.load_plain(places.buffer, at, "first"));
    }
  }
  if (turn_of_partitions_) {
    const Expr is_last_task = is_last(e);
    e.in_order(*turn_of_partitions_, [&] {
      for (std::size_t g = 0; g < counts.size(); ++g) {
        if (!is_chained(g)) continue;
        Expr before = e.load_plain(kept_[g], at_.i64(0), "before");
        Expr kept = e.bind(arena_.add(before, counts[g][0]), "kept");
        e.assign(first[g][0], before);
        e.store_plain(kept_[g], at_.i64(0), kept);
        e.if_then(is_last_task, [&] {
          const Var offsets = at_.names(at_.layout.partitions[g])[1];
          e.store_plain(offsets, at_.i64(0), at_.i64(0));
          e.store_plain(offsets, at_.i64(1), kept);
        });
      }
    });
  }
  for (std::size_t g = 0; g < counts.size(); ++g) {
    if (counts[g].empty()) continue;
    if (is_chained(g)) first[g][0] = e.snapshot(first[g][0], "first");
    packing_.finish(e, g, counts[g], first[g]);
  }
}

}  // namespace fulgurite::lower
