// What the library prints: warnings, what FULGURITE_DUMP asks for, and the last words of a rank. On the
// standard error output, or where the application wants it (fulgurite/log.h).
#pragma once

#include <functional>
#include <string_view>

namespace fulgurite::base {

using Log = std::function<void(std::string_view)>;

/// Prints a text of one or more lines. Never throws: a text that cannot be printed is lost.
void log(std::string_view text) noexcept;

/// Texts go to `to` from here on; empty: to the standard error output. Returns where they went before.
Log log_to(Log to);

}  // namespace fulgurite::base
