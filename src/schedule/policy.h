// Every tuning number of lowering, in one place for each class of devices: how large a task is, from which
// cost on points go one vector at a time, how long a row is that several tasks share. The numbers are plain
// values, which print, parse and compare; Options::policy and FULGURITE_POLICY change them for one program
// or for all, and they are part of the keys of whatever is compiled. What each number does stands in
// lanes_policy.def and blocks_policy.def, and in docs/schedules.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace fulgurite::schedule {

using Whole = std::int64_t;
using Cost = double;

/// Numbers for a device whose tasks run as lanes of vectors: a CPU.
struct LanesPolicy {
#define FULGURITE_NUMBER(type, name, value, ...) type name = value;
#include "schedule/lanes_policy.def"
#undef FULGURITE_NUMBER
  friend bool operator==(const LanesPolicy&, const LanesPolicy&) = default;
};

/// Numbers for a device whose tasks are blocks of threads: a GPU.
struct BlocksPolicy {
#define FULGURITE_NUMBER(type, name, value, ...) type name = value;
#include "schedule/blocks_policy.def"
#undef FULGURITE_NUMBER
  friend bool operator==(const BlocksPolicy&, const BlocksPolicy&) = default;
};

/// The numbers for all devices. No name stands in both parts.
struct Policy {
  LanesPolicy lanes;
  BlocksPolicy blocks;
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// What a whole number must be, besides being within its bounds.
enum class Form : std::uint8_t { any, power_of_two, odd };

/// A line of lanes_policy.def or blocks_policy.def, whose columns it has.
template <class P>
struct Number {
  std::string_view name;
  std::variant<Whole P::*, Cost P::*> field;
  double least, most;
  Form form;
  std::string_view unit, description;
};
/// All numbers of LanesPolicy or BlocksPolicy, in the order of the table.
template <class P>
std::span<const Number<P>> numbers();

/// The value as text, such that parse_policy() gives the same value.
template <class P>
std::string value_text(const Number<P>&, const P&);

/// A line "name = value" for each number.
std::string print(const LanesPolicy&);
std::string print(const BlocksPolicy&);
std::string print(const Policy&);

/// "name = value, name = value": the numbers that are not the default; empty if there are none.
std::string changes(const Policy&);

/// The policy with some numbers changed: "name=value" once for each of them, between commas, spaces and
/// ends of lines; from # to the end of a line stand comments. Throws FormatError for anything else, for an
/// unknown name, and for a value that the table does not allow.
Policy parse_policy(std::string_view text, Policy = {});

/// What Options::policy and its like stand for: the text of the file where `given` is "@file", else `given`.
/// Throws FormatError if there is no such file.
std::string policy_text(const std::string& given);

}  // namespace fulgurite::schedule
