// A pass over the array IR is a named value: its name is the label of its dump and of its time. A pass
// reports what it did in events, with the user's locations, which `explain` shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

/// What happened to one statement. `what` is the statement's first name (absent for a Check); for `fused`,
/// `merged` and `hoisted`, `into` is the statement that took it in, or that it left. A statement fused into
/// several others has an event for each.
struct Event {
  enum class Kind : std::uint8_t { fused, kept, merged, collapsed, hoisted, removed };
  Kind kind = Kind::kept;
  std::optional<Var> what;
  Location where;
  std::string origin;
  std::optional<Var> into;
  Location into_where;
  std::string into_origin;
  std::string reason;  // a clause: "its result is a result of the program"
  friend bool operator==(const Event&, const Event&) = default;
};
Event event_of(Event::Kind, const Stm& what, std::string reason);
Event event_of(Event::Kind, const Stm& what, const Stm& into, std::string reason);
std::string_view name_of(Event::Kind);
std::string to_string(const Event&);  // one line

struct PassContext {
  /// How many more rewrites the passes that spend gas (fuse) may make; nothing: any number. Bisecting it
  /// finds the rewrite that breaks a program. Rewrites that the next stage needs do not count.
  std::optional<std::int64_t> gas;
  std::vector<Event> log;
  /// Bytes of a matrix from which on steps of loops that change a part of it, or all of it, do so where it
  /// lies (fuse::in_place).
  std::int64_t least_part = 0, least_whole = 0;

  /// Takes one unit of gas; false if there is none.
  bool spend();
};

struct Pass {
  std::string_view name, description;
  Program (*run)(Program, PassContext&);
};

}  // namespace fulgurite::soac
