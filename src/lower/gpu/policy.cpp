#include "lower/gpu/policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "lower/gpu/levels.h"
#include "lower/gpu/updates.h"
#include "lower/gpu/wide.h"
#include "schedule/rewrites/slice.h"
#include "soac/layout.h"
#include "soac/walk.h"

namespace fulgurite::lower::gpu {

using scalar::Expr;
using scalar::Kind;

namespace {

constexpr std::int64_t with_scratch = 128;  // where each thread has arrays of its own

std::int64_t bytes(std::span<const Expr> values) {
  std::int64_t sum = 0;
  for (Expr e : values) sum += static_cast<std::int64_t>(size_of(e.kind()));
  return sum;
}

// Bytes for each thread, and for each point of a tile.
struct Needs {
  std::int64_t thread = 0, point = 0;
};

bool posts(const soac::Scatter& s) {
  return !s.combine.empty() && !atomic_of(s);
}

Needs needs_of(const soac::Soac& op) {
  Needs needs;
  auto staged = [&](std::span<const Expr> values) {
    needs.point += bytes(values);
    needs.thread += bytes(values);
  };
  for (const soac::Stm* s : schedule::scans_of(op.body)) staged(std::get<soac::Scan>(s->op).operands);
  needs.point += bytes(read_again(op));
  std::vector<Expr> folded;  // what lies in shared memory once, whoever folds it (walk.cpp)
  const soac::Layout layout = soac::layout_of(op);
  for (std::size_t g = 0; g < op.reductions.size(); ++g) {
    needs.thread += bytes(op.reductions[g].op.results);
    if (!in_order(op.reductions[g])) continue;
    for (Expr value :
         std::span(op.body.results).subspan(layout.reductions[g].result, layout.reductions[g].n_results))
      if (std::ranges::find(folded, value) == folded.end()) folded.push_back(value);
  }
  needs.point += bytes(folded);
  for (const soac::Scatter& s : op.scatters)  // posted; the place beside them
    if (posts(s)) needs.point += bytes(s.combine[0].op.results) + 8;
  for (const soac::Partition& p : op.partitions) needs.point += 8 * static_cast<std::int64_t>(p.n_values) + 8;
  return needs;
}

bool has_loops(const soac::Lambda& f) {
  return std::ranges::any_of(f.body, [](const soac::Stm& s) {
    return base::as<soac::Soac>(s.op) || base::as<soac::Loop>(s.op) ||
           std::ranges::any_of(soac::nested_in(s), [](const auto& n) { return has_loops(*n.lambda); });
  });
}

// Of integers: the results are the same however many blocks combine them.
bool is_exact(const soac::Soac& op) {
  const auto has_floats = [](std::span<const Expr> values) {
    return std::ranges::any_of(values, [](Expr e) { return scalar::is_float(e.kind()); });
  };
  return std::ranges::none_of(op.reductions,
                              [&](const soac::Reduction& r) { return has_floats(r.op.results); }) &&
         std::ranges::none_of(
             schedule::scans_of(op.body),
             [&](const soac::Stm* s) { return has_floats(std::get<soac::Scan>(s->op).operands); }) &&
         std::ranges::none_of(op.scatters, [&](const soac::Scatter& s) {
           return !s.combine.empty() && has_floats(s.combine[0].op.results);
         });
}

// Points may be walked again.
bool only_fills_bins(const soac::Soac& op) {
  return op.scatters.size() == 1 && atomic_of(op.scatters[0]) && op.reductions.empty() &&
         op.partitions.empty() && soac::layout_of(op).mapped.n_results == 0 &&
         schedule::scans_of(op.body).empty() && !has_loops(op.body);
}

}  // namespace

bool in_order(const soac::Reduction& r) {
  return !r.commutative;
}

Policy choose(const soac::Soac& op, const Target& target, std::int64_t posted) {
  Policy policy;
  Needs needs = needs_of(op);
  needs.point += posted;
  const bool is_posted = std::ranges::any_of(op.scatters, posts) || !op.partitions.empty();
  const bool keeps = schedule::makes_arrays(op);
  if (is_posted || keeps || has_loops(op.body)) policy.threads = 64;
  if (needs.point > 0 && !is_posted) policy.items = 15;  // odd: runs of threads begin in different banks
  const auto n_bins = static_cast<std::size_t>(
      std::ranges::count_if(op.scatters, [](const soac::Scatter& s) { return !s.combine.empty(); }));
  const std::int64_t bins = static_cast<std::int64_t>(std::min(n_bins, most_bins)) * bin_bytes;
  auto shared = [&] { return bins + policy.threads * (needs.thread + policy.items * needs.point); };
  while (shared() > most_of_tiles(target) && policy.items > 1) policy.items -= 2;
  while (shared() > most_of_tiles(target) && policy.threads > 32) policy.threads /= 2;

  if (only_fills_bins(op)) policy.bin_passes = most_bin_passes;
  policy.neighbours = neighbours_of(op);
  const bool has_totals = needs.thread > 0 || is_posted;
  policy.points = std::max(std::int64_t{policy.threads} * (has_loops(op.body) ? 1
                                                           : has_totals       ? 8
                                                                        : std::max(4, policy.neighbours)),
                           policy.tile());
  if (schedule::has_bins(op)) policy.points = std::max(policy.points, std::int64_t{policy.threads} * 16);
  if (has_totals || schedule::has_bins(op)) policy.most_blocks = enough_blocks;
  if (keeps) policy.most_blocks = with_scratch;
  if (target.tells_occupancy && policy.most_blocks > 0 && is_exact(op)) policy.most_blocks = resident_blocks;
  return policy;
}

// What is read around a strip costs little beside the strip itself, at most a sixteenth on each axis where
// there is room. Narrow strips are more blocks.
std::optional<Strip> choose_strip(const Target& target, bool has_rows, std::int64_t rows,
                                  std::int64_t columns, std::int64_t bytes) {
  const auto fits = [&](std::int64_t window) { return window * bytes <= most_of_tiles(target); };
  if (!has_rows) {
    for (std::int64_t n = 1024; n <= 4096; n *= 2) {
      const std::int64_t window = (n + columns + 31) / 32 * 32 + 32;  // it begins where a warp's elements do
      if (n >= 16 * columns && fits(window)) return Strip{n, 1, window};
    }
    return {};
  }
  for (std::int64_t n = columns > 2 ? 256 : 128; n >= std::max(std::int64_t{64}, 16 * columns); n /= 2)
    for (std::int64_t window = 2048; window <= 8192 && fits(window); window *= 2) {
      const std::int64_t at_once = window / (n + columns + 62) - rows;  // so do its rows, and those behind
                                                                        // them
      if (at_once >= 8) return Strip{n, std::max(16 * rows, std::int64_t{16}), window};
    }
  return {};
}

std::string to_string(const Policy& p) {
  if (p.strip)
    return fmt::format("blocks of {} threads, strips of {} points{}, windows of {} elements in shared memory",
                       p.threads, p.strip->columns,
                       p.strip->rows == 1 ? std::string() : fmt::format(" by {} or more", p.strip->rows),
                       p.strip->window);
  if (p.rows)
    return fmt::format("blocks of {} threads, at most {} rows, their elements in tiles of {}", p.threads,
                       p.points, p.tile());
  return fmt::format(
      "blocks of {} threads, {} points or more{}{}{}{}", p.threads, p.points,
      p.most_blocks == 0                 ? std::string()
      : p.most_blocks == resident_blocks ? std::string(", at most as many blocks as run at once")
                                         : fmt::format(", at most {} blocks", p.most_blocks),
      p.items == 1 ? std::string() : fmt::format(", runs of {}", p.items),
      p.neighbours == 1 ? std::string() : fmt::format(", {} neighbours a thread", p.neighbours),
      p.bin_passes == 1 ? std::string()
                        : fmt::format(", bins in shared memory in up to {} passes", p.bin_passes));
}

}  // namespace fulgurite::lower::gpu
