#include "base/debug.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace fulgurite::base {
namespace {

std::vector<std::string_view> words() {
  const char* wanted = std::getenv("FULGURITE_DEBUG");
  std::vector<std::string_view> all;
  for (std::string_view rest = wanted == nullptr ? "" : wanted; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    if (comma != 0) all.push_back(rest.substr(0, comma));
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  return all;
}

}  // namespace

bool debugs(std::string_view word) {
  const std::vector<std::string_view> wanted = words();
  return std::ranges::find(wanted, word) != wanted.end();
}

void check_debug_words() {
  static constexpr std::array<std::string_view, 3> known = {"captures", "perf", "gdb"};
  for (const std::string_view word : words())
    if (std::ranges::find(known, word) == known.end())
      throw FormatError(
          fmt::format("FULGURITE_DEBUG: there is no '{}'; there are captures, perf and gdb", word));
}

}  // namespace fulgurite::base
