#include "lower/gpu/scans.h"

#include <algorithm>

#include "lower/gpu/levels.h"
#include "schedule/rewrites/slice.h"

namespace fulgurite::lower::gpu {

Scans::Scans(Frame& frame) : at_(frame), arena_(frame.arena) {
  const std::vector<const soac::Stm*> all = schedule::scans_of(at_.op.body);
  const std::vector<int> levels = levels_of(at_.op.body);
  for (std::size_t k = 0; k < all.size(); ++k) {
    Scan scan{all[k], &std::get<soac::Scan>(all[k]->op), levels[k], {}, {}, {}};
    for (Expr x : scan.op->operands) {
      scan.partials.push_back(at_.temporary(x.kind(), at_.cut.blocks, "partial"));
      scan.carries.push_back(at_.temporary(x.kind(), at_.cut.blocks, "carry"));
      scan.totals.push_back(at_.temporary(x.kind(), at_.i64(1), "total"));
    }
    n_levels_ = std::max(n_levels_, scan.level + 1);
    scans_.push_back(std::move(scan));
  }
  if (at_.looks_back) state_ = at_.temporary(Kind::i32, size_of_state(), "state");
}

Expr Scans::size_of_state() const {
  return arena_.add(at_.i64(1), arena_.mul(at_.i64(n_levels_), at_.cut.blocks));
}

std::vector<const Scans::Scan*> Scans::at_level(int level) const {
  std::vector<const Scan*> found;
  for (const Scan& scan : scans_)
    if (scan.level == level) found.push_back(&scan);
  return found;
}

void Scans::phases() {
  if (at_.looks_back) return at_.fill_with(state_, size_of_state(), arena_.cast(at_.i64(0), Kind::i32));
  for (int level = 0; level < n_levels_; ++level) {
    fold(at_level(level));
    carry(at_level(level));
  }
}

std::vector<Published> Scans::published() const {
  std::vector<Published> levels;
  for (int level = 0; at_.looks_back && level < n_levels_; ++level) {
    Expr first = arena_.add(at_.i64(1), arena_.mul(at_.i64(level), at_.cut.blocks));
    Published& published = levels.emplace_back(Published{state_, first, {}, {}});
    for (const Scan* scan : at_level(level)) {
      published.totals.push_back(scan->partials);
      published.prefixes.push_back(scan->carries);
    }
  }
  return levels;
}

void Scans::fold(const std::vector<const Scan*>& scans) {
  soac::Soac op{at_.op.dims, {}};
  std::vector<Expr> wanted;
  soac::Stm s{{}, {}, at_.lifted.where, at_.lifted.origin};
  std::vector<Var> partials;
  for (const Scan* scan : scans) {
    op.reductions.push_back(scan->op->reduction);
    op.reductions.back().initial.clear();
    wanted.insert(wanted.end(), scan->op->operands.begin(), scan->op->operands.end());
    partials.insert(partials.end(), scan->partials.begin(), scan->partials.end());
  }
  for (Expr e : wanted) s.names.push_back(arena_.fresh(e.type(), "partial").var());
  op.body = schedule::slice(arena_, at_.op.body, wanted);
  s.op = std::move(op);
  at_.walk_all(
      s, [&](const Emitter& task) { return entry(task, s); }, {},
      [&](const Emitter& e, const Block& block, const Ends& ends) {
        for (std::size_t k = 0; k < partials.size(); ++k)
          e.store_plain(partials[k], block.task, ends.totals[k]);
      },
      at_.i64(1));
}

// carry[b] = initial op partial[0] op ... op partial[b - 1]
void Scans::carry(const std::vector<const Scan*>& scans) {
  Expr b = arena_.fresh({Kind::i64}, "b");
  soac::Soac op{{at_.cut.blocks}, {{b.var()}, {}, {}}};
  soac::Stm s{{}, {}, at_.lifted.where, ""};
  for (const Scan* scan : scans) {
    soac::Stm running{{}, soac::Scan{scan->op->reduction, {}, false}, at_.lifted.where, ""};
    auto& inner = std::get<soac::Scan>(running.op);
    inner.reduction.initial.clear();
    for (std::size_t k = 0; k < scan->partials.size(); ++k) {
      inner.operands.push_back(arena_.index(arena_.name(scan->partials[k]), std::span(&b, 1)));
      Expr value = arena_.fresh({arena_.info(scan->partials[k]).type.kind}, "carry");
      running.names.push_back(value.var());
      op.body.results.push_back(value);
      s.names.push_back(scan->carries[k]);
      at_.e.set_destination(scan->carries[k], {scan->carries[k], {}});
    }
    op.body.body.push_back(std::move(running));
  }
  s.op = std::move(op);
  auto start = [&](const Emitter& e) {
    Entry entry;
    for (const Scan* scan : scans) entry.scans.push_back(e.lower(schedule::first_of(*scan->stm)));
    return entry;
  };
  at_.walk_by_one(s, start,
                  [&](const Emitter& e, const Block&, const Ends& ends) { offsets(e, scans, ends); });
}

// Which of the partition's classes the Scan counts, or -1.
int Scans::class_counted(const Ranks::Partition& p, const Scan& scan) {
  for (std::size_t c = 0; c < p.counts.size(); ++c)
    if (p.counts[c].var() == scan.stm->names[0]) return static_cast<int>(c);
  return -1;
}

void Scans::offsets(const Emitter& e, const std::vector<const Scan*>& scans, const Ends& ends) {
  for (const Scan* scan : scans)
    for (const Ranks::Partition& p : at_.ranks.partitions)
      if (class_counted(p, *scan) == 0) offsets(e, p, scans, ends);
}

// Where the classes begin.
void Scans::offsets(const Emitter& e, const Ranks::Partition& p, const std::vector<const Scan*>& scans,
                    const Ends& ends) {
  const Var offsets = at_.lifted.names[at_.lifted_layout().partitions[p.number].name + 1];
  Expr so_far = at_.i64(0);
  for (std::size_t c = 0; c < p.counts.size(); ++c) {
    e.store_plain(offsets, at_.i64(static_cast<std::int64_t>(c)), so_far);
    for (std::size_t k = 0; k < scans.size(); ++k)
      if (class_counted(p, *scans[k]) == static_cast<int>(c))
        so_far = e.lower(arena_.add(so_far, ends.scans[k][0]));
  }
  e.store_plain(offsets, at_.i64(static_cast<std::int64_t>(p.counts.size())), so_far);
  e.store_plain(at_.kept(p.number), at_.i64(0), so_far);
}

void Scans::finish(const Emitter& e, const Block& block, const Ends& ends) {
  if (scans_.empty()) return;
  Expr is_last = e.lower(arena_.eq(arena_.add(block.task, at_.i64(1)), block.tasks));
  e.if_then(is_last, [&] {
    for (std::size_t k = 0; k < scans_.size(); ++k)
      for (std::size_t c = 0; c < scans_[k].totals.size(); ++c)
        e.store_plain(scans_[k].totals[c], at_.i64(0), ends.scans[k][c]);
    if (!at_.looks_back) return;
    std::vector<const Scan*> all;
    for (const Scan& scan : scans_) all.push_back(&scan);
    offsets(e, all, ends);
  });
}

Entry Scans::entry(const Emitter& e, const soac::Stm& s) {
  Entry entry;
  for (const soac::Stm* part : schedule::scans_of(std::get<soac::Soac>(s.op).body)) {
    const auto scan = std::ranges::find_if(
        scans_, [&](const Scan& known) { return known.stm->names[0] == part->names[0]; });
    if (at_.looks_back) {
      entry.scans.push_back(e.lower(schedule::first_of(*part)));
      continue;
    }
    entry.scans.emplace_back();
    for (Var carry : scan->carries)
      entry.scans.back().push_back(e.load_plain(carry, e.context().task, "so_far"));
  }
  return entry;
}

}  // namespace fulgurite::lower::gpu
