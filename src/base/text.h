// Putting text together, beyond what fmt::format does.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace fulgurite::base
