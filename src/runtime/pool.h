// Memory for arrays. Freed blocks are kept in buckets by size and given out again, so that a program that is
// called in a loop asks the operating system for nothing: fresh pages cost more than most kernels that fill
// them.
//
// Sizes are rounded up to four steps an octave (at most a quarter too much; pages that are never touched cost
// nothing). Blocks are aligned to 64 bytes, those of 2 MiB and more to 2 MiB and advised to be huge pages.
// Out of memory empties the pool and tries again before it becomes an error. Thread-safe; taking and giving
// back a block is a few nanoseconds under a spin lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "runtime/spin_lock.h"

namespace fulgurite::runtime {

class BufferPool {
 public:
  // Keeps at most `retained_limit` bytes of freed blocks.
  explicit BufferPool(std::size_t retained_limit);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // At least `bytes` bytes, uninitialised; never null, also for 0. Throws OutOfMemory.
  void* allocate(std::size_t bytes);
  // `bytes` as it was asked for.
  void release(void* block, std::size_t bytes) noexcept;

  // Gives every freed block back to the system.
  void trim() noexcept;

  std::size_t retained_bytes() const noexcept { return retained_.load(std::memory_order_relaxed); }

  // The pool of the process keeps a quarter of the machine's memory. It is never destroyed: arrays may
  // outlive everything.
  static BufferPool& shared();

 private:
  struct Free {
    Free* next;
  };
  struct alignas(64) Bucket {
    SpinLock lock;
    Free* first = nullptr;
  };
  static constexpr int n_buckets = 4 * 48;

  void* take(int bucket) noexcept;

  std::array<Bucket, n_buckets> buckets_;
  const std::size_t retained_limit_;
  std::atomic<std::size_t> retained_{0};
};

}  // namespace fulgurite::runtime
