// Small blocks of memory that a run has released in a loop, by size, for the next iterations: taking and
// keeping one is some instructions without a lock, as they are one thread's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "runtime/device.h"
#include "runtime/pool.h"

namespace fulgurite::plan {

class SpareBlocks {
 public:
  /// Larger blocks are the pool's at once.
  static constexpr std::size_t largest = std::size_t{64} << 10;

  SpareBlocks() { std::ranges::fill(first_, none); }

  /// The bytes that a block must have to be kept for arrays of this many bytes.
  static std::size_t rounded(std::size_t bytes) { return Sizes::of_bucket(bucket_of(bytes)); }

  /// A block of rounded(bytes) bytes; null data: there is none. `bytes` is at most `largest`.
  runtime::Memory take(std::size_t bytes) { return take_from(bucket_of(bytes)); }

  /// False if it is not kept.
  bool keep(const runtime::Memory& memory) {
    if (memory.bytes > largest) return false;
    const int bucket = bucket_of(memory.bytes);
    if (memory.bytes != Sizes::of_bucket(bucket)) return false;
    std::int8_t i = unused_;
    if (i != none)
      unused_ = items_[i].next;
    else if (n_items_ < most)
      i = n_items_++;
    else
      return false;
    items_[i] = {memory.data, first_[bucket]};
    first_[bucket] = i;
    return true;
  }

  void release_all(runtime::Device& device) {
    if (n_items_ == 0) return;
    for (int bucket = 0; bucket < static_cast<int>(std::size(first_)); ++bucket)
      for (auto block = take_from(bucket); block.data != nullptr; block = take_from(bucket))
        device.release(block);
  }

 private:
  using Sizes = runtime::BlockSizes;
  static constexpr std::int8_t none = -1, most = 64;
  static constexpr int n_buckets = Sizes::bucket_of(largest) + 1;
  struct Item {
    void* data;
    std::int8_t next;  // of the same bucket, or unused
  };

  // Several buckets have the same small size.
  static int bucket_of(std::size_t bytes) {
    return Sizes::bucket_of((bytes + Sizes::smallest - 1) / Sizes::smallest * Sizes::smallest);
  }
  runtime::Memory take_from(int bucket) {
    const std::int8_t i = first_[bucket];
    if (i == none) return {};
    first_[bucket] = items_[i].next;
    items_[i].next = unused_;
    unused_ = i;
    return {items_[i].data, Sizes::of_bucket(bucket)};
  }

  Item items_[most];
  std::int8_t first_[n_buckets];  // of each bucket
  std::int8_t n_items_ = 0, unused_ = none;
};

}  // namespace fulgurite::plan
