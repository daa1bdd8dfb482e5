// What this process has done so far, as public counters: tests assert them, and programs may watch them.
#pragma once

#include <fulgurite/abi.h>

#include <cstdint>

#pragma GCC visibility push(default)

namespace fulgurite {

/// Counts since the process began, or since reset_stats().
struct Stats {
  std::uint64_t launches = 0;  // kernels run; one with several phases counts once
  // Launches on a device other than the host, without kernels that are one thread's walk through arrays.
  std::uint64_t device_launches = 0;
  // How often the host waited for kernels of another device: once a call, and where it needs their results.
  std::uint64_t waits = 0;
  std::uint64_t compilations = 0;     // kernels that an engine's compiler was called for
  std::uint64_t memory_hits = 0;      // kernels found in this process
  std::uint64_t disk_hits = 0;        // kernels found in the cache directory
  std::uint64_t misses = 0;           // kernels found in neither
  std::uint64_t program_hits = 0;     // programs found, in memory or on disk, before any optimisation
  std::uint64_t traces = 0;           // calls of a user's function to learn what it computes
  std::uint64_t retraces = 0;         // of these, calls for a function that was traced before
  std::uint64_t bytes_allocated = 0;  // asked for arrays, whether or not a freed block was there
  std::uint64_t bytes_copied = 0;     // moved between the user's memory, arrays and devices
  std::uint64_t bytes_moved = 0;      // read and written by kernels, as their plans count
  std::uint64_t pool_reuses = 0;      // allocations that a freed block served
};

/// The counters now; and all of them 0 again. Any thread may ask; kernels that run meanwhile count on.
Stats stats();
void reset_stats();

}  // namespace fulgurite

#pragma GCC visibility pop
