// What the emulator counts of a kernel, stage by stage, and as text.
#include <gtest/gtest.h>

#include <algorithm>

#include "programs.h"

namespace fulgurite {
namespace {

using namespace papers;

template <class F>
auto recorded(F f) {
  return k::kernel("counted", k::block<int>(512), f);
}

TEST(Explain, StagesAddUpToTheWhole) {
  const std::vector<int> xs(2048);
  const auto filter = recorded(
      [](Pull<int> a) { return k::block_filter([](Exp<int> x) { return x > 0; }, a, Exp<int>(0)).first; });
  for (const k::Traffic& t : {k::traffic(recorded(vsort), xs), k::traffic(recorded(tsort_2), xs),
                              k::traffic(recorded(tree_sum), xs), k::traffic(filter, xs)}) {
    k::Traffic::Stage sum;
    for (const k::Traffic::Stage& s : t.stages) {
      sum.bytes += s.bytes;
      sum.transactions += s.transactions;
      sum.least_transactions += s.least_transactions;
      sum.bank_conflicts += s.bank_conflicts;
      sum.idle_lanes += s.idle_lanes;
      sum.lanes += s.lanes;
      EXPECT_LE(s.threads, t.threads);
    }
    EXPECT_EQ(t.blocks, 4);
    EXPECT_EQ(sum.bytes, t.bytes);
    EXPECT_EQ(sum.transactions, t.transactions);
    EXPECT_EQ(sum.least_transactions, t.least_transactions);
    EXPECT_EQ(sum.bank_conflicts, t.bank_conflicts);
    EXPECT_EQ(sum.idle_lanes, t.idle_lanes);
    EXPECT_EQ(sum.lanes, t.lanes);
  }
}

TEST(Explain, EachStageHasItsLine) {
  unsigned turned = 0;
  const unsigned result = __LINE__ + 1;
  const auto kernel = k::kernel("counted", k::block<int>(512), [&](Pull<int> a) {
    turned = __LINE__ + 1;
    const Pull<int> b = k::sync(k::reverse(a));
    return k::map([](Exp<int> x) { return x + 1; }, k::reverse(k::sync(k::ilv(8, min, max, b))));
  });
  const k::Traffic t = k::traffic(kernel, std::vector<int>(512));
  ASSERT_EQ(t.stages.size(), 3u);
  EXPECT_NE(t.stages[0].file.find("explain_test.cpp"), std::string::npos);
  EXPECT_EQ(t.stages[0].line, turned);
  EXPECT_EQ(t.stages[1].line, turned + 1);
  EXPECT_EQ(t.stages[2].line, result);
  EXPECT_EQ(t.stages[0].bytes, 512 * 4);
  EXPECT_EQ(t.stages[1].bytes, 0);
  const std::string text = k::explain(kernel, std::vector<int>(512));
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "counted: 1 blocks of 512 threads, each with 4096 bytes of shared memory");
  EXPECT_NE(text.find("explain_test.cpp:" + std::to_string(turned)), std::string::npos) << text;
}

TEST(Explain, EqualStagesAreOneRow) {
  const std::string text = k::explain(recorded(vsort_1), std::vector<int>(512));
  EXPECT_NE(text.find("2 to 44"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 4 + 1 + 3) << text;
}

TEST(Explain, NothingToRunCostsNothing) {
  const k::Traffic t = k::traffic(recorded(vsort), std::vector<int>());
  EXPECT_EQ(t.bytes, 0);
  EXPECT_TRUE(t.stages.empty());
  EXPECT_NE(k::explain(recorded(vsort), std::vector<int>()).find("0 blocks"), std::string::npos);
}

}  // namespace
}  // namespace fulgurite
