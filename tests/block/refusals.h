// What a wrong program is told.
#pragma once

#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace fulgurite::test {

/// The error of this kind that f throws, as the user reads it.
template <class E = Error, class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was refused";
}

inline void expect_says(const std::string& message, std::string_view part) {
  EXPECT_NE(message.find(part), message.npos) << message;
}

}  // namespace fulgurite::test
