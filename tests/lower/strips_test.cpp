// Which part of a space a block of threads takes whose points read around them, by how far they read.
#include <gtest/gtest.h>

#include "lower/gpu/policy.h"

namespace fulgurite::lower::gpu {
namespace {

TEST(Strips, OfALineAreAtLeastSixteenTimesWhatIsReadAround) {
  EXPECT_EQ(choose_strip(Target(), false, 0, 1, 4), (Strip{1024, 1, 1088}));
  EXPECT_EQ(choose_strip(Target(), false, 0, 64, 4), (Strip{1024, 1, 1120}));
  EXPECT_EQ(choose_strip(Target(), false, 0, 65, 4), (Strip{2048, 1, 2176}));
  EXPECT_EQ(choose_strip(Target(), false, 0, 256, 8), (Strip{4096, 1, 4384}));
  EXPECT_EQ(choose_strip(Target(), false, 0, 257, 4), std::nullopt);
  EXPECT_EQ(choose_strip(Target(), false, 0, 256, 16), std::nullopt) << "its window does not fit";
  const Target small{.shared_memory = 32 << 10};
  EXPECT_EQ(choose_strip(small, false, 0, 65, 4), (Strip{2048, 1, 2176}));
  EXPECT_EQ(choose_strip(small, false, 0, 256, 8), std::nullopt);
}

TEST(Strips, OfRowsAreNarrowAndEightRowsFit) {
  EXPECT_EQ(choose_strip(Target(), true, 2, 2, 4), (Strip{128, 32, 2048}));
  EXPECT_EQ(choose_strip(Target(), true, 0, 3, 4), (Strip{256, 16, 4096}));
  EXPECT_EQ(choose_strip(Target(), true, 33, 8, 4), (Strip{128, 528, 8192}));
  EXPECT_EQ(choose_strip(Target(), true, 40, 8, 4), std::nullopt)
      << "strips of 64 points would be too narrow";
  EXPECT_EQ(choose_strip(Target(), true, 40, 4, 4), (Strip{64, 640, 8192}));
  EXPECT_EQ(choose_strip(Target(), true, 2, 17, 4), std::nullopt);
  EXPECT_EQ(choose_strip(Target(), true, 2, 2, 32), std::nullopt) << "its window does not fit";
}

}  // namespace
}  // namespace fulgurite::lower::gpu
