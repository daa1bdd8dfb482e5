#include "emit/prelude.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

namespace fulgurite::emit {
namespace {

TEST(Prelude, HoldsEveryFileUnderItsName) {
  for (const PreludeFile& file : prelude_files()) {
    EXPECT_EQ(prelude(file.name).data(), file.text.data());
    EXPECT_EQ(file.text.find('\0'), std::string_view::npos) << file.name;
    EXPECT_FALSE(file.text.empty()) << file.name;
  }
}

TEST(Prelude, RefusesAnUnknownName) {
  EXPECT_THROW(prelude("no/such/file.h"), InternalError);
}

}  // namespace
}  // namespace fulgurite::emit
