#include "base/debug.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <cstdlib>

#include "base/text.h"

namespace fulgurite::base {

bool debugs(std::string_view word) {
  return is_among(word, std::getenv("FULGURITE_DEBUG"));
}

void check_debug_words() {
  const char* wanted = std::getenv("FULGURITE_DEBUG");
  for (const std::string& word : split(wanted == nullptr ? "" : wanted, ','))
    if (!word.empty() && !is_among(word, "captures,perf,gdb"))
      throw FormatError(
          fmt::format("FULGURITE_DEBUG: there is no '{}'; there are captures, perf and gdb", word));
}

}  // namespace fulgurite::base
