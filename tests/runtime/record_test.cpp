// Failure records, counters, and what the host says of itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "runtime/failure.h"
#include "runtime/host.h"
#include "runtime/stats.h"

namespace fulgurite::runtime {
namespace {

TEST(FailureRecord, IsEmptyAtFirst) {
  const FailureRecord record;
  EXPECT_FALSE(record.any());
  EXPECT_EQ(record.lowest(), std::nullopt);
}

TEST(FailureRecord, KeepsTheLowestElementInAnyOrder) {
  std::vector<Failure> failures;
  for (int element = 5; element < 100; ++element)
    for (int site = 3; site > 0; --site) failures.push_back({site, element, element + site, 5});
  failures.push_back({2, INT64_MAX, 0, 0});
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    std::shuffle(failures.begin(), failures.end(), random);
    FailureRecord record;
    for (const Failure& failure : failures)
      FailureRecord::report_from_kernel(record.handle(), failure.site, failure.element, failure.value,
                                        failure.bound);
    EXPECT_EQ(record.lowest(), (Failure{1, 5, 6, 5}));
  }
}

TEST(FailureRecord, KeepsAFailureOfTheLastElement) {
  FailureRecord record;
  record.report({2, INT64_MAX, -1, 0});
  EXPECT_EQ(record.lowest(), (Failure{2, INT64_MAX, -1, 0}));
}

TEST(Stats, SnapshotsAndResets) {
  reset_stats();
  counters.launches.add();
  counters.bytes_moved.add(40);
  counters.retraces.add(2);
  EXPECT_EQ(stats().launches, 1U);
  EXPECT_EQ(stats().bytes_moved, 40U);
  EXPECT_EQ(stats().retraces, 2U);
  EXPECT_EQ(stats().compilations, 0U);
  reset_stats();
  EXPECT_EQ(stats().launches + stats().bytes_moved + stats().retraces, 0U);
}

TEST(Host, KnowsItself) {
  const Host& h = host();
  EXPECT_GE(h.n_cores, 1);
  EXPECT_GE(h.last_level_cache, h.l2_cache);
  EXPECT_GT(h.memory, std::size_t{64} << 20);
  EXPECT_TRUE(h.vector_bytes == 16 || h.vector_bytes == 32 || h.vector_bytes == 64);
  EXPECT_FALSE(h.processor.empty());
  EXPECT_FALSE(h.identity.empty());
  EXPECT_EQ(vector_bytes("native"), h.vector_bytes);
  EXPECT_EQ(vector_bytes("x86-64-v4"), 64);
  EXPECT_EQ(vector_bytes("x86-64-v3"), 32);
  EXPECT_EQ(vector_bytes("x86-64-v2"), 16);
}

}  // namespace
}  // namespace fulgurite::runtime
