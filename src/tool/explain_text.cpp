// An explanation for people.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "tool/explanation.h"

namespace fulgurite::tool {
namespace {

std::string counted(int n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// Columns: a label once, then operations under each other.
std::string operations(std::string_view label, const std::vector<Operation>& all) {
  std::string text;
  std::size_t width = 0;
  for (const Operation& o : all) width = std::max(width, o.origin.size() + 2 + place(o.where).size());
  for (const Operation& o : all) {
    const std::string name = fmt::format("{}  {}", o.origin, place(o.where));
    text += o.reason.empty() ? fmt::format("  {:<12}{}\n", label, name)
                             : fmt::format("  {:<12}{:<{}}  {}\n", label, name, width, o.reason);
    label = "";
  }
  return text;
}

// Formulas that can be read as they are, others as their value for large sizes.
std::string amount(const Formula& bytes, std::string_view unit = " bytes", std::size_t readable = 120) {
  constexpr double large = 1 << 20;
  const std::string text = bytes.text();
  if (text.size() <= readable && text.find("select") == text.npos) return fmt::format("{}{}", text, unit);
  return fmt::format("{:.0f}{} where every size is 2^20", bytes.at(large), unit);
}
std::string bounded(bool at_most, const Formula& bytes, std::string_view unit = " bytes") {
  return (at_most ? "at most " : "") + amount(bytes, unit);
}

// Copies, private memory, elements that are read again and again.
std::string memory_text(const LaunchReport& launch) {
  constexpr std::size_t readable = 48;
  std::string text;
  for (const CopyReport& c : launch.copies)
    text += c.is_made ? fmt::format("  {:<12}{} into {}, {} bytes: {}\n", "copies", c.from, c.array,
                                    c.bytes.text(), c.reason)
                      : fmt::format("  {:<12}{} becomes {}, {}\n", "in place", c.from, c.array, c.reason);
  for (const PrivateReport& own : launch.own)
    text += fmt::format("  {:<12}{}, {}\n", "private", own.name, amount(own.bytes, " bytes", readable));
  for (const PassReport& p : launch.passes)
    text += p.often ? fmt::format("  {:<12}goes through {} as often as elements say\n", "passes", p.array)
                    : fmt::format("  {:<12}goes through {} {}\n", "passes", p.array,
                                  amount(p.times, " times", readable));
  return text;
}

// Below it, farther in, the Soacs inside and a reason for each decision.
std::string phase_text(const schedule::PhaseInWords& phase) {
  const std::string where = phase.where.empty() ? "" : fmt::format(" where {}", phase.where);
  std::string text = fmt::format("  {:<12}{}{}: {}\n", "phase", phase.name, where, phase.walk[0]);
  for (std::size_t k = 1; k < phase.walk.size(); ++k) text += fmt::format("    {}\n", phase.walk[k]);
  for (const std::string& reason : phase.why) text += fmt::format("    {}\n", reason);
  return text;
}

// "memory: 2n operations, 0.25 for each byte".
std::string limit_text(const LaunchReport& launch) {
  constexpr std::size_t readable = 48;
  const Limit limit = limit_of(launch);
  std::string text = fmt::format("  {:<12}{}: ", "limit", name_of(limit.by));
  if (limit.by == Limit::By::elements) return text + "they say how much is computed\n";
  text += amount(*launch.operations, " operations", readable);
  if (limit.operations_a_byte) text += fmt::format(", {:.3g} for each byte", *limit.operations_a_byte);
  return text + "\n";
}

std::string launch_text(const LaunchReport& launch, std::size_t number) {
  std::string text =
      fmt::format("\nkernel {}: {}  {}", number, launch.operation.origin, place(launch.operation.where));
  text += fmt::format("   [{}{}{}]\n", launch.kernel,
                      launch.n_phases > 1 ? fmt::format(", {} phases", launch.n_phases) : "",
                      launch.when.empty() ? "" : ", " + launch.when);
  text += operations("fused in", launch.fused);
  text +=
      fmt::format("  {:<12}reads {}, writes {}\n", "moves", bounded(launch.reads_at_most, launch.bytes_read),
                  bounded(launch.writes_at_most, launch.bytes_written, ""));
  if (launch.computes_elements) text += limit_text(launch);
  text += memory_text(launch);
  for (const schedule::PhaseInWords& phase : launch.schedule) text += phase_text(phase);
  for (const runtime::Occupancy& o : launch.occupancy)
    text += fmt::format(
        "  {:<12}{} of {} threads of a multiprocessor: {} blocks of {}, {} registers and {} bytes a thread, "
        "{} "
        "bytes shared\n",
        "occupancy", o.n_threads, o.most_threads, o.n_blocks, o.block_size, o.registers, o.thread_bytes,
        o.shared_bytes);
  for (const std::string& note : launch.sequential) text += fmt::format("  {:<12}{}\n", "warning", note);
  return text;
}

// The numbers that phases name in brackets: which are not the default, and who says so.
std::string policy_text(const Explanation& e) {
  const bool has_phases = std::any_of(e.launches.begin(), e.launches.end(),
                                      [](const LaunchReport& l) { return !l.schedule.empty(); });
  if (!has_phases && e.policy.empty()) return "";
  std::string text = "policy: default tuning numbers";
  if (!e.policy.empty())
    text =
        fmt::format("policy: {} changed by {}", counted(static_cast<int>(e.policy.size()), "tuning number"),
                    e.policy_given.empty() ? "the program" : e.policy_given);
  text += "; names in brackets below are such numbers (docs/schedules.md)\n";
  for (const ChangedNumber& number : e.policy)
    text += fmt::format("  {} = {} {}, by default {}: {}\n", number.name, number.value, number.unit,
                        number.usual, number.description);
  return text;
}

std::string short_axes_text(const ShortAxesReport& axes) {
  if (axes.extents.empty()) return "";
  const auto same = [](const std::string& s) { return s; };
  return fmt::format(
      "\nshort axes: a call where {} is at most {}, and an array has {} elements or more, runs kernels for "
      "this length: explain it with the arguments of the call, as 1000x{}\n",
      base::join(axes.extents, " or ", same), axes.longest, axes.least_elements,
      std::min<std::int64_t>(axes.longest, 3));
}

}  // namespace

std::string bytes_told(const Explanation& e) {
  std::string text = fmt::format("moves {}", bounded(e.at_most(), e.bytes_read + e.bytes_written));
  if (e.is_least()) return text + ", the least possible";
  text += fmt::format("; what is needed once: {}", amount(e.least_read + e.least_written, ""));
  if (const auto excess = e.excess(); excess && *excess > countable)
    text += fmt::format(" ({:.2f} times that)", *excess);
  return text;
}

std::string to_text(const Explanation& e) {
  const auto same = [](const std::string& s) { return s; };
  std::string text = fmt::format("{}({}) -> {}\n", e.name, base::join(e.parameters, ", ", same),
                                 base::join(e.results, ", ", same));
  const int n = e.n_intermediate();
  text += fmt::format("{} in {}, {}\n", counted(e.n_operations, "operation"),
                      counted(static_cast<int>(e.launches.size()), "kernel"),
                      n == 0 ? "no intermediate array" : counted(n, "intermediate array"));
  text += bytes_told(e);
  if (const auto share = e.own_share(); share && *share > 0.01)
    text += fmt::format("; private memory at most {:.0f} % more", 100 * *share);
  if (std::any_of(e.launches.begin(), e.launches.end(),
                  [](const LaunchReport& l) { return !l.when.empty(); }))
    text += "; kernels in loops and branches are counted once";
  text += "\n";
  text += policy_text(e);
  for (std::size_t k = 0; k < e.launches.size(); ++k) text += launch_text(e.launches[k], k + 1);

  if (!e.arrays.empty()) text += "\narrays in memory\n";
  for (const ArrayReport& a : e.arrays)
    text += fmt::format("  {:<14}{}  {} bytes  {}  {}{}\n", a.is_result ? "result" : "intermediate", a.type,
                        a.bytes.text(), a.made_by.origin, place(a.made_by.where),
                        a.is_result || a.made_by.reason.empty() ? "" : "  kept: " + a.made_by.reason);
  if (!e.hoisted.empty() || !e.removed.empty()) text += "\n";
  text += operations("hoisted", e.hoisted);
  text += operations("removed", e.removed);
  if (!e.checks.empty()) text += "\nchecks that remain\n";
  for (const CheckReport& c : e.checks)
    text += fmt::format("  {:<12}{}  {}\n",
                        c.error == "ShapeError"   ? "shape"
                        : c.error == "IndexError" ? "index"
                                                  : "arithmetic",
                        c.what.size() > 72 ? c.what.substr(0, 69) + "..." : c.what, place(c.where));
  return text + short_axes_text(e.short_axes);
}

}  // namespace fulgurite::tool
