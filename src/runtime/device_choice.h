// Which of an engine's devices programs run on: the one that an environment variable names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fulgurite::runtime {

template <class Entry>
std::vector<std::string> names_of(std::span<const Entry> devices) {
  std::vector<std::string> names;
  for (const Entry& device : devices) names.push_back(device.name);
  return names;
}

// The variable's value, or nothing.
std::string wanted_device(const char* variable);

// `wanted` is a number of the list, from 0, or a part of a device's name in any case; empty: `otherwise`.
// Throws DeviceError, which names the variable and the devices, if there is no such device.
std::size_t choose_device(std::span<const std::string> names, const std::string& wanted, const char* variable,
                          std::size_t otherwise);

// Throws DeviceError, which names the devices, if the list has no such number.
void check_number(std::span<const std::string> names, int number, const char* engine);

}  // namespace fulgurite::runtime
