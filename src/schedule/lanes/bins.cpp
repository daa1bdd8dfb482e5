#include "schedule/lanes/bins.h"

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/phases.h"
#include "schedule/rewrites/posts.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"

namespace fulgurite::schedule {

namespace {

// Whether the points' places and values can be left in buffers.
bool posts(const Building& at) {
  return !at.loops.rows && !makes_arrays(at.op());
}

std::int64_t bytes_of_bin(const scalar::Arena& arena, const Bins& bins) {
  std::int64_t bytes = 0;
  for (Var array : bins.memory) bytes += static_cast<std::int64_t>(size_of(arena.info(array).type.kind));
  return bytes;
}

// Copies of the bins pay where they stay in the first cache and a task has enough points for each bin.
Combine::Level copies(const Building& at, const Bins& bins, Expr points) {
  scalar::Arena& arena = at.arena;
  const LanesPolicy& by = at.lanes.by;
  const std::int64_t bytes = bytes_of_bin(arena, bins);
  // What more copies of wide bins displace costs more than waiting now and then.
  const std::int64_t n = bytes > 4 ? by.bin_updates / 2 : by.bin_updates;
  const std::int64_t room = by.bin_copy_bytes / bytes / bin_gap * bin_gap;
  const Expr stride = bin_stride(arena, at.op().scatters[bins.scatter]);
  const Expr are_worth_it = stride * (n * by.bin_copy_points) <= points;
  const Expr are_few = (stride <= room) & are_worth_it;
  return {Unit::registers, Join::copies, n, room, are_few};
}

}  // namespace

Expr bin_stride(scalar::Arena& arena, const soac::Scatter& scatter) {
  const Expr size = product(arena, scatter.shape), gap = arena.i64(bin_gap);
  return ceil_div(size + gap, gap) * gap;
}

Expr first_bin(scalar::Arena& arena, const soac::Scatter& scatter, Expr task) {
  return bin_gap + task * bin_stride(arena, scatter);
}

std::vector<Bins> bins_of(Building& at) {
  std::vector<Bins> all;
  const soac::OutputView outputs = soac::view_of(at.posting);
  for (std::size_t g = 0; g < outputs.scatters.size(); ++g) {
    if (outputs.scatters[g].to.combine.empty()) continue;
    Bins& bins = all.emplace_back(Bins{g, {}});
    const Expr n = first_bin(at.arena, outputs.scatters[g].to, at.tasks);
    for (Var array : outputs.scatters[g].arrays)
      bins.memory.push_back(at.memory(at.arena.info(array).type.kind, n, "bins"));
  }
  return all;
}

void combine_bins(const Building& at, const std::vector<Bins>& all, Nest& nest) {
  if (all.empty()) return;
  const LanesPolicy& by = at.lanes.by;
  const Expr points = min(at.grid.columns_per_task, at.grid.columns);
  for (const Bins& bins : all) {
    const soac::Scatter& scatter = at.op().scatters[bins.scatter];
    Combine combine{Combine::Part::scatter, bins.scatter, {}, bins.memory};
    if (posts(at)) {
      combine.levels.push_back({Unit::registers, Join::in_order, by.bin_updates});
      if (takes_right(at.arena, scatter.combine[0].op)) {
        const Expr size = product(at.arena, scatter.shape);
        const Expr seldom = size * by.bin_taken_points <= points;
        combine.levels.push_back({Unit::registers, Join::taken, 0, 0, seldom});
      }
      if (scatter.combine[0].commutative)
        if (const Combine::Level level = copies(at, bins, points); level.room > bin_gap)
          combine.levels.push_back(level);
    }
    combine.levels.push_back({Unit::grid, Join::bins, at.loops.tail_lanes});
    nest.combines.push_back(std::move(combine));
  }
  if (!posts(at)) return;
  nest.traffic.portion = at.loops.portion;
  const soac::Stm posting = post_bins(at.arena, at.posting).stm;
  const LaneLoops loops = choose(at.arena, std::get<soac::Soac>(posting.op), at.lanes);
  const Grid pieces{{}, at.grid.columns, {}, at.i64(at.loops.portion), at.grid.most_points};
  bool packs = true;
  for (std::size_t g = 0; g < at.op().partitions.size(); ++g)
    packs = packs && level_of(nest, Combine::Part::partition, g, Unit::registers);
  Nest lanes = nest_of(at.arena, posting, loops, at.lanes, {&pieces, true, packs});
  std::erase_if(lanes.cuts, [](const Cut& cut) { return cut.unit == Unit::grid; });
  for (std::size_t g = 0; g < at.op().partitions.size(); ++g)
    if (level_of(nest, Combine::Part::partition, g, Unit::registers))
      add_level(lanes, Combine::Part::partition, g, {Unit::registers, Join::packed}, {});
  nest.inner.push_back({0, std::move(lanes)});
}

void add_places(Building& at, const soac::Stm& original, const std::vector<Bins>& all) {
  for (const Bins& bins : all) {
    const soac::Scatter& scatter = at.op().scatters[bins.scatter];
    const auto bin = [&](Expr task, Expr place) { return first_bin(at.arena, scatter, task) + place; };
    const auto is_made = [&](Var array) {
      return std::ranges::find(original.names, array) != original.names.end();
    };
    at.add_map("places", places(at.arena, at.posting, bins.scatter, at.tasks, bins.memory, bin, is_made));
  }
}

}  // namespace fulgurite::schedule
