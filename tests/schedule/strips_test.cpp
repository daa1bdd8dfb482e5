// Which part of a space a block of threads takes whose points read around them, by how far they read.
#include <gtest/gtest.h>

#include "schedule/blocks/windows.h"
#include "soac/parse.h"

namespace fulgurite::schedule {
namespace {

std::optional<Strip> strip(bool has_rows, std::int64_t rows, std::int64_t columns, std::int64_t bytes,
                           std::int64_t shared_memory = 48 << 10) {
  const soac::Program program = soac::parse("program (x: i32) { return x }");
  const soac::EqualSizes sizes(program);
  Device device;
  device.shared_memory = shared_memory;
  const Surroundings around{*program.arena, sizes, {}, {}, device, {}};
  return choose_strip(around, has_rows, rows, columns, bytes);
}

TEST(Strips, OfALineAreAtLeastSixteenTimesWhatIsReadAround) {
  EXPECT_EQ(strip(false, 0, 1, 4), (Strip{2048, 1, 2112}));
  EXPECT_EQ(strip(false, 0, 64, 4), (Strip{2048, 1, 2144}));
  EXPECT_EQ(strip(false, 0, 129, 4), (Strip{4096, 1, 4288}));
  EXPECT_EQ(strip(false, 0, 256, 8), (Strip{4096, 1, 4384}));
  EXPECT_EQ(strip(false, 0, 257, 4), std::nullopt);
  EXPECT_EQ(strip(false, 0, 256, 16), std::nullopt) << "its window does not fit";
  constexpr std::int64_t small = 32 << 10;
  EXPECT_EQ(strip(false, 0, 65, 4, small), (Strip{2048, 1, 2176}));
  EXPECT_EQ(strip(false, 0, 256, 8, small), std::nullopt);
}

TEST(Strips, OfRowsAreNarrowAndEightRowsFit) {
  EXPECT_EQ(strip(true, 2, 2, 4), (Strip{512, 32, 8192}));
  EXPECT_EQ(strip(true, 0, 3, 4), (Strip{512, 16, 8192}));
  EXPECT_EQ(strip(true, 33, 8, 4), (Strip{128, 528, 8192}));
  EXPECT_EQ(strip(true, 40, 8, 4), std::nullopt) << "strips of 64 points would be too narrow";
  EXPECT_EQ(strip(true, 40, 4, 4), (Strip{64, 640, 8192}));
  EXPECT_EQ(strip(true, 2, 17, 4), (Strip{512, 32, 8192}));
  EXPECT_EQ(strip(true, 2, 33, 4), std::nullopt);
  EXPECT_EQ(strip(true, 2, 2, 32), std::nullopt) << "its window does not fit";
}

}  // namespace
}  // namespace fulgurite::schedule
