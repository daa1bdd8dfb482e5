// What the rows of a loop touch, one after the other, as few sets of runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "runtime/footprint.h"

namespace fulgurite::runtime {
namespace {

using Op = Formula::Op;

struct NothingKnown final : KnownElements {
  std::optional<Strided> at(std::int64_t, Strided) override { return std::nullopt; }
};

// A tile of a transposition: each row of a loop reads `columns` elements `pitch` apart, and stores them side
// by side, `width` elements after the elements of the row before.
PhaseFootprint tile(std::int64_t first, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                    std::int64_t width) {
  const auto constant = [](std::int64_t value) { return Formula{Op::constant, -1, -1, -1, value}; };
  PhaseFootprint phase;
  phase.formulas = {constant(first),
                    constant(first + rows),
                    constant(1),
                    {Op::range, 0, 1, 2},
                    constant(pitch),
                    constant(width),
                    {Op::lanes, -1, -1, -1, columns},
                    {Op::mul, 6, 4},
                    {Op::add, 3, 7},
                    {Op::mul, 3, 5},
                    {Op::add, 9, 6}};
  phase.touches = {{0, false, 8, -1, 0}, {1, true, 10, -1, 0}};
  phase.loops = {3};
  return phase;
}

std::set<std::int64_t> elements(std::span<const Touched> all, std::int32_t buffer) {
  std::set<std::int64_t> found;
  for (const Touched& t : all)
    if (t.buffer == buffer)
      for (std::int64_t i = t.low; i <= t.high; ++i)
        if (!t.has_gaps() || (i - t.low) % t.stride < t.run) found.insert(i);
  return found;
}

TEST(FootprintRows, ATileIsTheElementsThatItsRowsTouch) {
  std::minstd_rand random(3);
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  NothingKnown nothing;
  for (int round = 0; round < 300; ++round) {
    const std::int64_t first = below(50), rows = 1 + below(50), columns = 1 + below(20),
                       pitch = 1 + below(90), width = 1 + below(40);
    const PhaseFootprint phase = tile(first, rows, columns, pitch, width);
    const std::vector<Touched> all = touched(phase, 0, {}, nothing, Look::iterations);
    std::set<std::int64_t> read, stored;
    for (std::int64_t row = first; row < first + rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column) {
        read.insert(row + column * pitch);
        stored.insert(row * width + column);
      }
    const auto got_read = elements(all, 0), got_stored = elements(all, 1);
    EXPECT_TRUE(std::ranges::includes(got_read, read));
    EXPECT_TRUE(std::ranges::includes(got_stored, stored));
    if (rows < pitch) {
      EXPECT_EQ(got_read, read) << rows << " rows, " << columns << " columns " << pitch << " apart";
    }
    if (columns < width) {
      EXPECT_EQ(got_stored, stored) << rows << " rows of " << columns << ", " << width << " apart";
      EXPECT_TRUE(std::ranges::all_of(all, [](const Touched& t) { return !t.stores || t.is_certain; }));
    }
    if (rows < pitch && columns < width) {
      EXPECT_LE(all.size(), 4u);
    }
  }
}

}  // namespace
}  // namespace fulgurite::runtime
