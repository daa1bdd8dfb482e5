#include "schedule/policy.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"

namespace fulgurite::schedule {

namespace {

constexpr Number<LanesPolicy> lanes_numbers[] = {
#define FULGURITE_NUMBER(type, name, value, least, most, form, unit, description) \
  {#name, &LanesPolicy::name, least, most, Form::form, unit, description},
#include "schedule/lanes_policy.def"
#undef FULGURITE_NUMBER
};

constexpr Number<BlocksPolicy> blocks_numbers[] = {
#define FULGURITE_NUMBER(type, name, value, least, most, form, unit, description) \
  {#name, &BlocksPolicy::name, least, most, Form::form, unit, description},
#include "schedule/blocks_policy.def"
#undef FULGURITE_NUMBER
};

std::string_view nearest_name(std::string_view unknown) {
  std::vector<std::string_view> names;
  for (const auto& number : lanes_numbers) names.push_back(number.name);
  for (const auto& number : blocks_numbers) names.push_back(number.name);
  return base::nearest(unknown, names);
}

std::string_view noun_of(Form form) {
  return form == Form::power_of_two ? "a power of two" : form == Form::odd ? "an odd number" : "a number";
}

bool has_form(Form form, Whole value) {
  if (form == Form::odd) return value % 2 != 0;
  return form == Form::any || std::has_single_bit(static_cast<std::uint64_t>(value));
}

template <class T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

template <class P, class T>
void assign(P& policy, const Number<P>& number, T P::* field, std::string_view text) {
  const std::optional<T> value = number_of<T>(text);
  bool allowed = value && *value >= static_cast<T>(number.least) && *value <= static_cast<T>(number.most);
  if constexpr (std::is_same_v<T, Whole>) allowed = allowed && has_form(number.form, *value);
  if (!allowed)
    throw FormatError(fmt::format("policy: {} is '{}', and it has to be {} from {} to {}", number.name, text,
                                  noun_of(number.form), static_cast<T>(number.least),
                                  static_cast<T>(number.most)));
  policy.*field = *value;
}

// Whether the policy has a number of that name, which is set then.
template <class P>
bool set_number(P& policy, std::string_view name, std::string_view text) {
  const auto all = numbers<P>();
  const auto number = std::ranges::find(all, name, &Number<P>::name);
  if (number == all.end()) return false;
  std::visit([&](auto field) { assign(policy, *number, field, text); }, number->field);
  return true;
}

// Takes words and signs from the front of a text: "cheap_tile = 8192, # half" is cheap_tile, =, 8192.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  bool has_next() {
    for (;;) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n,"), rest_.size()));
      if (!rest_.starts_with('#')) return !rest_.empty();
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    }
  }
  std::string_view next() {
    if (!has_next()) return {};
    const std::size_t end = rest_[0] == '=' ? 1 : std::min(rest_.find_first_of(" \t\r\n,=#"), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }

 private:
  std::string_view rest_;
};

template <class P>
std::string lines_of(const P& policy) {
  std::string text;
  for (const Number<P>& number : numbers<P>())
    text += fmt::format("{} = {}\n", number.name, value_text(number, policy));
  return text;
}

template <class P>
void add_changes(const P& policy, std::vector<std::string>& all) {
  if (policy == P()) return;
  for (const Number<P>& number : numbers<P>())
    if (std::string value = value_text(number, policy); value != value_text(number, P()))
      all.push_back(fmt::format("{} = {}", number.name, value));
}

}  // namespace

template <>
std::span<const Number<LanesPolicy>> numbers<LanesPolicy>() {
  return lanes_numbers;
}
template <>
std::span<const Number<BlocksPolicy>> numbers<BlocksPolicy>() {
  return blocks_numbers;
}

template <class P>
std::string value_text(const Number<P>& number, const P& policy) {
  return std::visit([&](auto field) { return fmt::format("{}", policy.*field); }, number.field);
}
template std::string value_text(const Number<LanesPolicy>&, const LanesPolicy&);
template std::string value_text(const Number<BlocksPolicy>&, const BlocksPolicy&);

std::string print(const LanesPolicy& policy) {
  return lines_of(policy);
}
std::string print(const BlocksPolicy& policy) {
  return lines_of(policy);
}
std::string print(const Policy& policy) {
  return print(policy.lanes) + print(policy.blocks);
}

std::string changes(const Policy& policy) {
  std::vector<std::string> all;
  add_changes(policy.lanes, all);
  add_changes(policy.blocks, all);
  return base::join(all, ", ", [](const std::string& change) { return change; });
}

Policy parse_policy(std::string_view text, Policy policy) {
  std::set<std::string_view> given;
  for (Words words(text); words.has_next();) {
    const std::string_view name = words.next(), sign = words.next(), value = words.next();
    if (name == "=" || sign != "=" || value.empty() || value == "=")
      throw FormatError(fmt::format("policy: '{}' is followed by no value: write name=value", name));
    if (!given.insert(name).second) throw FormatError(fmt::format("policy: {} is given twice", name));
    if (!set_number(policy.lanes, name, value) && !set_number(policy.blocks, name, value))
      throw FormatError(fmt::format(
          "policy: there is no number '{}'; the nearest name is {}, and docs/schedules.md has all of them",
          name, nearest_name(name)));
  }
  return policy;
}

std::string policy_text(const std::string& given) {
  if (!given.starts_with('@')) return given;
  const std::string path = given.substr(1);
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw FormatError(fmt::format("policy: the file {} cannot be read", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace fulgurite::schedule
