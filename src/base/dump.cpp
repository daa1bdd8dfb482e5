#include "base/dump.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace fulgurite::base {

bool dumps(std::string_view label) {
  const char* wanted = std::getenv("FULGURITE_DUMP");
  if (wanted == nullptr) return false;
  std::string_view rest = wanted;
  for (;;) {
    std::size_t comma = rest.find(',');
    if (rest.substr(0, comma) == label) return true;
    if (comma == rest.npos) return false;
    rest.remove_prefix(comma + 1);
  }
}

void dump(std::string_view label, std::string_view text) {
  fmt::print(stderr, "---- {}\n{}\n", label, text);
}

Timed::~Timed() {
  // fmt might throw, which a destructor may not.
  if (is_wanted_)
    std::fprintf(stderr, "time %-20.*s %8.3f ms\n", static_cast<int>(label_.size()), label_.data(),
                 std::chrono::duration<double, std::milli>(Clock::now() - start_).count());
}

}  // namespace fulgurite::base
