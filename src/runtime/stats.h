// The counters behind fulgurite::stats(). Relaxed atomics: each is exact, but a snapshot taken while other
// threads work need not be consistent across counters.
#pragma once

#include <fulgurite/stats.h>

#include <atomic>

namespace fulgurite::runtime {

class Counter {
 public:
  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void reset() noexcept { value_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// One counter for each member of Stats.
struct Counters {
  Counter launches, device_launches, waits, compilations, memory_hits, disk_hits, misses, program_hits,
      traces, retraces, bytes_allocated, bytes_copied, bytes_moved, pool_reuses;
};

// The process has one set.
extern Counters counters;

}  // namespace fulgurite::runtime
