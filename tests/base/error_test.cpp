#include <fulgurite/error.h>

#include <gtest/gtest.h>

#include "base/check.h"

namespace fulgurite {
namespace {

TEST(Error, ReadsLikeACompilersMessage) {
  const ShapeError e("left is f32[3], right is f32[4]", {"programs/saxpy.cpp", 7});
  EXPECT_STREQ(e.what(), "saxpy.cpp:7: fulgurite::ShapeError: left is f32[3], right is f32[4]");
  EXPECT_EQ(e.kind(), "ShapeError");
  EXPECT_EQ(e.message(), "left is f32[3], right is f32[4]");
  EXPECT_EQ(e.file(), "programs/saxpy.cpp");
  EXPECT_EQ(e.line(), 7u);
}

TEST(Error, MayHaveNoPlaceOrOnlyAFile) {
  EXPECT_STREQ(DeviceError("no such engine").what(), "fulgurite::DeviceError: no such engine");
  EXPECT_STREQ(FormatError("truncated", {"x.npy", 0}).what(), "x.npy: fulgurite::FormatError: truncated");
}

TEST(Error, TakesASourceLocation) {
  const unsigned line = __LINE__ + 1;
  const IndexError e("index 5", std::source_location::current());
  EXPECT_EQ(e.line(), line);
  EXPECT_TRUE(e.file().ends_with("error_test.cpp"));
}

TEST(Error, EveryKindIsCaughtAsErrorAndNamesItself) {
  auto kind_of = [](auto error) {
    try {
      throw error;
    } catch (const Error& e) {
      return e.kind();
    }
  };
  EXPECT_EQ(kind_of(ShapeError("")), "ShapeError");
  EXPECT_EQ(kind_of(IndexError("")), "IndexError");
  EXPECT_EQ(kind_of(ArithmeticError("")), "ArithmeticError");
  EXPECT_EQ(kind_of(TraceError("")), "TraceError");
  EXPECT_EQ(kind_of(FormatError("")), "FormatError");
  EXPECT_EQ(kind_of(DeviceError("")), "DeviceError");
  EXPECT_EQ(kind_of(OutOfMemory("")), "OutOfMemory");
  EXPECT_EQ(kind_of(CompileError("")), "CompileError");
  EXPECT_EQ(kind_of(InternalError("")), "InternalError");
}

TEST(Check, SaysWhatDidNotHoldAndWhere) {
  const int width = -1;
  EXPECT_NO_THROW(FULGURITE_CHECK(width < 0, "width {}", width));
  const unsigned line = __LINE__ + 2;
  try {
    FULGURITE_CHECK(width > 0, "width {} of '{}'", width, "x");
    FAIL() << "the check let a false condition pass";
  } catch (const InternalError& e) {
    EXPECT_EQ(e.message(), "width -1 of 'x' (this is a bug in Fulgurite: 'width > 0' does not hold)");
    EXPECT_EQ(e.line(), line);
    EXPECT_TRUE(e.file().ends_with("error_test.cpp"));
  }
}

}  // namespace
}  // namespace fulgurite
