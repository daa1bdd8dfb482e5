#include "tool/profile.h"

#include <algorithm>
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
    case runtime::Activity::message: return "message";
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
  for (const runtime::PeerBytes& peer : event.peers) {
    if (peer.sent > 0) json["sent"].push_back({{"rank", peer.rank}, {"bytes", peer.sent}});
    if (peer.received > 0) json["received"].push_back({{"rank", peer.rank}, {"bytes", peer.received}});
  }
  return json;
}

Json name_of_process(std::size_t process) {
  return {{"name", "process_name"},
          {"ph", "M"},
          {"pid", process},
          {"args", {{"name", "rank " + std::to_string(process)}}}};
}

}  // namespace

std::string to_events(const std::vector<runtime::Event>& events,
                      const std::vector<lower::LaunchNote>& notes) {
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
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_trace(const std::vector<ProcessProfile>& processes) {
  std::int64_t longest = 0;
  for (const ProcessProfile& process : processes) longest = std::max(longest, process.end);
  Json all = Json::array();
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const double later = static_cast<double>(longest - processes[p].end) / 1000;
    if (processes.size() > 1) all.push_back(name_of_process(p));
    for (Json& event : Json::parse(processes[p].events)) {
      event["ts"] = event["ts"].get<double>() + later;
      if (processes.size() > 1) event["pid"] = p;
      all.push_back(std::move(event));
    }
  }
  const Json json{{"traceEvents", std::move(all)}, {"displayTimeUnit", "ns"}};
  return json.dump(1) + "\n";
}

}  // namespace fulgurite::tool
