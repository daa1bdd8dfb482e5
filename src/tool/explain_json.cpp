// An explanation for programs. Formulas are text, in the sizes that the parameters' types name.
#include <nlohmann/json.hpp>

#include "tool/explanation.h"
#include "tool/predict.h"

namespace fulgurite::tool {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Operation& o) {
  Json json{{"operation", o.origin}, {"file", o.where.file}, {"line", o.where.line}};
  if (!o.reason.empty()) json["reason"] = o.reason;
  return json;
}
Json json_of(const std::vector<Operation>& all) {
  Json json = Json::array();
  for (const Operation& o : all) json.push_back(json_of(o));
  return json;
}
Json json_of(const Formula& read, const Formula& written) {
  return {{"read", read.text()}, {"written", written.text()}};
}

Json json_of(const runtime::Occupancy& o) {
  return {{"block_size", o.block_size},     {"registers", o.registers}, {"thread_bytes", o.thread_bytes},
          {"shared_bytes", o.shared_bytes}, {"blocks", o.n_blocks},     {"threads", o.n_threads},
          {"most_threads", o.most_threads}};
}

Json json_of(const LaunchReport& launch) {
  Json occupancy = Json::array();
  for (const runtime::Occupancy& o : launch.occupancy) occupancy.push_back(json_of(o));
  Json copies = Json::array(), own = Json::array(), passes = Json::array(), schedule = Json::array();
  for (const CopyReport& c : launch.copies)
    copies.push_back({{"array", c.array},
                      {"from", c.from},
                      {"bytes", c.bytes.text()},
                      {"made", c.is_made},
                      {"reason", c.reason}});
  for (const PrivateReport& p : launch.own)
    own.push_back({{"name", p.name}, {"bytes", p.bytes.text()}, {"moved_at_most", p.moved.text()}});
  for (const PassReport& p : launch.passes)
    passes.push_back({{"array", p.array}, {"times", p.often ? "often" : p.times.text()}});
  for (const schedule::PhaseInWords& p : launch.schedule)
    schedule.push_back({{"phase", p.name}, {"where", p.where}, {"walk", p.walk}, {"why", p.why}});
  Json bytes = json_of(launch.bytes_read, launch.bytes_written);
  bytes["read_is_bound"] = launch.reads_at_most;
  bytes["written_is_bound"] = launch.writes_at_most;
  Json limit = nullptr;
  if (launch.computes_elements) {
    const Limit found = limit_of(launch);
    limit = {{"by", name_of(found.by)}};
    if (launch.operations) limit["operations"] = launch.operations->text();
    if (found.operations_a_byte) limit["operations_a_byte"] = *found.operations_a_byte;
  }
  return {{"name", launch.kernel},
          {"operation", json_of(launch.operation)},
          {"when", launch.when},
          {"phases", launch.n_phases},
          {"schedule", std::move(schedule)},
          {"fused", json_of(launch.fused)},
          {"bytes", std::move(bytes)},
          {"limit", std::move(limit)},
          {"copies", std::move(copies)},
          {"private", std::move(own)},
          {"passes", std::move(passes)},
          {"sequential", launch.sequential},
          {"occupancy", std::move(occupancy)}};
}

}  // namespace

std::string to_json(const Explanation& e) {
  Json kernels = Json::array(), arrays = Json::array(), checks = Json::array();
  for (const LaunchReport& launch : e.launches) kernels.push_back(json_of(launch));
  for (const ArrayReport& a : e.arrays)
    arrays.push_back({{"type", a.type},
                      {"role", a.is_result ? "result" : "intermediate"},
                      {"bytes", a.bytes.text()},
                      {"made_by", json_of(a.made_by)}});
  for (const CheckReport& c : e.checks)
    checks.push_back({{"error", c.error}, {"what", c.what}, {"file", c.where.file}, {"line", c.where.line}});
  Json policy = Json::object();
  for (const ChangedNumber& number : e.policy)
    policy[number.name] = {{"value", number.value}, {"default", number.usual}, {"unit", number.unit}};
  const Json json{{"program", e.name},
                  {"parameters", e.parameters},
                  {"results", e.results},
                  {"operations", e.n_operations},
                  {"policy", std::move(policy)},
                  {"policy_given_by", e.policy_given},
                  {"intermediate_arrays", e.n_intermediate()},
                  {"kernels", std::move(kernels)},
                  {"arrays", std::move(arrays)},
                  {"hoisted", json_of(e.hoisted)},
                  {"removed", json_of(e.removed)},
                  {"checks", std::move(checks)},
                  {"short_axes",
                   {{"extents", e.short_axes.extents},
                    {"longest", e.short_axes.longest},
                    {"least_elements", e.short_axes.least_elements}}},
                  {"bytes", json_of(e.bytes_read, e.bytes_written)},
                  {"least_bytes", json_of(e.least_read, e.least_written)},
                  {"is_least", e.is_least()}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string with_prediction(const std::string& explanation, const Prediction& predicted) {
  Json json = Json::parse(explanation);
  json["ranks"] = {{"seconds", predicted.seconds},
                   {"computing", predicted.computing},
                   {"sending", predicted.sending},
                   {"agreeing", predicted.agreeing},
                   {"messages", predicted.messages},
                   {"gatherings", predicted.gatherings},
                   {"bytes", predicted.bytes},
                   {"messages_of_rank", predicted.messages_of_rank},
                   {"bytes_of_rank", predicted.bytes_of_rank},
                   {"limit", predicted.limit},
                   {"assumptions", predicted.assumptions}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fulgurite::tool
