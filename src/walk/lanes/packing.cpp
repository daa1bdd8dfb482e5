#include "walk/lanes/packing.h"

#include "schedule/lanes/nests.h"
#include "schedule/nest.h"
#include "soac/outputs.h"

namespace fulgurite::walk::lanes {

// This many elements after the last one may be overwritten.
std::int64_t Packing::room() const {
  return most_points + schedule::most_lanes;
}

Running::Cursor Packing::start(const Emitter& e) const {
  const soac::OutputView outputs = soac::view_of(s);
  const auto& made = outputs.partitions[partition];
  const auto classes = static_cast<std::int64_t>(made.classes.bits());
  Running::Cursor cursor{{}, {}, true};
  for (std::int64_t c = 0; c < classes; ++c) cursor.next.push_back(e.arena().i64(c * room()));
  for (Var array : made.arrays) {
    const Kind kind = e.arena().info(array).type.kind;
    e.set_destination(array, {e.allocate_shared(kind, classes * room()), {}});
  }
  return cursor;
}

std::vector<Expr> Packing::counts(const Emitter& e, std::span<const Expr> next) const {
  std::vector<Expr> counts;
  for (std::size_t c = 0; c < next.size(); ++c) {
    const Expr first = e.arena().i64(static_cast<std::int64_t>(c) * room());
    counts.push_back(e.lower(next[c] - first));
  }
  return counts;
}

void Packing::finish(const Emitter& e, std::span<const Expr> counts, std::span<const Expr> first,
                     const schedule::Lanes& lanes) const {
  scalar::Arena& arena = e.arena();
  const soac::OutputView outputs = soac::view_of(s);
  const std::span<const Var> made = outputs.partitions[partition].arrays;
  if (made.empty()) return;
  const std::vector<Var> packed = buffers_of(e, made);
  for (Var array : made) e.set_destination(array, {array, {}});
  for (std::size_t c = 0; c < first.size(); ++c) {
    const Expr n = schedule::product(arena, std::get<soac::Soac>(s.op).dims);
    soac::Stm move{{made.begin(), made.end()}, soac::Soac{{n}, {}}, s.where, ""};
    auto& op = std::get<soac::Soac>(move.op);
    const Expr i = arena.fresh({Kind::i64}, "i");
    const Expr from = i - first[c] + static_cast<std::int64_t>(c) * room();
    op.body.params = {i.var()};
    for (Var buffer : packed) op.body.results.push_back(arena.index(arena.name(buffer), std::span(&from, 1)));
    Range range{{}, {}, first[c], e.lower(first[c] + counts[c])};
    range.is_aligned = false;
    walk_range(e, move, range, {schedule::inner_versions(arena, move, lanes).back().nest, true});
  }
}

}  // namespace fulgurite::walk::lanes
