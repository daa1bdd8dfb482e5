#include "schedule/blocks/points.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/steps.h"
#include "soac/outputs.h"
#include "soac/room.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

// Bytes for each thread, and for each point of a tile.
struct Needs {
  std::int64_t thread = 0, point = 0;
};

Needs needs_of(const Surroundings& at, const soac::Soac& op) {
  Needs needs;
  for (const soac::Stm* s : scans_of(op.body)) {
    const auto& scan = std::get<soac::Scan>(s->op);
    const std::int64_t staged = at.device.has_shuffles && counts_little(scan) ? 4 : bytes_of(scan.operands);
    needs.point += staged;
    needs.thread += staged;
  }
  needs.point += bytes_of(read_again(op));
  std::vector<Expr> folded;  // what lies in shared memory once, whoever folds it
  for (const soac::OutputView::Reduced& r : soac::view_of(op).reductions) {
    needs.thread += bytes_of(r.by.op.results);
    if (!in_order(r.by)) continue;
    for (Expr value : r.operands)
      if (std::ranges::find(folded, value) == folded.end()) folded.push_back(value);
  }
  needs.point += bytes_of(folded);
  constexpr std::int64_t place = 8;  // of what is posted
  for (const soac::Scatter& s : op.scatters)
    if (is_posted(s)) needs.point += bytes_of(s.combine[0].op.results) + place;
  const bool are_dealt = deals(at, op);
  for (const soac::OutputView::Partitioned& p : soac::view_of(op).partitions) {
    // A point's class, in its own place and with its number; of each class of a warp a count and a mask.
    needs.point += bytes_of(p.values) + (are_dealt ? 2 + 4 : place);
    if (are_dealt) needs.thread += static_cast<std::int64_t>(p.classes.bits()) * (4 + 4) / warp;
  }
  return needs;
}

bool has_loops(const soac::Lambda& f) {
  return std::ranges::any_of(f.body, [](const soac::Stm& s) {
    return base::as<soac::Soac>(s.op) || base::as<soac::Loop>(s.op) ||
           std::ranges::any_of(soac::nested_in(s), [](const auto& n) { return has_loops(*n.lambda); });
  });
}

bool posts(const soac::Soac& op) {
  return std::ranges::any_of(op.scatters, is_posted) || !op.partitions.empty();
}
bool is_long(const soac::Soac& op) {
  return posts(op) || makes_arrays(op) || has_loops(op.body);
}

bool has_totals(const soac::Soac& op) {
  return posts(op) || !op.reductions.empty() || has_scan(op.body);
}

// Whether all operands are integers, so that results do not depend on the number of blocks.
bool is_exact(const soac::Soac& op) {
  return std::ranges::none_of(op.reductions,
                              [&](const soac::Reduction& r) { return has_floats(r.op.results); }) &&
         std::ranges::none_of(
             scans_of(op.body),
             [&](const soac::Stm* s) { return has_floats(std::get<soac::Scan>(s->op).operands); }) &&
         std::ranges::none_of(op.scatters, [&](const soac::Scatter& s) {
           return !s.combine.empty() && has_floats(s.combine[0].op.results);
         });
}

// Where values wait for their places, only tiles sorted by class have several points for a thread.
bool is_dealt(const soac::Soac& op, const Points& points) {
  return posts(op) && points.items > 1;
}

// Points may be walked again.
bool only_fills_bins(const soac::Soac& op) {
  return op.scatters.size() == 1 && atomic_of(op.scatters[0]) && op.reductions.empty() &&
         op.partitions.empty() && soac::view_of(op).mapped.empty() && scans_of(op.body).empty() &&
         !has_loops(op.body);
}

}  // namespace

std::int64_t bytes_of(std::span<const Expr> values) {
  std::int64_t sum = 0;
  for (Expr e : values) sum += static_cast<std::int64_t>(size_of(e.kind()));
  return sum;
}

bool has_floats(std::span<const Expr> values) {
  return std::ranges::any_of(values, [](Expr e) { return scalar::is_float(e.kind()); });
}

std::int64_t most_of_tiles(const Surroundings& at) {
  return at.device.shared_memory - at.policy.blocks.reserved_bytes;
}

bool is_posted(const soac::Scatter& s) {
  return !s.combine.empty() && !atomic_of(s);
}

bool deals(const Surroundings& at, const soac::Soac& op) {
  const auto is_small = [&](const soac::Partition& p) {
    return p.classes.is_constant() &&
           p.classes.bits() <= static_cast<std::uint64_t>(at.policy.blocks.dealt_classes);
  };
  return !op.partitions.empty() && std::ranges::none_of(op.scatters, is_posted) &&
         std::ranges::all_of(op.partitions, is_small);
}

bool goes_by_tiles(const soac::Soac& op) {
  return has_scan(op.body) || !op.partitions.empty() || std::ranges::any_of(op.reductions, in_order) ||
         std::ranges::any_of(op.scatters, is_posted);
}

Points points_of(const Surroundings& at, const soac::Soac& op, std::int64_t posted) {
  const BlocksPolicy& by = at.policy.blocks;
  Points points;
  points.threads = by.block_threads;
  Needs needs = needs_of(at, op);
  needs.point += posted;
  const bool keeps = makes_arrays(op);
  if (is_long(op)) points.threads = by.loop_threads;
  if (needs.point > 0 && !posts(op)) points.items = by.thread_items;
  const std::int64_t n_bins =
      std::ranges::count_if(op.scatters, [](const soac::Scatter& s) { return !s.combine.empty(); });
  const std::int64_t bins = std::min(n_bins, by.shared_bins) * by.shared_bin_bytes;
  auto shared = [&] { return bins + points.threads * (needs.thread + points.items * needs.point); };
  if (deals(at, op)) {
    if (!keeps && !has_loops(op.body)) points.threads = by.deal_threads;
    points.items = by.deal_items;
    while (shared() > most_of_tiles(at) && points.threads > warp) {
      if (points.items - 2 >= by.deal_least_items)
        points.items -= 2;
      else
        points.threads /= 2, points.items = by.deal_items;
    }
  }
  while (shared() > most_of_tiles(at) && points.items > 1) points.items -= 2;
  while (shared() > most_of_tiles(at) && points.threads > warp) points.threads /= 2;

  // More bins than fit are filled in several passes over the points (Henriksen, Hellfritzsch, Sadayappan,
  // Oancea, "Compiling generalized histograms for GPU", SC 2020, section 4.2).
  if (only_fills_bins(op)) points.bin_passes = by.shared_bin_passes;
  points.neighbours = neighbours_of(at, op);
  const std::int64_t each = has_loops(op.body) ? by.thread_loops
                            : has_totals(op)   ? by.thread_folded_points
                                               : std::max<std::int64_t>(by.thread_points, points.neighbours);
  points.points = std::max(points.threads * each, points.tile());
  if (has_bins(op)) points.points = std::max(points.points, points.threads * by.thread_bin_points);
  if (has_totals(op) || has_bins(op)) points.most_blocks = by.filling_blocks;
  if (keeps) points.most_blocks = by.scratch_blocks, points.room = soac::largest_room(op.body);
  points.are_resident = at.device.tells_occupancy && points.most_blocks > 0 && is_exact(op);
  return points;
}

std::vector<std::string> why_blocks(const soac::Soac& op, const Points& points) {
  const char* number = points.points == points.tile() && points.items > 1 ? "thread_items"
                       : has_bins(op)                                     ? "thread_bin_points"
                       : has_loops(op.body)                               ? "thread_loops"
                       : has_totals(op)                                   ? "thread_folded_points"
                                                                          : "thread_points";
  std::vector<std::string> why{
      fmt::format("tasks: blocks of {} points or more, enough for each thread ({})", points.points, number)};
  if (points.are_resident)
    why.emplace_back("tasks: as many blocks as run at once, a number that changes no result");
  else if (points.most_blocks > 0)
    why.push_back(fmt::format("tasks: at most {} blocks, as {}", points.most_blocks,
                              makes_arrays(op)
                                  ? "each has memory for arrays of its points (scratch_blocks, threads_room)"
                                  : "so many fill any device (filling_blocks)"));
  if (has_bins(op) || (!op.partitions.empty() && !is_dealt(op, points)))
    why.emplace_back(
        "tasks: few blocks, as they have bins or counts of their own (own_bins_points, own_bins_share, "
        "own_bins_room, own_bins_blocks)");
  return why;
}

void add_why_threads(const soac::Soac& op, const Points& points, std::vector<std::string>& why) {
  if (is_dealt(op, points)) {
    why.push_back(
        fmt::format("threads: {} of a block, and at most {} points each of a tile, which is sorted by class "
                    "(dealt_classes, deal_threads, deal_items, deal_least_items, reserved_bytes)",
                    points.threads, points.items));
    return;
  }
  why.push_back(fmt::format("threads: {} of a block, as points are {}, reserved_bytes)", points.threads,
                            is_long(op) ? "long (loop_threads" : "short (block_threads"));
  if (goes_by_tiles(op))
    why.push_back(
        fmt::format("threads: {} points of a tile each, as order counts (thread_items)", points.items));
  else if (points.neighbours > 1)
    why.push_back(
        fmt::format("threads: {} neighbours each, for wide accesses (neighbours, neighbour_operations)",
                    points.neighbours));
}

}  // namespace fulgurite::schedule
