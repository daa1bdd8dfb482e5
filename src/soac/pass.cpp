#include "soac/pass.h"

#include <fmt/format.h>

namespace fulgurite::soac {
namespace {

std::string described(const std::string& origin, const Location& where) {
  const std::string what = origin.empty() ? "statement" : origin;
  return where.file.empty() ? what : fmt::format("{} ({}:{})", what, where.file, where.line);
}

}  // namespace

Event event_of(Event::Kind kind, const Stm& what, std::string reason) {
  Event event;
  event.kind = kind;
  if (!what.names.empty()) event.what = what.names[0];
  event.where = what.where;
  event.origin = what.origin;
  event.reason = std::move(reason);
  return event;
}

Event event_of(Event::Kind kind, const Stm& what, const Stm& into, std::string reason) {
  Event event = event_of(kind, what, std::move(reason));
  if (!into.names.empty()) event.into = into.names[0];
  event.into_where = into.where;
  event.into_origin = into.origin;
  return event;
}

std::string_view name_of(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::fused: return "fused";
    case Event::Kind::kept: return "kept";
    case Event::Kind::merged: return "merged";
    case Event::Kind::collapsed: return "collapsed";
    case Event::Kind::hoisted: return "hoisted";
    case Event::Kind::removed: return "removed";
  }
  return "";
}

std::string to_string(const Event& e) {
  std::string line = fmt::format("{} {}", described(e.origin, e.where), name_of(e.kind));
  const bool left = e.kind == Event::Kind::hoisted;
  if (e.into || !e.into_origin.empty())
    line += fmt::format(" {} {}", left ? "out of" : "into", described(e.into_origin, e.into_where));
  return e.reason.empty() ? line : line + ": " + e.reason;
}

bool PassContext::spend() {
  if (!gas) return true;
  if (*gas <= 0) return false;
  --*gas;
  return true;
}

}  // namespace fulgurite::soac
