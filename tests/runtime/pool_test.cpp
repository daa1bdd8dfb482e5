#include "runtime/pool.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "runtime/host.h"
#include "runtime/stats.h"

namespace fulgurite::runtime {
namespace {

TEST(Pool, BlocksAreAlignedWritableAndApart) {
  BufferPool pool(std::size_t{1} << 30);
  const std::vector<std::size_t> sizes = {
      0, 1, 63, 64, 65, 127, 128, 129, 4095, 4097, 1 << 20, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 10000000};
  std::vector<unsigned char*> blocks;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    blocks.push_back(static_cast<unsigned char*>(pool.allocate(sizes[i])));
    ASSERT_NE(blocks[i], nullptr);
    const std::uintptr_t alignment = sizes[i] >= 2 << 20 ? 2 << 20 : 64;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks[i]) % alignment, 0U) << sizes[i];
    std::memset(blocks[i], static_cast<int>(i), sizes[i]);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t k = 0; k < sizes[i]; ++k) ASSERT_EQ(blocks[i][k], i) << sizes[i];
    pool.release(blocks[i], sizes[i]);
  }
}

TEST(Pool, EverySizeUpToAMegabyteFitsItsBlock) {
  // Released as one size and asked for as another of the same bucket: the block must hold the larger. Sizes
  // one below, at and one above the steps of the buckets; the address sanitizer sees the rest.
  BufferPool pool(std::size_t{1} << 30);
  for (std::size_t octave = 64; octave <= std::size_t{1} << 20; octave *= 2) {
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
      for (int delta = -1; delta <= 1; ++delta) {
        const std::size_t bytes = octave + octave / 4 * quarter + static_cast<std::size_t>(delta);
        void* block = pool.allocate(bytes);
        std::memset(block, 1, bytes);
        pool.release(block, bytes);
      }
    }
  }
}

TEST(Pool, FreedBlocksAreReused) {
  BufferPool pool(std::size_t{1} << 30);
  void* first = pool.allocate(100000);
  pool.release(first, 100000);
  EXPECT_GE(pool.retained_bytes(), 100000U);
  const std::uint64_t before = stats().pool_reuses;
  EXPECT_EQ(pool.allocate(99000), first);
  EXPECT_EQ(stats().pool_reuses, before + 1);
  EXPECT_EQ(pool.retained_bytes(), 0U);
  pool.release(first, 99000);
  pool.trim();
  EXPECT_EQ(pool.retained_bytes(), 0U);
}

TEST(Pool, RetentionIsBounded) {
  BufferPool pool(1 << 20);
  std::vector<void*> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(pool.allocate(100000));
  for (void* block : blocks) pool.release(block, 100000);
  EXPECT_LE(pool.retained_bytes(), std::size_t{1} << 20);
  EXPECT_GE(pool.retained_bytes(), std::size_t{1} << 19);
}

TEST(Pool, CountsWhatWasAskedFor) {
  BufferPool pool(1 << 20);
  const std::uint64_t before = stats().bytes_allocated;
  void* block = pool.allocate(1001);
  EXPECT_EQ(stats().bytes_allocated, before + 1001);
  pool.release(block, 1001);
}

TEST(Pool, AbsurdSizesAreRefused) {
  BufferPool pool(1 << 20);
  for (const std::size_t bytes : {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 63,
                                  std::size_t{1} << 50, host().memory + 1}) {
    try {
      pool.allocate(bytes);
      FAIL() << bytes;
    } catch (const OutOfMemory& error) {
      EXPECT_NE(std::string(error.what()).find(std::to_string(bytes)), std::string::npos) << error.what();
    }
  }
}

// A device with 1000 bytes, which the host cannot write: blocks are words that stand for them.
class SmallDevice final : public BlockSource {
 public:
  void* take(std::size_t size) noexcept override {
    if (used + size > 1000) return nullptr;
    used += size;
    return new void*;
  }
  void give_back(void* block, std::size_t size) noexcept override {
    used -= size;
    delete static_cast<void**>(block);
  }
  std::size_t largest_block() const noexcept override { return 1000; }
  std::string limit_text() const override { return "the small device has 1000 bytes"; }

  std::size_t used = 0;
};

TEST(Pool, BlocksOfADeviceComeFromIt) {
  SmallDevice device;
  {
    BufferPool pool(1000, device);
    void* first = pool.allocate(400);
    pool.release(first, 400);
    EXPECT_EQ(pool.allocate(390), first);
    pool.release(first, 390);
    void* second = pool.allocate(700);  // there is room only once the pool is empty
    EXPECT_EQ(device.used, 768U) << "rounded up";
    for (const std::size_t bytes : {500u, 1001u}) {
      try {
        pool.allocate(bytes);
        FAIL() << bytes;
      } catch (const OutOfMemory& error) {
        EXPECT_NE(std::string(error.what()).find("the small device has 1000 bytes"), std::string::npos);
      }
    }
    pool.release(second, 700);
  }
  EXPECT_EQ(device.used, 0U) << "the pool keeps nothing after its end";
}

}  // namespace
}  // namespace fulgurite::runtime
