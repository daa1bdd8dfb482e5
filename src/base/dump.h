// What the environment variable FULGURITE_DUMP asks the compiler to print (base/log.h): comma-separated
// labels of stages and passes, as in FULGURITE_DUMP=fuse,vectorise,source; "time" prints how long each of
// them took.
#pragma once

#include <chrono>
#include <string_view>

namespace fulgurite::base {

bool dumps(std::string_view label);
/// Whether it asks for anything.
bool dumps_anything();
void dump(std::string_view label, std::string_view text);
/// What a pass made of a text; where that is the same text, that it changed nothing.
void dump_change(std::string_view pass, std::string_view before, std::string_view after);

/// Measures a stage or pass from its own construction to its destruction, and then prints the time if
/// FULGURITE_DUMP asks for it.
class Timed {
 public:
  explicit Timed(std::string_view label) : label_(label), is_wanted_(dumps("time")) {}
  ~Timed();
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  std::string_view label_;
  bool is_wanted_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace fulgurite::base
