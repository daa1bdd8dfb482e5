#include "tool/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tool/work.h"

namespace fulgurite::tool {

std::string place(const soac::Location& where) {
  if (where.file.empty()) return "";
  return fmt::format("{}:{}", where.file.substr(where.file.rfind('/') + 1), where.line);
}

namespace {

template <class P>
void add_changed(const P& policy, std::vector<ChangedNumber>& all) {
  for (const schedule::Number<P>& number : schedule::numbers<P>()) {
    std::string value = value_text(number, policy), usual = value_text(number, P());
    if (value != usual)
      all.push_back({std::string(number.name), std::move(value), std::move(usual), std::string(number.unit),
                     std::string(number.description)});
  }
}

}  // namespace

std::vector<ChangedNumber> changed_numbers(const schedule::Policy& policy) {
  std::vector<ChangedNumber> all;
  add_changed(policy.lanes, all);
  add_changed(policy.blocks, all);
  return all;
}

int Explanation::n_intermediate() const {
  return static_cast<int>(
      std::count_if(arrays.begin(), arrays.end(), [](const ArrayReport& a) { return !a.is_result; }));
}

bool Explanation::at_most() const {
  return std::any_of(launches.begin(), launches.end(),
                     [](const LaunchReport& l) { return l.reads_at_most || l.writes_at_most; });
}

namespace {

// The ratio of two numbers that grow with sizes alike.
std::optional<double> ratio(const Formula& a, const Formula& b) {
  constexpr double large = 1 << 20, larger = 1 << 24;
  if (b.at(large) <= 0 || b.at(larger) <= 0) return std::nullopt;
  const double first = a.at(large) / b.at(large), second = a.at(larger) / b.at(larger);
  if (std::abs(first - second) > 0.05 * std::max(std::abs(first), std::abs(second))) return std::nullopt;
  return first;
}

}  // namespace

std::optional<double> Explanation::excess() const {
  return ratio(bytes_read + bytes_written, least_read + least_written);
}

std::optional<double> Explanation::own_share() const {
  return ratio(own_moved, bytes_read + bytes_written);
}

bool Explanation::is_least() const {
  const auto moved = excess(), own = own_share();
  const auto may_move_more = [](const LaunchReport& l) { return !l.when.empty() || !l.passes.empty(); };
  return moved && *moved <= countable && (!own || *own <= countable - 1) && !at_most() &&
         std::ranges::none_of(launches, may_move_more);
}

Limit limit_of(const LaunchReport& launch) {
  constexpr double large = 1 << 20;
  if (!launch.operations) return {Limit::By::elements, {}};
  const Formula bytes = launch.bytes_read + launch.bytes_written;
  const double in_time_of_bytes = operations_in_time_of_a_byte * bytes.at(large);
  return {launch.operations->at(large) < in_time_of_bytes ? Limit::By::memory : Limit::By::arithmetic,
          ratio(*launch.operations, bytes)};
}

std::string_view name_of(Limit::By by) {
  constexpr std::string_view names[] = {"memory", "arithmetic", "elements"};
  return names[static_cast<std::size_t>(by)];
}

}  // namespace fulgurite::tool
