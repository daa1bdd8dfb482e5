// What the replay takes for a change of a kernel's text.
#include "replay/numbered_names.h"

#include <gtest/gtest.h>

namespace fulgurite::testing_replay {
namespace {

TEST(NumberedNames, NamesDoNotCount) {
  EXPECT_EQ(with_numbered_names("i64 low = x[task]; y[task] = low;"),
            with_numbered_names("i64 v2 = from[t]; to[t] = v2;"));
  EXPECT_EQ(with_numbered_names("f32 v = 2.0f * x;"), "f32 n0 = 2.0f * n1;");
}

TEST(NumberedNames, WhichNameStandsWhereCounts) {
  EXPECT_NE(with_numbered_names("i64 a = x; i64 b = y; z = a + b;"),
            with_numbered_names("i64 a = x; i64 b = y; z = b + a;"));
}

TEST(NumberedNames, WordsTypesFunctionsAndMembersStay) {
  for (const char* text : {"const i64 first = context->scalars[0];", "fg_load_f32_x16(0x1f)",
                           "atomic_min(1l)", "blockIdx.x", "__shared__ unsigned char"})
    EXPECT_EQ(with_numbered_names(text), text);
}

}  // namespace
}  // namespace fulgurite::testing_replay
