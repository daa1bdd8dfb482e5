// Kernels as networks: how deep they are, and pictures of them.
#include <gtest/gtest.h>

#include "programs.h"

namespace fulgurite {
namespace {

using namespace papers;

template <class F>
auto recorded(std::int64_t n, const F& f) {
  return k::kernel("network", k::block<int>(n), f);
}

int count(const std::string& text, std::string_view part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// 2008, section 5: "for 256 inputs, bitonic sort has a depth of 36 compared to Vsort's 64".
TEST(Network, DepthsOfSorters) {
  EXPECT_EQ(k::depth(recorded(256, periodic)), 64);
  for (const auto& f : {tsort_1, tsort_2, vsort_1, vsort, vsort_r}) EXPECT_EQ(k::depth(recorded(256, f)), 36);
  EXPECT_EQ(k::depth(recorded(16, [](Pull<int> a) { return bmerge(4, a); })), 4);
}

TEST(Network, DepthsOfReductionsAndScans) {
  for (int bits = 1; bits <= 8; ++bits) {
    const std::int64_t n = std::int64_t{1} << bits;
    EXPECT_EQ(k::depth(recorded(n, tree_sum)), bits);
    EXPECT_EQ(k::depth(recorded(n, pair_sum)), bits);
    EXPECT_EQ(k::depth(recorded(n, scan_add)), bits);
    EXPECT_EQ(k::depth(recorded(n, [](Pull<int> a) { return k::kogge_stone(plus, a); })), bits);
    EXPECT_EQ(k::depth(recorded(n, [](Pull<int> a) { return k::brent_kung(plus, a); })),
              bits == 1 ? 1 : 2 * bits - 2);
  }
  EXPECT_EQ(k::depth(recorded(8, map_fusion)), 0);
}

TEST(Network, PicturesHaveEveryComparatorAndOperator) {
  const std::string merger = k::draw(recorded(16, [](Pull<int> a) { return bmerge_2(4, a); }));
  EXPECT_EQ(count(merger, "<svg"), 1);
  EXPECT_NE(merger.find("4 stages, depth 4"), merger.npos);
  EXPECT_EQ(count(merger, "r=\"2\""), 4 * 8 * 2);  // two ends of each comparator
  EXPECT_EQ(count(merger, "<line"), 16 + 4 * 8);
  const std::string scan = k::draw(recorded(32, scan_add));
  EXPECT_EQ(count(scan, "r=\"3\""), 5 * 16);  // Sklansky: n / 2 operators in each stage
  EXPECT_EQ(count(k::draw(recorded(16, vsort)), "r=\"2\""), 10 * 8 * 2);
}

TEST(Network, WhatDependsOnDataIsNone) {
  const auto filter = recorded(
      8, [](Pull<int> a) { return k::block_filter([](Exp<int> x) { return x > 0; }, a, Exp<int>(0)).first; });
  EXPECT_THROW(k::draw(filter), TraceError);
  EXPECT_THROW(k::depth(filter), TraceError);
}

}  // namespace
}  // namespace fulgurite
