// The version of the headers, for the preprocessor and as a constant.
#include <fulgurite/version.h>

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(Version, TheConstantTheMacrosAndTheTextAgree) {
  constexpr fulgurite::Version version = fulgurite::version;
  static_assert(FULGURITE_VERSION == version.major * 10000 + version.minor * 100 + version.patch);
  static_assert(version == fulgurite::Version{FULGURITE_VERSION_MAJOR, FULGURITE_VERSION_MINOR,
                                              FULGURITE_VERSION_PATCH, ""});
  EXPECT_EQ(version.text, std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                              std::to_string(version.patch));
  EXPECT_STREQ(version.text, FULGURITE_VERSION_STRING);
}

}  // namespace
