// Putting text together, beyond what fmt::format does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fulgurite::base {

// The texts f(x) of all x, with `separator` between them.
template <class Range, class F>
std::string join(const Range& range, std::string_view separator, F&& f) {
  std::string text;
  bool first = true;
  for (const auto& x : range) {
    if (!first) text += separator;
    first = false;
    text += f(x);
  }
  return text;
}

// What stands between the separators: one text more than there are separators.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Whether the word is one of `words`, which have commas between them; null: there are none.
inline bool is_among(std::string_view word, const char* words) {
  if (words == nullptr) return false;
  for (std::string_view rest = words;;) {
    const std::size_t comma = rest.find(',');
    if (rest.substr(0, comma) == word) return true;
    if (comma == rest.npos) return false;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace fulgurite::base
