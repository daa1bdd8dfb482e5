#include "base/text.h"

namespace fulgurite::base {

std::string indent(std::string_view text, int spaces) {
  std::string result;
  bool at_start = true;
  for (char c : text) {
    if (at_start && c != '\n') result.append(static_cast<std::size_t>(spaces), ' ');
    at_start = c == '\n';
    result += c;
  }
  return result;
}

}  // namespace fulgurite::base
