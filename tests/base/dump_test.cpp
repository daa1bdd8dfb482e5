// Which labels FULGURITE_DUMP names.
#include "base/dump.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace fulgurite::base {
namespace {

TEST(Dump, LabelsAreWholeWordsBetweenCommas) {
  unsetenv("FULGURITE_DUMP");
  EXPECT_FALSE(dumps("fuse"));
  setenv("FULGURITE_DUMP", "fuse,thread_forms,time", 1);
  EXPECT_TRUE(dumps("fuse"));
  EXPECT_TRUE(dumps("thread_forms"));
  EXPECT_TRUE(dumps("time"));
  EXPECT_FALSE(dumps("thread"));
  EXPECT_FALSE(dumps("forms"));
  EXPECT_FALSE(dumps("fuse,thread_forms"));
  unsetenv("FULGURITE_DUMP");
}

TEST(Dump, TextsStandUnderTheirLabels) {
  testing::internal::CaptureStderr();
  dump("fuse", "program");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "---- fuse\nprogram\n");
}

TEST(Dump, PassesThatChangeNothingSaySo) {
  testing::internal::CaptureStderr();
  dump_change("fuse", "program", "fused program");
  dump_change("merge", "fused program", "fused program");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "---- fuse\nfused program\n---- merge (changed nothing)\n");
}

}  // namespace
}  // namespace fulgurite::base
