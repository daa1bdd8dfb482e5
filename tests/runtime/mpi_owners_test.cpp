// Every byte of an array has one owner, who has it if anybody has.
#include "runtime/mpi/by_owner.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fulgurite::runtime::mpi {
namespace {

TEST(Owners, EveryByteHasOneWhoHasItIfAnybodyHas) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 500; ++round) {
    const int n_ranks = 1 + static_cast<int>(below(6));
    const std::int64_t size = 4, n = below(60);
    Layout layout(static_cast<std::size_t>(n * size), n_ranks);
    for (int pieces = static_cast<int>(below(12)); pieces > 0 && n > 0; --pieces) {
      const std::int64_t first = below(static_cast<int>(n)),
                         last = first + below(static_cast<int>(n - first)) + 1;
      layout.received(static_cast<int>(below(n_ranks)), {first * size, last * size});
    }
    const std::vector<Intervals> owned = owners(layout, size);
    ASSERT_EQ(owned.size(), static_cast<std::size_t>(n_ranks));
    Intervals together, had;
    std::int64_t n_bytes = 0;
    for (int r = 0; r < n_ranks; ++r) had.add(layout.of(r));
    for (int r = 0; r < n_ranks; ++r) {
      const Intervals& of = owned[static_cast<std::size_t>(r)];
      together.add(of);
      n_bytes += of.size();
      EXPECT_TRUE(((of & had) - layout.of(r)).empty()) << "rank " << r << " owns what only others have";
      for (const Bytes& b : of.all()) EXPECT_TRUE(b.begin % size == 0 && b.end % size == 0);
    }
    EXPECT_EQ(n_bytes, n * size);
    EXPECT_EQ(together, Intervals(0, n * size));
  }
}

// Where nobody or everybody has an array, blocks are as equal as they can be.
TEST(Owners, OwnEqualBlocksWhereAllHaveTheSame) {
  Layout layout(40, 3);
  const std::vector<Intervals> expected{{0, 12}, {12, 24}, {24, 40}};
  EXPECT_EQ(owners(layout, 4), expected);
  layout.computed_everywhere({0, 40});
  EXPECT_EQ(owners(layout, 4), expected);
}

}  // namespace
}  // namespace fulgurite::runtime::mpi
