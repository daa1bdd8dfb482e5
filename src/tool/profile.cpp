#include "tool/profile.h"

#include <fmt/format.h>
#include <fulgurite/error.h>
#include <fulgurite/profile.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/log.h"
#include "tool/job.h"

namespace fulgurite::tool {
namespace {

using Json = nlohmann::ordered_json;

const char* category(runtime::Activity activity) {
  switch (activity) {
    case runtime::Activity::tracing: return "trace";
    case runtime::Activity::pass: return "pass";
    case runtime::Activity::compilation: return "compile";
    case runtime::Activity::transfer: return "transfer";
    case runtime::Activity::tasks: return "tasks";
    case runtime::Activity::message: return "message";
    case runtime::Activity::kernel: break;
  }
  return "kernel";
}

Json details(const runtime::Event& event) {
  Json json = Json::object();
  if (const std::uint64_t bytes = event.bytes_read + event.bytes_written; bytes > 0) {
    json["bytes_read"] = event.bytes_read;
    json["bytes_written"] = event.bytes_written;
    if (event.duration > 0)
      json["gigabytes_per_second"] = static_cast<double>(bytes) / static_cast<double>(event.duration);
  }
  if (!event.program.empty()) {
    json["program"] = event.program;
    json["operation"] = event.operation;
  }
  if (event.line != 0) {
    json["file"] = event.file;
    json["line"] = event.line;
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

std::string to_events(const std::vector<runtime::Event>& events) {
  Json list = Json::array();
  std::set<int> threads;
  for (const runtime::Event& event : events) threads.insert(event.thread);
  for (const int thread : threads)
    list.push_back({{"name", "thread_name"},
                    {"ph", "M"},
                    {"pid", 1},
                    {"tid", thread},
                    {"args", {{"name", fmt::format("thread {}", thread)}}}});
  for (const runtime::Event& event : events)
    list.push_back({{"name", event.name},
                    {"cat", category(event.activity)},
                    {"ph", "X"},
                    {"ts", static_cast<double>(event.start) / 1000},
                    {"dur", static_cast<double>(event.duration) / 1000},
                    {"pid", 1},
                    {"tid", event.thread},
                    {"args", details(event)}});
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
      if (event.contains("ts")) event["ts"] = event["ts"].get<double>() + later;
      if (processes.size() > 1) event["pid"] = p;
      all.push_back(std::move(event));
    }
  }
  const Json json{{"traceEvents", std::move(all)}, {"displayTimeUnit", "ns"}};
  return json.dump(1) + "\n";
}

void check_writable(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
    throw FormatError(
        fmt::format("{} cannot be written: its folder does not exist or is not writable", path));
}

}  // namespace fulgurite::tool

namespace fulgurite {

Profile::Profile(std::string path) : path_(std::move(path)), n_exceptions_(std::uncaught_exceptions()) {
  tool::check_writable(path_);
  if (!runtime::begin_profile())
    throw FormatError(
        fmt::format("no profile can be made into {}: this process is making one already, and "
                    "there is one at a time",
                    path_));
}

Profile::~Profile() {
  if (is_over_) return;
  try {
    if (std::uncaught_exceptions() > n_exceptions_)
      runtime::end_profile();
    else
      write();
  } catch (const std::exception& error) {
    base::log(error.what());
  }
}

void Profile::write() {
  if (std::exchange(is_over_, true)) return;
  tool::meet_ranks();
  const std::int64_t end = runtime::profile_time();
  const std::vector<std::string> events = tool::of_all_ranks(tool::to_events(runtime::end_profile()));
  const std::vector<std::string> ends = tool::of_all_ranks(std::to_string(end));
  if (!tool::is_first_rank()) return;
  std::vector<tool::ProcessProfile> processes;
  for (std::size_t r = 0; r < events.size(); ++r) processes.push_back({events[r], std::stoll(ends[r])});
  std::ofstream file(path_, std::ios::binary);
  file << tool::to_trace(processes);
  file.close();
  if (!file) throw FormatError(path_ + " cannot be written");
}

}  // namespace fulgurite
