#include "runtime/pool.h"

#include <fmt/format.h>
#include <fulgurite/error.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include "base/made_once.h"
#include "runtime/host.h"
#include "runtime/stats.h"

namespace fulgurite::runtime {
namespace {

constexpr std::size_t alignment = BlockSizes::smallest;
constexpr std::size_t huge_page = std::size_t{2} << 20;

// Null if there is none. Mappings are made larger by a huge page and cut to size, which aligns them.
void* map_huge(std::size_t size) noexcept {
  size = (size + huge_page - 1) / huge_page * huge_page;
  void* mapping = mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  char* start = static_cast<char*>(mapping);
  const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(start) % huge_page) % huge_page;
  if (before != 0) munmap(start, before);
  if (before != huge_page) munmap(start + before + size, huge_page - before);
  madvise(start + before, size, MADV_HUGEPAGE);
  return start + before;
}

class HostMemory final : public BlockSource {
 public:
  void* take(std::size_t size) noexcept override {
    return size >= huge_page ? map_huge(size) : std::aligned_alloc(alignment, size);
  }
  void give_back(void* block, std::size_t size) noexcept override {
    if (size >= huge_page)
      munmap(block, (size + huge_page - 1) / huge_page * huge_page);
    else
      std::free(block);
  }
  std::size_t largest_block() const noexcept override { return runtime::host().memory; }
  std::string limit_text() const override {
    return fmt::format("this machine has {}", readable_size(runtime::host().memory));
  }
};

}  // namespace

BlockSource& BlockSource::host() {
  static constinit std::atomic<BlockSource*> source{nullptr};
  return base::made_once(source, [] { return std::make_unique<HostMemory>(); });
}

std::string readable_size(std::size_t bytes) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  return bytes < 10 * mebibyte ? fmt::format("{} bytes", bytes)
                               : fmt::format("{} bytes ({} MiB)", bytes, bytes / mebibyte);
}

BufferPool::BufferPool(std::size_t retained_limit, BlockSource& source)
    : source_(source), largest_block_(source.largest_block()), retained_limit_(retained_limit) {}

BufferPool::~BufferPool() {
  trim();
}

void* BufferPool::take(int bucket) noexcept {
  Bucket& b = buckets_[static_cast<std::size_t>(bucket)];
  const std::lock_guard guard(b.lock);
  Free* block = b.first;
  if (block != nullptr) b.first = block->next;
  return block;
}

void* BufferPool::allocate(std::size_t bytes) {
  if (bytes > largest_block_)
    throw OutOfMemory(
        fmt::format("an array of {} was asked for, {}", readable_size(bytes), source_.limit_text()));
  const int bucket = BlockSizes::bucket_of(bytes);
  const std::size_t size = BlockSizes::of_bucket(bucket);
  void* block = take(bucket);
  if (block != nullptr) {
    retained_.fetch_sub(size, std::memory_order_relaxed);
    counters.pool_reuses.add();
  } else {
    block = source_.take(size);
    if (block == nullptr) {
      trim();
      block = source_.take(size);
    }
    if (block == nullptr)
      throw OutOfMemory(fmt::format("an array of {} was asked for, and there is no memory left for it: {}",
                                    readable_size(bytes), source_.limit_text()));
  }
  counters.bytes_allocated.add(bytes);
  return block;
}

void BufferPool::release(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  const int bucket = BlockSizes::bucket_of(bytes);
  const std::size_t size = BlockSizes::of_bucket(bucket);
  if (retained_.fetch_add(size, std::memory_order_relaxed) + size > retained_limit_) {
    retained_.fetch_sub(size, std::memory_order_relaxed);
    source_.give_back(block, size);
    return;
  }
  Bucket& b = buckets_[static_cast<std::size_t>(bucket)];
  const std::lock_guard guard(b.lock);
  Free* const first = new (block) Free{b.first};
  std::atomic_signal_fence(std::memory_order_release);  // whole before it is in the bucket
  b.first = first;
}

void BufferPool::trim() noexcept {
  for (int bucket = 0; bucket < n_buckets; ++bucket) {
    const std::size_t size = BlockSizes::of_bucket(bucket);
    while (void* block = take(bucket)) {
      source_.give_back(block, size);
      retained_.fetch_sub(size, std::memory_order_relaxed);
    }
  }
}

void BufferPool::release_locks() noexcept {
  for (Bucket& bucket : buckets_) bucket.lock.unlock();
}

namespace {

constinit std::atomic<BufferPool*> pool_of_process{nullptr};

const int locks_are_released_in_a_child = pthread_atfork(nullptr, nullptr, [] {
  if (BufferPool* pool = pool_of_process.load()) pool->release_locks();
});

}  // namespace

BufferPool& BufferPool::shared() {
  return base::made_once(pool_of_process,
                         [] { return std::make_unique<BufferPool>(runtime::host().memory / 4); });
}

}  // namespace fulgurite::runtime
