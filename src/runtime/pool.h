// Memory for arrays. Freed blocks are kept in buckets by size and given out again, so that a program that is
// called in a loop asks the operating system, or a device's driver, for nothing: fresh memory costs more than
// most kernels that fill it.
//
// Sizes are rounded up to four steps an octave (at most a quarter too much; pages that are never touched cost
// nothing). Out of memory empties the pool and tries again before it becomes an error. Thread-safe; taking
// and giving back a block is a few nanoseconds under a spin lock.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <string>

#include "runtime/spin_lock.h"

namespace fulgurite::runtime {

// Where blocks come from when none of a pool's fits. A block begins with a word that is the pool's while the
// block is free; so a device whose memory the host cannot write has blocks that hold its handle.
class BlockSource {
 public:
  virtual ~BlockSource() = default;

  // Null if there is no memory left.
  virtual void* take(std::size_t size) noexcept = 0;
  virtual void give_back(void* block, std::size_t size) noexcept = 0;

  virtual std::size_t largest_block() const noexcept = 0;
  // For an error about a block that is larger: "this machine has 4 bytes".
  virtual std::string limit_text() const = 0;

  // The host's memory: aligned to 64 bytes, blocks of 2 MiB and more to 2 MiB and advised to be huge pages.
  static BlockSource& host();
};

// Sizes of blocks, by the number of their bucket: 64 * {1, 1.25, 1.5, 1.75, 2, ...}, as multiples of 64. A
// bucket's number is 4 * octave + quarter.
struct BlockSizes {
  static constexpr std::size_t smallest = 64;

  // The bucket with the smallest blocks that have this many bytes.
  static constexpr int bucket_of(std::size_t bytes) {
    if (bytes <= smallest) return 0;
    const int octave = std::bit_width(bytes - 1) - 1;  // 2^octave < bytes <= 2^(octave + 1)
    const std::size_t quarter = (bytes - 1 - (std::size_t{1} << octave)) >> (octave - 2);
    return 4 * (octave - smallest_octave) + static_cast<int>(quarter) + 1;
  }
  static constexpr std::size_t of_bucket(int bucket) {
    const std::size_t octave = std::size_t{1} << (bucket / 4 + smallest_octave);
    const std::size_t size = octave + octave / 4 * static_cast<std::size_t>(bucket % 4);
    return (size + smallest - 1) / smallest * smallest;
  }

 private:
  static constexpr int smallest_octave = 6;
};

// As people read it: "12 bytes", "20971520 bytes (20 MiB)".
std::string readable_size(std::size_t bytes);

class BufferPool {
 public:
  // Keeps at most `retained_limit` bytes of freed blocks. `source` outlives the pool.
  explicit BufferPool(std::size_t retained_limit, BlockSource& source = BlockSource::host());
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // At least `bytes` bytes, uninitialised; never null, also for 0. Throws OutOfMemory.
  void* allocate(std::size_t bytes);
  // `bytes` as it was asked for.
  void release(void* block, std::size_t bytes) noexcept;

  // Gives every freed block back to where it came from.
  void trim() noexcept;

  // In a child that was forked while another thread held a lock, which is nobody's there. Blocks in the
  // buckets are whole at any time.
  void release_locks() noexcept;

  std::size_t retained_bytes() const noexcept { return retained_.load(std::memory_order_relaxed); }

  // The host's pool of the process keeps a quarter of the machine's memory. It is never destroyed: arrays may
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

  BlockSource& source_;
  const std::size_t largest_block_;
  std::array<Bucket, n_buckets> buckets_;
  const std::size_t retained_limit_;
  std::atomic<std::size_t> retained_{0};
};

}  // namespace fulgurite::runtime
