#include "lower/folding.h"

#include "base/match.h"
#include "lower/carry.h"
#include "lower/slice.h"

namespace fulgurite::lower {

namespace {

constexpr std::int64_t few_classes = 8;  // counted as so many reductions, in lanes

}  // namespace

Folding::Folding(Frame& frame) : at_(frame), arena_(frame.arena), e_(frame.e) {
  for (const soac::Stm* s : scans_of(at_.op.body)) {
    Scan scan{s, &std::get<soac::Scan>(s->op), {}};
    for (Expr x : scan.op->operands)
      scan.partials.push_back(at_.temporary(x.kind(), at_.grid.tasks, "carry"));
    scans_.push_back(std::move(scan));
  }
  for (const soac::Partition& p : at_.op.partitions) {
    counts_.push_back(at_.temporary(Kind::i64, arena_.mul(at_.grid.tasks, p.classes), "counts"));
    kept_.push_back(at_.temporary(Kind::i64, at_.i64(1), "kept"));
  }
}

// Classes of a partition that depend on a Scan are counted when every tile knows what its Scans go on from.
bool Folding::is_late(std::size_t partition) const {
  return has_scan(slice(arena_, at_.op.body, {at_.results(at_.layout.partitions[partition])[0]}));
}

void Folding::phases() {
  if (scans_.empty() && at_.op.partitions.empty()) return;
  std::vector<std::size_t> early, late;
  for (std::size_t g = 0; g < at_.op.partitions.size(); ++g) (is_late(g) ? late : early).push_back(g);
  // The partial result of the last tile is nobody's carry.
  Expr folded = early.empty() ? arena_.sub(at_.grid.tasks, at_.i64(1)) : at_.grid.tasks;
  if (!scans_.empty() || !early.empty()) {
    at_.phase(folded, [&](Expr task) { fold(task, scans_, early, {}); });
    at_.phase(at_.i64(1), [&](Expr) {
      for (const Scan& scan : scans_) carry(scan);
      for (std::size_t g : early) count(g);
    });
  }
  if (late.empty()) return;
  at_.phase(at_.grid.tasks, [&](Expr task) { fold(task, {}, late, carried(task)); });
  at_.phase(at_.i64(1), [&](Expr) {
    for (std::size_t g : late) count(g);
  });
}

// Partial results of Scans and the numbers of points of each class, over one tile.
void Folding::fold(Expr task, const std::vector<Scan>& scans, const std::vector<std::size_t>& partitions,
                   Entry entry) {
  soac::Soac op{at_.op.dims, {}};
  std::vector<Expr> wanted, classes;
  for (const Scan& scan : scans) {
    op.reductions.push_back(scan.op->reduction);
    op.reductions.back().initial.clear();
    wanted.insert(wanted.end(), scan.op->operands.begin(), scan.op->operands.end());
  }
  std::vector<std::pair<std::size_t, std::int64_t>> counted;  // by reductions: partition, class
  for (std::size_t g : partitions) {
    const soac::Partition& p = at_.op.partitions[g];
    Expr element_class = at_.results(at_.layout.partitions[g])[0];
    if (p.classes.is_constant() && p.classes.bits() <= few_classes) {
      for (std::int64_t c = 0; c < static_cast<std::int64_t>(p.classes.bits()); ++c) {
        op.reductions.push_back(integer_sum(arena_));
        wanted.push_back(
            arena_.apply(Op::select, {arena_.eq(element_class, at_.i64(c)), at_.i64(1), at_.i64(0)}));
        counted.emplace_back(g, c);
      }
    } else {
      op.partitions.push_back({p.classes, 0});
      classes.push_back(element_class);
      entry.partitions.push_back({{}, table(g, task)});
      clear(e_, p.classes, entry.partitions.back().table);
    }
  }
  wanted.insert(wanted.end(), classes.begin(), classes.end());
  const bool scans_run = !entry.scans.empty();
  std::vector<Expr> needed = wanted;
  if (scans_run)  // all of them: the carries are numbered as they are
    for (const soac::Stm* scan : scans_of(at_.op.body))
      for (Var name : scan->names) needed.push_back(arena_.name(name));
  op.body = slice(arena_, at_.op.body, needed);
  op.body.results = wanted;
  soac::Stm walk{{}, std::move(op), at_.s.where, at_.s.origin};
  const auto& walked = std::get<soac::Soac>(walk.op);
  for (Expr result : wanted) walk.names.push_back(arena_.fresh(result.type(), "partial").var());
  for (std::size_t k = 0; k < classes.size(); ++k)
    walk.names.push_back(arena_.fresh_array(Kind::i64, {at_.i64(0)}, "offsets").var());
  Policy policy = at_.policy_of(walked);
  Ends ends = block_loop(e_, walk, at_.points_of(task), policy, entry);
  std::size_t next = 0;
  for (const Scan& scan : scans)
    for (Var partial : scan.partials) e_.store_plain(partial, task, ends.totals[next++]);
  for (auto [g, c] : counted) {
    const Destination to = table(g, task);
    e_.store_plain(to.buffer, e_.lower(arena_.add(to.base, at_.i64(c))), ends.totals[next++]);
  }
}

Destination Folding::table(std::size_t partition, Expr task) {
  return {counts_[partition], e_.lower(arena_.mul(task, at_.op.partitions[partition].classes))};
}
// partial[t] = initial op partial[0] op ... op partial[t - 1]
void Folding::carry(const Scan& scan) {
  const soac::Reduction& r = scan.op->reduction;
  std::vector<Expr> so_far;
  for (Expr first : e_.lower(first_of(*scan.stm))) so_far.push_back(e_.declare(first, "so_far"));
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
Entry Folding::carried(Expr task) {
  Entry entry;
  for (const Scan& scan : scans_) {
    entry.scans.emplace_back();
    for (Var partial : scan.partials) entry.scans.back().push_back(e_.load_plain(partial, task, "so_far"));
  }
  return entry;
}

void Folding::count(std::size_t partition) {
  const Var offsets = at_.names(at_.layout.partitions[partition])[1];
  Expr kept = count_off(e_, {counts_[partition], {}}, at_.grid.tasks, at_.op.partitions[partition].classes,
                        {offsets, {}});
  e_.store_plain(kept_[partition], at_.i64(0), kept);
}

Entry Folding::entry(Expr task) {
  Entry entry = carried(task);
  for (std::size_t g = 0; g < at_.op.partitions.size(); ++g) {
    const Destination counts = table(g, task);
    const bool one_class = at_.op.partitions[g].classes.is_constant(1);
    entry.partitions.push_back(one_class
                                   ? Running::Cursor{e_.load_plain(counts.buffer, counts.base, "next"), {}}
                                   : Running::Cursor{{}, counts});
  }
  return entry;
}

}  // namespace fulgurite::lower
