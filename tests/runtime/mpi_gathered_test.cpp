// What all ranks need of each other is gathered, and nothing else.
#include "runtime/mpi/gathered.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "runtime/mpi/transfers.h"

namespace fulgurite::runtime::mpi {
namespace {

using Part = Gathered::Part;

struct Arrays {
  std::vector<Layout> layouts;
  std::vector<Needs> needs;
  Arrays(int n_ranks, const std::vector<std::int64_t>& sizes) {
    for (const std::int64_t size : sizes) layouts.emplace_back(static_cast<std::size_t>(size), n_ranks);
  }
  // Each rank has an equal part, and all need all.
  void need_all() {
    for (Layout& layout : layouts) {
      const int n = layout.n_ranks();
      for (int r = 0; r < n; ++r)
        layout.received(r, {part_of(layout.bytes(), r, n), part_of(layout.bytes(), r + 1, n)});
      needs.push_back(needs_of_all(layout, nullptr, layout.bytes()));
    }
  }
};

std::vector<Part> parts_of(const Gathered& gathered) {
  return {gathered.parts().begin(), gathered.parts().end()};
}

TEST(Gathered, OneRanksPartsOfAllArraysThenTheNextOnes) {
  Arrays all(3, {6, 12});
  all.need_all();
  const Gathered gathered(all.needs);
  EXPECT_EQ(
      parts_of(gathered),
      (std::vector<Part>{
          {0, 0, {0, 2}}, {1, 0, {0, 4}}, {0, 1, {2, 4}}, {1, 1, {4, 8}}, {0, 2, {4, 6}}, {1, 2, {8, 12}}}));
  EXPECT_TRUE(gathered.has(0) && gathered.has(1));
  for (const std::size_t bytes : gathered.bytes_of_ranks()) EXPECT_EQ(bytes, 6u);
  for_transfers(all.needs, gathered, [](const Transfer&) { FAIL(); });
  for (int r = 0; r < 3; ++r) EXPECT_TRUE(transfers_of(all.needs, gathered, r).empty());
}

TEST(Gathered, BytesThatAllRanksHaveStayWhereTheyAre) {
  Arrays all(3, {9});
  all.layouts[0].computed_everywhere({0, 3});
  for (int r = 0; r < 3; ++r) all.layouts[0].received(r, {3 + 2 * r, 5 + 2 * r});
  all.needs.push_back(needs_of_all(all.layouts[0], nullptr, 9));
  EXPECT_EQ(parts_of(Gathered(all.needs)),
            (std::vector<Part>{{0, 0, {3, 5}}, {0, 1, {5, 7}}, {0, 2, {7, 9}}}));
}

TEST(Gathered, NothingWhereTwoRanksHaveOrOneDoesWithout) {
  Arrays all(4, {16, 16, 16});
  all.need_all();
  all.layouts[1].received(2, {0, 1});
  all.needs[1] = needs_of_all(all.layouts[1], nullptr, 16);
  all.needs[2].of_rank[3].clear();
  const Gathered gathered(all.needs);
  EXPECT_TRUE(gathered.has(0));
  EXPECT_FALSE(gathered.has(1));
  EXPECT_FALSE(gathered.has(2));
  EXPECT_EQ(gathered.parts().size(), 4u);
}

TEST(Gathered, HalosAndPairsOfRanksAreNot) {
  for (const int n_ranks : {1, 2}) {
    Arrays pair(n_ranks, {16});
    pair.need_all();
    EXPECT_TRUE(Gathered(pair.needs).empty()) << n_ranks;
  }
  Arrays halo(3, {30});
  halo.need_all();
  for (int r = 0; r < 3; ++r)
    halo.needs[0].of_rank[static_cast<std::size_t>(r)] =
        (Intervals(10 * r - 1, 10 * r + 11) & Intervals(0, 30)) - halo.layouts[0].of(r);
  EXPECT_TRUE(Gathered(halo.needs).empty());
  EXPECT_TRUE(Gathered().empty());
  EXPECT_FALSE(Gathered().has(0));
}

TEST(Gathered, LargePartsGoInMessages) {
  const std::int64_t most = 5 * most_gathered_of_rank;
  Arrays all(5, {most, 1000, 100});
  all.need_all();
  EXPECT_TRUE(Gathered(all.needs).has(0));
  EXPECT_FALSE(Gathered(all.needs).has(1));
  Arrays larger(5, {most + 5, 1000});
  larger.need_all();
  EXPECT_FALSE(Gathered(larger.needs).has(0));
  EXPECT_TRUE(Gathered(larger.needs).has(1));
}

// Against the messages that would bring the same: from each byte's owner to all other ranks.
TEST(Gathered, BringsWhatMessagesWould) {
  std::minstd_rand random(3);
  int n_gathered = 0;
  for (int round = 0; round < 3000; ++round) {
    const int n_ranks = 3 + static_cast<int>(random() % 3);
    Arrays all(n_ranks, {12});
    std::vector<Intervals> lacks(static_cast<std::size_t>(n_ranks));
    for (std::int64_t at = 0; at < 12; at += 3) {
      const bool is_plain = random() % 8 != 0;
      const int owner = static_cast<int>(random() % static_cast<unsigned>(n_ranks));
      for (int r = 0; r < n_ranks; ++r)
        if (is_plain ? r == owner : random() % 2 != 0)
          all.layouts[0].received(r, {at, at + 3});
        else if (is_plain || random() % 2 != 0)
          lacks[static_cast<std::size_t>(r)].add(Bytes{at, at + 3});
    }
    all.needs.push_back({&all.layouts[0], nullptr, false, lacks});
    const Gathered gathered(all.needs);
    std::vector<std::vector<int>> by_messages(12);  // the ranks that get each byte
    for_transfers(all.needs, Gathered(), [&](const Transfer& t) {
      for (std::int64_t at = t.bytes.begin; at < t.bytes.end; ++at)
        by_messages[static_cast<std::size_t>(at)].push_back(t.to);
    });
    const auto is_of_all = [&](std::size_t at) {
      int owners = 0;
      for (int r = 0; r < n_ranks; ++r)
        owners +=
            all.layouts[0].of(r).meets({static_cast<std::int64_t>(at), static_cast<std::int64_t>(at) + 1});
      return by_messages[at].empty() ||
             (owners == 1 && static_cast<int>(by_messages[at].size()) == n_ranks - 1);
    };
    bool expected = false, all_are = true;
    for (std::size_t at = 0; at < 12; ++at) {
      expected |= !by_messages[at].empty();
      all_are &= is_of_all(at);
    }
    // Where nobody has what is needed, its neighbours may go in messages.
    Intervals wanted;
    for (const Intervals& of_rank : lacks) wanted.add(of_rank);
    const bool is_had = (wanted - all.layouts[0].anywhere()).empty();
    if (gathered.has(0) || is_had) {
      ASSERT_EQ(gathered.has(0), expected && all_are) << round;
    }
    n_gathered += gathered.has(0) ? 1 : 0;
    if (!gathered.has(0)) continue;
    std::vector<int> owner_of(12, -1);
    for (const Part& part : gathered.parts())
      for (std::int64_t at = part.bytes.begin; at < part.bytes.end; ++at) {
        EXPECT_TRUE(all.layouts[0].of(part.owner).meets({at, at + 1}));
        owner_of[static_cast<std::size_t>(at)] = part.owner;
      }
    for (std::size_t at = 0; at < 12; ++at) EXPECT_EQ(owner_of[at] >= 0, !by_messages[at].empty());
  }
  EXPECT_GT(n_gathered, 500);
}

}  // namespace
}  // namespace fulgurite::runtime::mpi
