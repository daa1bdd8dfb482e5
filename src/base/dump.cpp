#include "base/dump.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/log.h"
#include "base/text.h"

namespace fulgurite::base {

bool dumps(std::string_view label) {
  return is_among(label, std::getenv("FULGURITE_DUMP"));
}

bool dumps_anything() {
  const char* wanted = std::getenv("FULGURITE_DUMP");
  return wanted != nullptr && *wanted != 0;
}

void dump(std::string_view label, std::string_view text) {
  log(fmt::format("---- {}\n{}", label, text));
}

void dump_change(std::string_view pass, std::string_view before, std::string_view after) {
  if (after != before) return dump(pass, after);
  log(fmt::format("---- {} (changed nothing)", pass));
}

Timed::~Timed() {
  if (!is_wanted_) return;
  // fmt might throw, which a destructor may not.
  std::array<char, 128> text;
  std::snprintf(text.data(), text.size(), "time %-20.*s %8.3f ms", static_cast<int>(label_.size()),
                label_.data(), std::chrono::duration<double, std::milli>(Clock::now() - start_).count());
  log(text.data());
}

}  // namespace fulgurite::base
