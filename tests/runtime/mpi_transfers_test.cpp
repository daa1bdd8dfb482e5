// Who sends what to whom, against all pairs of ranks looked at one after the other.
#include "runtime/mpi/transfers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace fulgurite::runtime::mpi {
namespace {

// The bytes for each need, sender and receiver, in the order in which they are sent.
using Sent = std::map<std::tuple<std::size_t, int, int>, std::vector<Bytes>>;

// For each rank, the ranks after it are asked in turn.
Sent by_pairs(std::span<const Needs> needs) {
  Sent all;
  for (std::size_t k = 0; k < needs.size(); ++k) {
    const int n = needs[k].layout->n_ranks();
    for (int to = 0; to < n; ++to) {
      Intervals left = needs[k].of_rank[static_cast<std::size_t>(to)];
      for (int step = 1; step < n; ++step) {
        const int from = (to + step) % n;
        const Intervals sent = left & needs[k].layout->of(from);
        left = left - sent;
        if (!sent.empty()) all[{k, from, to}] = sent.all();
      }
    }
  }
  return all;
}

Sent by_sweeps(std::span<const Needs> needs) {
  Sent all;
  for_transfers(needs, Gathered(),
                [&](const Transfer& t) { all[{t.need, t.from, t.to}].push_back(t.bytes); });
  return all;
}

Intervals drawn(std::minstd_rand& random, unsigned most) {
  Intervals to;
  for (unsigned n = random() % (most + 1); n > 0; --n) {
    const auto begin = static_cast<std::int64_t>(random() % 50);
    to.add(Bytes{begin, begin + static_cast<std::int64_t>(random() % 12)});
  }
  return to;
}

struct Drawn {
  std::vector<Layout> layouts;
  std::vector<Needs> needs;
};
Drawn drawn_needs(std::minstd_rand& random) {
  const int n_ranks = 1 + static_cast<int>(random() % 7);
  Drawn all;
  all.layouts.assign(1 + random() % 3, Layout(64, n_ranks));
  for (Layout& layout : all.layouts) {
    if (random() % 3 == 0) layout.computed_everywhere(drawn(random, 2));
    for (int r = 0; r < n_ranks; ++r) layout.received(r, drawn(random, 3));
    Needs& needs = all.needs.emplace_back();
    needs.layout = &layout;
    // Ranks seldom need what they have, and the transfers are right nevertheless.
    const bool lacks = random() % 4 != 0;
    for (int r = 0; r < n_ranks; ++r)
      needs.of_rank.push_back(lacks ? drawn(random, 3) - layout.of(r) : drawn(random, 3));
  }
  return all;
}

TEST(Transfers, AreThoseOfAllPairs) {
  std::minstd_rand random(7);
  for (int k = 0; k < 2000; ++k) {
    const Drawn drawn = drawn_needs(random);
    const Sent expected = by_pairs(drawn.needs);
    EXPECT_EQ(by_sweeps(drawn.needs), expected) << k;
    for (int rank = 0; rank < drawn.layouts.front().n_ranks(); ++rank) {
      Sent of_rank, expected_of_rank;
      for (const Transfer& t : transfers_of(drawn.needs, Gathered(), rank))
        of_rank[{t.need, t.from, t.to}].push_back(t.bytes);
      for (const auto& [key, bytes] : expected)
        if (std::get<1>(key) == rank || std::get<2>(key) == rank) expected_of_rank[key] = bytes;
      EXPECT_EQ(of_rank, expected_of_rank) << k << ", rank " << rank;
    }
  }
}

TEST(Transfers, ReachLayouts) {
  std::minstd_rand random(8);
  for (int k = 0; k < 500; ++k) {
    Drawn drawn = drawn_needs(random);
    std::vector<Layout> expected = drawn.layouts;
    for (const Needs& needs : drawn.needs)
      for (int r = 0; r < needs.layout->n_ranks(); ++r)
        for (int from = 0; from < needs.layout->n_ranks(); ++from)
          expected[static_cast<std::size_t>(needs.layout - drawn.layouts.data())].received(
              r, needs.of_rank[static_cast<std::size_t>(r)] & needs.layout->of(from));
    meet(drawn.needs);
    for (std::size_t a = 0; a < expected.size(); ++a)
      for (int r = 0; r < expected[a].n_ranks(); ++r) EXPECT_EQ(drawn.layouts[a].of(r), expected[a].of(r));
  }
}

// The time grows as the number of ranks, not as its square: a halo on each side of 4096 ranks, again and
// again.
TEST(Transfers, OfManyRanks) {
  constexpr int n_ranks = 4096;
  constexpr std::int64_t part = 1000, halo = 4;
  Layout layout(n_ranks * part, n_ranks);
  std::vector<Intervals> own;
  for (int r = 0; r < n_ranks; ++r) own.emplace_back(r * part, (r + 1) * part);
  for (int step = 0; step < 20; ++step) {
    layout.computed(own);
    std::vector<Needs> needs(1);
    needs[0].layout = &layout;
    for (int r = 0; r < n_ranks; ++r)
      needs[0].of_rank.push_back(
          (Intervals(r * part - halo, (r + 1) * part + halo) & Intervals(0, n_ranks * part)) - layout.of(r));
    std::int64_t n = 0, bytes = 0;
    for_transfers(needs, Gathered(), [&](const Transfer& t) {
      ++n;
      bytes += t.bytes.end - t.bytes.begin;
      EXPECT_EQ(std::abs(t.from - t.to), 1);
    });
    EXPECT_EQ(n, 2 * (n_ranks - 1));
    EXPECT_EQ(bytes, n * halo);
    meet(needs);
  }
}

}  // namespace
}  // namespace fulgurite::runtime::mpi
