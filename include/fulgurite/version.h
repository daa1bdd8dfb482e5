// Which version of Fulgurite these headers belong to. The version follows semver.org: a program that compiles
// with 1.2.0 compiles with 1.3.0; while the first number is 0, with another last number only.
//   #if FULGURITE_VERSION >= 200              // 0.2.0 or later
//   static_assert(fulgurite::version.minor >= 1);
#pragma once

/// The three numbers of the version, each from 0 to 99.
#define FULGURITE_VERSION_MAJOR 0
#define FULGURITE_VERSION_MINOR 1
#define FULGURITE_VERSION_PATCH 0

/// The three numbers as one that the preprocessor can compare: 10203 is version 1.2.3.
#define FULGURITE_VERSION \
  (FULGURITE_VERSION_MAJOR * 10000 + FULGURITE_VERSION_MINOR * 100 + FULGURITE_VERSION_PATCH)

/// The version as text: "0.1.0".
#define FULGURITE_VERSION_STRING "0.1.0"

/// The number of the library's binary interface, which its SONAME ends in: libfulgurite.so.1. A program runs
/// with every library of the number that it was linked with.
#define FULGURITE_ABI 1

namespace fulgurite {

/// A version as three numbers and as text. Two are equal if their numbers are.
struct Version {
  int major, minor, patch;
  const char* text;

  friend constexpr bool operator==(const Version& a, const Version& b) {
    return a.major == b.major && a.minor == b.minor && a.patch == b.patch;
  }
};

/// The version of these headers.
inline constexpr Version version{FULGURITE_VERSION_MAJOR, FULGURITE_VERSION_MINOR, FULGURITE_VERSION_PATCH,
                                 FULGURITE_VERSION_STRING};

}  // namespace fulgurite
