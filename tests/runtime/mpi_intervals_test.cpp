// Sets of bytes against std::set, and which rank has what.
#include "runtime/mpi/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

#include "runtime/mpi/layout.h"

namespace fulgurite::runtime::mpi {
namespace {

using Set = std::set<std::int64_t>;

Set set_of(const Intervals& all) {
  Set to;
  for (const Bytes& b : all.all())
    for (std::int64_t at = b.begin; at < b.end; ++at) to.insert(at);
  return to;
}

// In their order, none empty, none beside another.
void expect_in_order(const Intervals& all) {
  for (std::size_t k = 0; k < all.all().size(); ++k) {
    EXPECT_LT(all.all()[k].begin, all.all()[k].end);
    if (k > 0) {
      EXPECT_LT(all.all()[k - 1].end, all.all()[k].begin);
    }
  }
  EXPECT_EQ(all.size(), static_cast<std::int64_t>(set_of(all).size()));
}

Intervals drawn(std::minstd_rand& random) {
  Intervals to;
  for (unsigned n = random() % 6; n > 0; --n) {
    const auto begin = static_cast<std::int64_t>(random() % 30);
    to.add(Bytes{begin, begin + static_cast<std::int64_t>(random() % 8)});
  }
  return to;
}

TEST(Intervals, AreSets) {
  std::minstd_rand random(1);
  for (int k = 0; k < 3000; ++k) {
    Intervals a = drawn(random);
    const Intervals b = drawn(random);
    const Set x = set_of(a), y = set_of(b);
    Set common, rest, all;
    std::ranges::set_intersection(x, y, std::inserter(common, common.end()));
    std::ranges::set_difference(x, y, std::inserter(rest, rest.end()));
    std::ranges::set_union(x, y, std::inserter(all, all.end()));
    expect_in_order(a);
    expect_in_order(a & b);
    expect_in_order(a - b);
    EXPECT_EQ(set_of(a & b), common);
    EXPECT_EQ(set_of(a - b), rest);
    for (std::int64_t at = 0; at < 40; ++at) {
      const bool meets = x.lower_bound(at) != x.lower_bound(at + 3);
      EXPECT_EQ(a.meets({at, at + 3}), meets) << at;
    }
    a.add(b);
    expect_in_order(a);
    EXPECT_EQ(set_of(a), all);
    EXPECT_EQ(a == b, set_of(a) == y);
  }
}

TEST(Intervals, OfNothing) {
  Intervals none(5, 5);
  EXPECT_TRUE(none.empty());
  none.add(Bytes{7, 3});
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0);
  EXPECT_FALSE(none.meets({0, 100}));
}

TEST(Layout, WhatOneComputesIsOldElsewhere) {
  Layout layout(100, 3);
  EXPECT_FALSE(layout.is_everywhere({0, 1}));
  EXPECT_TRUE(layout.is_everywhere({5, 5}));
  layout.computed_everywhere({0, 100});
  EXPECT_TRUE(layout.is_everywhere({0, 100}));
  layout.computed(std::vector<Intervals>{{0, 10}, {10, 20}, {}});
  EXPECT_EQ(set_of(layout.of(0)), set_of(Intervals(0, 100) - Intervals(10, 20)));
  EXPECT_EQ(set_of(layout.of(1)), set_of(Intervals(10, 100)));
  EXPECT_EQ(set_of(layout.of(2)), set_of(Intervals(20, 100)));
  EXPECT_TRUE(layout.is_everywhere({20, 100}));
  layout.received(2, {0, 20});
  EXPECT_FALSE(layout.is_everywhere({0, 1}));
  layout.received(1, {0, 1});
  EXPECT_TRUE(layout.is_everywhere({0, 1}));
  EXPECT_FALSE(layout.is_everywhere({0, 2}));
}

}  // namespace
}  // namespace fulgurite::runtime::mpi
