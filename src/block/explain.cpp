#include "block/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "block/block_kernel.h"

namespace fulgurite::block {
namespace {

using Stage = kernel::Traffic::Stage;

std::string of_least(std::int64_t n, std::int64_t least) {
  return least == 0
             ? ""
             : fmt::format(" ({:.2f} of the least)", static_cast<double>(n) / static_cast<double>(least));
}

bool look_the_same(const Stage& a, const Stage& b) {
  const auto key = [](const Stage& s) {
    return std::tie(s.file, s.line, s.threads, s.bytes, s.transactions, s.bank_conflicts, s.idle_lanes);
  };
  return key(a) == key(b);
}

std::string place_of(const Stage& s) {
  return s.line == 0 ? "" : fmt::format("{}:{}", s.file.substr(s.file.find_last_of('/') + 1), s.line);
}

}  // namespace

kernel::Traffic traffic_of(const kernel::Kernel& ir, const kernel::Counts& counts) {
  const kernel::PhaseCounts& c = counts.total;
  kernel::Traffic t{c.global_read + c.global_written,
                    c.least_read + c.least_written,
                    c.transactions,
                    c.least_transactions,
                    c.bank_conflicts,
                    c.idle_lanes,
                    c.lane_slots,
                    c.block_barriers,
                    c.warp_barriers,
                    c.shared_bytes,
                    c.tasks,
                    c.threads};
  for (const kernel::StageCounts& s : counts.stages) {
    const kernel::Location at = s.line == 0 ? kernel::Location() : ir.lines[s.line - 1];
    t.stages.push_back({at.file, at.line, s.threads, s.global_bytes, s.transactions, s.least_transactions,
                        s.bank_conflicts, s.idle_lanes, s.lane_slots});
  }
  return t;
}

std::string explanation(const std::string& kernel_name, const kernel::Traffic& t) {
  std::string text = fmt::format(
      "{}: {} blocks of {} threads, each with {} bytes of shared memory\n"
      "  global memory: {} bytes{}, {} transactions{}\n"
      "  barriers: {} of the block, {} of a warp\n"
      "  bank conflicts: {} passes; idle lanes: {} of {}\n",
      kernel_name, t.blocks, t.threads, t.shared_bytes, t.bytes, of_least(t.bytes, t.least_bytes),
      t.transactions, of_least(t.transactions, t.least_transactions), t.block_barriers, t.warp_barriers,
      t.bank_conflicts, t.idle_lanes, t.lanes);
  std::size_t widest = 4;
  for (const Stage& s : t.stages) widest = std::max(widest, place_of(s).size());
  text += fmt::format("  {:>9}  {:{}}  {:>7}  {:>12}  {:>12}  {:>9}  {:>10}\n", "stage", "line", widest,
                      "threads", "global bytes", "transactions", "conflicts", "idle lanes");
  for (std::size_t first = 0; first < t.stages.size();) {
    const Stage& s = t.stages[first];
    std::size_t last = first;
    while (last + 1 < t.stages.size() && look_the_same(s, t.stages[last + 1])) ++last;
    const std::string number =
        first == last ? fmt::format("{}", first + 1) : fmt::format("{} to {}", first + 1, last + 1);
    text += fmt::format("  {:>9}  {:{}}  {:>7}  {:>12}  {:>12}  {:>9}  {:>10}\n", number, place_of(s), widest,
                        s.threads, s.bytes, s.transactions, s.bank_conflicts, s.idle_lanes);
    first = last + 1;
  }
  return text;
}

}  // namespace fulgurite::block

namespace fulgurite::detail::block {

std::string explanation(const Kernel& k, const kernel::Traffic& t) {
  return fulgurite::block::explanation(k.ir.name, t);
}

}  // namespace fulgurite::detail::block
