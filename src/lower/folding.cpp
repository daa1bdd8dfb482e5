#include "lower/folding.h"

#include "base/match.h"
#include "lower/carry.h"
#include "schedule/rewrites/slice.h"

namespace fulgurite::lower {

Folding::Folding(Frame& frame) : at_(frame), arena_(frame.arena), e_(frame.e), packing_(frame), chain_(true) {
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
    at_.phase(folded, [&](Expr task) { store_partials(task, fold(task, scans_, early, {})); });
    at_.phase(at_.i64(1), [&](Expr) {
      for (const Scan& scan : scans_) carry(scan);
      for (std::size_t g : early) count(g);
    });
  }
  if (late.empty()) return;
  at_.phase(at_.grid.tasks, [&](Expr task) { fold(task, {}, late, {carried(task), {}}); });
  at_.phase(at_.i64(1), [&](Expr) {
    for (std::size_t g : late) count(g);
  });
}

// What the first task in a chain goes on from.
void Folding::start_chain() {
  if (!turn_of_scans_ && !turn_of_partitions_) return;
  at_.phase(at_.i64(1), [&](Expr) {
    if (turn_of_scans_) {
      e_.store_plain(*turn_of_scans_, at_.i64(0), at_.i64(0));
      for (const Scan& scan : scans_) {
        const std::vector<Expr> first = e_.lower(schedule::first_of(*scan.stm));
        for (std::size_t k = 0; k < first.size(); ++k) e_.store_plain(scan.partials[k], at_.i64(0), first[k]);
      }
    }
    if (turn_of_partitions_) e_.store_plain(*turn_of_partitions_, at_.i64(0), at_.i64(0));
    for (std::size_t g = 0; g < kept_.size(); ++g)
      if (is_chained(g)) e_.store_plain(kept_[g], at_.i64(0), at_.i64(0));
  });
}

// Partial results of Scans, which it gives, and the numbers of points of each class, over one tile.
std::vector<Expr> Folding::fold(Expr task, const std::vector<Scan>& scans,
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
      cursor.table = table(g, task);
      clear(e_, p.classes, cursor.table);
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
  Ends ends = block_loop(e_, walk, at_.points_of(task), policy, entry);
  for (std::size_t k = 0; k < partitions.size(); ++k) {
    if (!entry.partitions[k].packs) continue;
    const Destination to = table(partitions[k], task);
    for (std::size_t c = 0; c < ends.partitions[k].size(); ++c)
      e_.store_plain(to.buffer, e_.lower(arena_.add(to.base, at_.i64(static_cast<std::int64_t>(c)))),
                     ends.partitions[k][c]);
  }
  return ends.totals;
}

void Folding::store_partials(Expr task, const std::vector<Expr>& partials) {
  std::size_t next = 0;
  for (const Scan& scan : scans_)
    for (Var partial : scan.partials) e_.store_plain(partial, task, partials[next++]);
}

Destination Folding::table(std::size_t partition, Expr task) {
  return {counts_[partition], e_.lower(arena_.mul(task, at_.op.partitions[partition].classes))};
}
// partial[t] = initial op partial[0] op ... op partial[t - 1]
void Folding::carry(const Scan& scan) {
  const soac::Reduction& r = scan.op->reduction;
  std::vector<Expr> so_far;
  for (Expr first : e_.lower(schedule::first_of(*scan.stm))) so_far.push_back(e_.declare(first, "so_far"));
  auto exchange = [&](Expr t) {
    for (std::size_t k = 0; k < so_far.size(); ++k)
      e_.store_plain(scan.partials[k], t, e_.snapshot(so_far[k], "so_far"));
  };
  Expr last = e_.lower(arena_.sub(at_.grid.tasks, at_.i64(1)));
  e_.for_loop(at_.i64(0), last, at_.i64(1), "t", [&](Expr t) {
    std::vector<Expr> partial;
    for (Var array : scan.partials) partial.push_back(e_.load_plain(array, t, "partial"));
    exchange(t);
    e_.join(r, so_far, partial);
  });
  exchange(last);
}
Running::Groups Folding::carried(Expr task) {
  Running::Groups groups;
  for (const Scan& scan : scans_) {
    groups.emplace_back();
    for (Var partial : scan.partials) groups.back().push_back(e_.load_plain(partial, task, "so_far"));
  }
  return groups;
}

// What the points of a task come to. The last task folds nothing, as nobody goes on from it.
Running::Groups Folding::fold_all(Expr task) {
  Running::Groups partials;
  for (const Scan& scan : scans_)
    for (partials.emplace_back(); Expr neutral : e_.lower(scan.op->reduction.neutral))
      partials.back().push_back(e_.declare(neutral, "partial"));
  Expr is_last = e_.lower(arena_.eq(arena_.add(task, at_.i64(1)), at_.grid.tasks));
  e_.if_then(e_.lower(arena_.logical_not(is_last)), [&] {
    const std::vector<Expr> folded = fold(task, scans_, {}, {});
    std::size_t next = 0;
    for (const auto& group : partials)
      for (Expr variable : group) e_.assign(variable, folded[next++]);
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

// The same of such tasks: all but the last are whole blocks.
const Running::Groups& Folding::scan_ahead(Expr task) {
  scanned_.emplace(e_, at_.op, at_.policy, at_.policy.tile);
  const Range points = at_.points_of(task);
  return scanned_->scan_ahead(points.begin, points.end,
                              [&](Expr j, const std::function<void(std::span<const Expr>)>& body) {
                                const Expr before = e_.element();
                                if (!before) e_.set_element(j);
                                body(std::span(&j, 1));
                                e_.set_element(before);
                              });
}

// The same in a chain.
Running::Groups Folding::take_turn(Expr task) {
  if (scans_.empty()) return {};
  const Running::Groups partials = scans_ahead() ? scan_ahead(task) : fold_all(task);
  Running::Groups groups;
  for (const Scan& scan : scans_)
    for (groups.emplace_back(); Expr neutral : e_.lower(scan.op->reduction.neutral))
      groups.back().push_back(e_.declare(neutral, "so_far"));
  e_.in_order(*turn_of_scans_, [&] {
    for (std::size_t s = 0; s < scans_.size(); ++s) {
      std::vector<Expr> args;
      for (std::size_t k = 0; k < groups[s].size(); ++k) {
        args.push_back(e_.load_plain(scans_[s].partials[k], at_.i64(0), "so_far"));
        e_.assign(groups[s][k], args.back());
      }
      for (Expr variable : partials[s]) args.push_back(e_.snapshot(variable, "partial"));
      const std::vector<Expr> joined = e_.apply(scans_[s].op->reduction.op, args);
      for (std::size_t k = 0; k < joined.size(); ++k)
        e_.store_plain(scans_[s].partials[k], at_.i64(0), joined[k]);
    }
  });
  for (auto& group : groups)
    for (Expr& variable : group) variable = e_.snapshot(variable, "so_far");
  return groups;
}

void Folding::count(std::size_t partition) {
  const Var offsets = at_.names(at_.layout.partitions[partition])[1];
  Expr kept = count_off(e_, {counts_[partition], {}}, at_.grid.tasks, at_.op.partitions[partition].classes,
                        {offsets, {}});
  e_.store_plain(kept_[partition], at_.i64(0), kept);
}

Entry Folding::entry(Expr task) {
  Entry entry{chain_ ? take_turn(task) : carried(task), {}};
  if (scanned_) entry.scanned = &*scanned_;
  for (std::size_t g = 0; g < at_.op.partitions.size(); ++g) {
    Running::Cursor& cursor = entry.partitions.emplace_back();
    if (packing_.packs(g)) {
      cursor = packing_.start(g);
      continue;
    }
    cursor.table = table(g, task);
    if (!at_.op.partitions[g].classes.is_constant(1)) continue;
    cursor.next.push_back(e_.load_plain(cursor.table.buffer, cursor.table.base, "next"));
  }
  if (turn_of_scans_ || turn_of_partitions_) entry.per_task = at_.grid.columns_per_task;
  return entry;
}

void Folding::finish(Expr task, const Ends& ends) {
  std::vector<std::vector<Expr>> counts, first;
  for (std::size_t g = 0; g < at_.op.partitions.size(); ++g) {
    counts.emplace_back(), first.emplace_back();
    if (!packing_.packs(g)) continue;
    counts[g] = packing_.counts(ends.partitions[g]);
    if (is_chained(g)) {
      first[g].push_back(e_.declare(at_.i64(0), "first"));
      continue;
    }
    const Destination places = table(g, task);
    for (std::size_t c = 0; c < counts[g].size(); ++c) {
      Expr at = e_.lower(arena_.add(places.base, at_.i64(static_cast<std::int64_t>(c))));
      first[g].push_back(e_.load_plain(places.buffer, at, "first"));
    }
  }
  if (turn_of_partitions_) {
    Expr is_last = e_.lower(arena_.eq(arena_.add(task, at_.i64(1)), at_.grid.tasks));
    e_.in_order(*turn_of_partitions_, [&] {
      for (std::size_t g = 0; g < counts.size(); ++g) {
        if (!is_chained(g)) continue;
        Expr before = e_.load_plain(kept_[g], at_.i64(0), "before");
        Expr kept = e_.bind(arena_.add(before, counts[g][0]), "kept");
        e_.assign(first[g][0], before);
        e_.store_plain(kept_[g], at_.i64(0), kept);
        e_.if_then(is_last, [&] {
          const Var offsets = at_.names(at_.layout.partitions[g])[1];
          e_.store_plain(offsets, at_.i64(0), at_.i64(0));
          e_.store_plain(offsets, at_.i64(1), kept);
        });
      }
    });
  }
  for (std::size_t g = 0; g < counts.size(); ++g) {
    if (counts[g].empty()) continue;
    if (is_chained(g)) first[g][0] = e_.snapshot(first[g][0], "first");
    packing_.finish(g, counts[g], first[g]);
  }
}

}  // namespace fulgurite::lower
