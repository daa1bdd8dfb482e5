#include "schedule/blocks/scans.h"

#include <algorithm>

#include "schedule/blocks/points.h"
#include "schedule/phases.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/steps.h"

namespace fulgurite::schedule::blocks {

Scans::Scans(Frame& frame) : at_(frame) {
  const std::vector<const soac::Stm*> all = scans_of(at_.op().body);
  const std::vector<int> levels = levels_of(at_.op().body);
  for (std::size_t k = 0; k < all.size(); ++k) {
    Scan scan{all[k], levels[k], {}, {}, {}};
    for (Expr x : std::get<soac::Scan>(all[k]->op).operands) {
      scan.partials.push_back(at_.temporary(x.kind(), at_.blocks(), "partial"));
      scan.carries.push_back(at_.temporary(x.kind(), at_.blocks(), "carry"));
      scan.totals.push_back(at_.temporary(x.kind(), at_.i64(1), "total"));
    }
    n_levels_ = std::max(n_levels_, scan.level + 1);
    scans_.push_back(std::move(scan));
  }
  if (at_.looks_back()) state_ = at_.temporary(Kind::i32, size_of_state(), "state");
}

Expr Scans::size_of_state() const {
  return 1 + n_levels_ * at_.blocks();
}

// What tiles before have lies in shared memory that is left to such folds, and twice where it is joined in a
// tree, as it is without floats.
std::int64_t Scans::tiles_at_once() const {
  const BlocksPolicy& by = at_.around().policy.blocks;
  std::int64_t bytes = 0;
  for (const Scan& scan : scans_) {
    const std::vector<Expr>& values = std::get<soac::Scan>(scan.stm->op).operands;
    bytes += bytes_of(values) * (has_floats(values) ? 1 : 2);
  }
  std::int64_t tiles = by.look_back_tiles;
  while (tiles > 2 && tiles * bytes > by.reserved_bytes / 4 * 3) tiles /= 2;
  return tiles;
}

std::vector<const Scans::Scan*> Scans::at_level(int level) const {
  std::vector<const Scan*> found;
  for (const Scan& scan : scans_)
    if (scan.level == level) found.push_back(&scan);
  return found;
}

void Scans::add_phases() {
  if (at_.looks_back()) {
    const Expr nothing = cast(at_.i64(0), Kind::i32);
    Phase& phase = at_.add_filling(state_, size_of_state(), nothing);
    phase.why.emplace_back("phase: nothing is handed on yet by the blocks of the main phase");
    return;
  }
  for (int level = 0; level < n_levels_; ++level) {
    fold(at_level(level));
    carry(at_level(level));
  }
}

void Scans::fold(const std::vector<const Scan*>& scans) {
  std::vector<const soac::Stm*> stms;
  for (const Scan* scan : scans) stms.push_back(scan->stm);
  Phase& phase = at_.add_walk("fold", schedule::fold(at_.arena(), at_.s(), stms, {}), false);
  auto& nest = std::get<Nest>(phase.walk);
  for (std::size_t k = 0; k < scans.size(); ++k)
    add_grid_level(nest, Combine::Part::reduction, k, Join::partials, scans[k]->partials);
  go_on(std::get<soac::Soac>(phase.computes.op), nest);
  phase.why.emplace_back(
      "phase: blocks cannot wait for those before them here, so a walk of its own finds what each has");
}

void Scans::carry(const std::vector<const Scan*>& scans) {
  std::vector<const soac::Stm*> stms;
  std::vector<std::vector<Var>> partials, carries;
  for (const Scan* scan : scans) {
    stms.push_back(scan->stm);
    partials.push_back(scan->partials);
    carries.push_back(scan->carries);
  }
  Phase& phase = at_.add_walk_by_one(
      "carry", schedule::carry(at_.arena(), at_.s(), at_.blocks(), stms, partials, carries));
  std::get<Nest>(phase.walk).classes = classes_of(scans);
}

// The classes of the partitions whose points the Scans count.
std::vector<Classes> Scans::classes_of(const std::vector<const Scan*>& scans) const {
  const soac::OutputView whole = soac::view_of(at_.lifted());
  std::vector<Classes> all;
  for (const Scan* scan : scans)
    for (const Ranks::Partition& p : at_.ranks().partitions) {
      if (p.counts[0].var() != scan->stm->names[0]) continue;
      Classes classes{whole.partitions[p.number].offsets, at_.kept(p.number)};
      for (Expr count : p.counts)
        for (std::size_t k = 0; k < scans.size(); ++k)
          if (scans[k]->stm->names[0] == count.var()) classes.scans.push_back(k);
      all.push_back(std::move(classes));
    }
  return all;
}

void Scans::go_on(const soac::Soac& op, Nest& nest) const {
  const std::vector<const soac::Stm*> here = scans_of(op.body);
  for (std::size_t k = 0; k < here.size(); ++k) {
    const auto same = [&](const Scan& known) { return known.stm->names[0] == here[k]->names[0]; };
    const Scan& scan = *std::ranges::find_if(scans_, same);
    if (!at_.looks_back()) {
      add_grid_level(nest, Combine::Part::scan, k, Join::carried, scan.carries);
      continue;
    }
    std::vector<Var> memory = scan.partials;
    memory.insert(memory.end(), scan.carries.begin(), scan.carries.end());
    memory.push_back(state_);
    add_grid_level(nest, Combine::Part::scan, k, Join::handed_on, std::move(memory));
    Combine::Level& level = combine_in(nest, Combine::Part::scan, k).levels.back();
    level.unit = Unit::turn;
    level.n = tiles_at_once();
  }
}

void Scans::end(Nest& nest) const {
  for (std::size_t k = 0; k < scans_.size(); ++k) {
    Combine& combine = combine_in(nest, Combine::Part::scan, k);
    for (std::size_t c = 0; c < scans_[k].totals.size(); ++c)
      combine.ends.push_back({c, scans_[k].totals[c], at_.i64(0)});
  }
  if (!at_.looks_back()) return;
  std::vector<const Scan*> all;
  for (const Scan& scan : scans_) all.push_back(&scan);
  nest.classes = classes_of(all);
}

}  // namespace fulgurite::schedule::blocks
