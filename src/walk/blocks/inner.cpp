#include "walk/blocks/inner.h"

#include "walk/arrays.h"
#include "walk/inner.h"

namespace fulgurite::walk::blocks {

namespace {

// Scans go on from entry.scans; the cursors of partitions do not pack.
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

}  // namespace

void inner(const Emitter& e, const soac::Stm& s) {
  walk::inner(e, s, [&](const soac::Stm& walked, const lanes::Entry& entry) {
    e.note_sequential(walked, "is inside of another combinator, whose points have a thread each");
    return walk_alone(e, walked, entry);
  });
}

}  // namespace fulgurite::walk::blocks
