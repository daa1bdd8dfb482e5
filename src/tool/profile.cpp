#include "tool/profile.h"

#include <nlohmann/json.hpp>

namespace fulgurite::tool {
namespace {

using Json = nlohmann::ordered_json;

const char* category(runtime::Activity activity) {
  switch (activity) {
    case runtime::Activity::tracing: return "trace";
    case runtime::Activity::pass: return "pass";
    case runtime::Activity::compilation: return "compile";
    case runtime::Activity::transfer: return "transfer";
    case runtime::Activity::kernel: break;
  }
  return "kernel";
}

Json details(const runtime::Event& event, const std::vector<lower::LaunchNote>& notes) {
  Json json = Json::object();
  if (const std::uint64_t bytes = event.bytes_read + event.bytes_written; bytes > 0) {
    json["bytes_read"] = event.bytes_read;
    json["bytes_written"] = event.bytes_written;
    if (event.duration > 0)
      json["gigabytes_per_second"] = static_cast<double>(bytes) / static_cast<double>(event.duration);
  }
  for (const lower::LaunchNote& note : notes) {
    if (event.kernel < 0 || note.kernel != event.kernel) continue;
    json["operation"] = note.origin;
    json["file"] = note.where.file;
    json["line"] = note.where.line;
    break;
  }
  return json;
}

}  // namespace

std::string to_trace(const std::vector<runtime::Event>& events, const std::vector<lower::LaunchNote>& notes) {
  Json list = Json::array();
  for (const runtime::Event& event : events)
    list.push_back({{"name", event.name},
                    {"cat", category(event.activity)},
                    {"ph", "X"},
                    {"ts", static_cast<double>(event.start) / 1000},
                    {"dur", static_cast<double>(event.duration) / 1000},
                    {"pid", 1},
                    {"tid", event.thread},
                    {"args", details(event, notes)}});
  const Json json{{"traceEvents", std::move(list)}, {"displayTimeUnit", "ns"}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fulgurite::tool
