#include "walk/lanes/scan_vectors.h"

namespace fulgurite::walk::lanes {

using kernel::Level;

namespace {

std::vector<Var> memory_of(const Walk& walk, const Running& running) {
  std::vector<Var> memory;
  for (const auto& group : running.scans)
    for (Expr variable : group)
      memory.push_back(walk.e.allocate_shared(variable.kind(), walk.loops.scan_lanes));
  return memory;
}

}  // namespace

ScanVectors::ScanVectors(const Walk& walk, const Emitter& e, const Running& running)
    : walk_(walk),
      running_(running),
      carried_(memory_of(walk, running)),
      accumulators_(walk.e, walk.op(), walk.loops.scan_lanes, walk.loops.tail_lanes),
      scan_runs_(walk.entry.scanned) {
  accumulators_.start(walk.e);
  if (walk.loops.scan_steps > 0 && !scan_runs_)
    scan_runs_ = &own_.emplace(e, walk.op(), walk.loops, ScanRuns::round_of(walk.loops));
}

Running ScanVectors::restored(const Emitter& e, Expr t) const {
  return {accumulators_.restore(e, t), {}, 0, walk_.partitions};
}

// The whole rounds of runs of [begin, end); gives the first point that is left.
Expr ScanVectors::runs(std::span<const Expr> outer, Expr begin, Expr end) {
  if (!scan_runs_) return begin;
  const Emitter lane = walk_.e.in_lanes();
  const Runs::Point point = [&](const Emitter& e, Expr j, const Runs::Body& body) {
    walk_.space.at_point(e, outer, j,
                         [&](const Emitter& at, std::span<const Expr> indices, Expr) { body(at, indices); });
  };
  const int lanes = walk_.loops.scan_lanes;
  return scan_runs_->walk(begin, end, running_.scans, point, [&](Expr from) {
    lane.par(Level::block, walk_.i64(lanes), "t", [&](Expr t) {
      Running here = restored(lane, t);
      here.lanes = lanes;
      scan_runs_->points(
          from, t, here, [&](Expr start) { read_ahead(walk_, lane, start, walk_.loops.scan_steps); },
          [&](Expr j) { walk_.space.element(lane, walk_.s, outer, j, here); });
      accumulators_.save(lane, here.reductions, t);
    });
  });
}

Expr ScanVectors::walk(std::span<const Expr> outer, Expr begin, Expr end) {
  begin = runs(outer, begin, end);
  const int lanes = walk_.loops.scan_lanes;
  const Expr step = walk_.i64(lanes), zero = walk_.i64(0);
  const Expr full = max(end - begin, zero) / step * step;
  const Expr rest = walk_.e.lower(begin + full);
  const Emitter lane = walk_.e.in_lanes();
  lane.par(Level::block, step, "t", [&](Expr t) {
    Running here = restored(lane, t);
    here.lanes = lanes;
    for (const auto& group : running_.scans) {
      here.scans.emplace_back();
      for (Expr variable : group) here.scans.back().push_back(lane.declare(variable, "so_far"));
    }
    lane.for_loop(begin, rest, step, "from", [&](Expr from) {
      read_ahead(walk_, lane, from, lanes);
      walk_.space.element(lane, walk_.s, outer, lane.bind(from + t, "j"), here);
    });
    accumulators_.save(lane, here.reductions, t);
    auto next = carried_.begin();
    for (const auto& group : here.scans)
      for (Expr variable : group) lane.store_plain(*next++, t, lane.snapshot(variable, "so_far"));
  });
  auto next = carried_.begin();
  for (const auto& group : running_.scans)
    for (Expr variable : group) walk_.e.assign(variable, walk_.e.load_plain(*next++, zero, "so_far"));
  return rest;
}

void ScanVectors::join(const Emitter& e) const {
  accumulators_.halve(e);
  std::size_t next = 0;
  for (std::size_t g = 0; g < running_.reductions.size(); ++g) {
    std::vector<Expr> values;
    for (std::size_t k = 0; k < running_.reductions[g].size(); ++k)
      values.push_back(accumulators_.total(e, next++));
    walk::join(e, walk_.op().reductions[g], running_.reductions[g], values);
  }
}

}  // namespace fulgurite::walk::lanes
