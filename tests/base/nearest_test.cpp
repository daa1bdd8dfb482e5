// Which name a word was meant to be.
#include "base/nearest.h"

#include <gtest/gtest.h>

namespace fulgurite::base {
namespace {

TEST(Nearest, TakesFewestLetters) {
  const std::string_view names[] = {"fuse", "fields", "lift", "vectorise"};
  EXPECT_EQ(nearest("fuze", names), "fuse");
  EXPECT_EQ(nearest("vectorize", names), "vectorise");
  EXPECT_EQ(nearest("fild", names), "fields");
  EXPECT_EQ(nearest("", names), "fuse") << "the first of equally near ones";
}

}  // namespace
}  // namespace fulgurite::base
