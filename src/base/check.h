// Checks of our own invariants. What a user can cause is not checked here: it throws one of the other errors
// of <fulgurite/error.h>, with a sentence that says what to do.
#pragma once

#include <fulgurite/error.h>

#include <fmt/core.h>

namespace fulgurite::base {

// Throws InternalError for the condition, as written, that did not hold.
[[noreturn, gnu::cold]] void check_failed(const char* condition, const std::string& message,
                                          const std::source_location& at = std::source_location::current());

}  // namespace fulgurite::base

// FULGURITE_CHECK(width > 0, "width {} of '{}'", width, name): a bug unless the condition holds; checked in
// every build.
#define FULGURITE_CHECK(condition, ...)                                                      \
  do {                                                                                       \
    if (!(condition)) ::fulgurite::base::check_failed(#condition, fmt::format(__VA_ARGS__)); \
  } while (false)
