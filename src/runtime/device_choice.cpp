#include "runtime/device_choice.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <cctype>
#include <charconv>
#include <cstdlib>

namespace fulgurite::runtime {
namespace {

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string list_of(std::span<const std::string> names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += fmt::format("{}{} ({})", i == 0 ? "" : ", ", i, names[i]);
  return list;
}

}  // namespace

std::string wanted_device(const char* variable) {
  const char* const wanted = std::getenv(variable);
  return wanted == nullptr ? "" : wanted;
}

std::size_t choose_device(std::span<const std::string> names, const std::string& wanted, const char* variable,
                          std::size_t otherwise) {
  if (wanted.empty()) return otherwise;
  std::size_t number = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto [rest, error] = std::from_chars(wanted.data(), end, number);
  if (error == std::errc() && rest == end) {
    if (number < names.size()) return number;
  } else {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (lower_case(names[i]).find(lower_case(wanted)) != std::string::npos) return i;
  }
  throw DeviceError(
      fmt::format("{} is '{}': set it to the number or a part of the name of one of {}, or not at all",
                  variable, wanted, list_of(names)));
}

void check_number(std::span<const std::string> names, int number, const char* engine) {
  if (number >= 0 && static_cast<std::size_t>(number) < names.size()) return;
  throw DeviceError(fmt::format("the engine {} has no device {}: set Options::device to one of {}, or to -1",
                                engine, number, list_of(names)));
}

}  // namespace fulgurite::runtime
