// The OpenCL devices of this machine, and which one programs run on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/opencl/api.h"

namespace fulgurite::runtime::opencl {

struct DeviceEntry {
  DeviceId id;
  std::string name, driver, platform, platform_version;
  bool is_gpu;
  int n_compute_units;
  std::size_t memory, largest_buffer, cache;
  std::size_t shared_bytes;  // of a block
  int vector_bytes;
  std::size_t buffer_alignment;    // of the parts of a buffer
  bool divides_correctly_rounded;  // f32, where it is asked to
  // A work-group may wait for another one, and sees after a fence what that stored before its own (OpenCL C
  // 3.0). Of GPUs: PoCL's compiler, which makes loops of threads, removes some of the loops that wait.
  bool groups_wait;
};

// In the order of the platforms; devices that are not available or cannot compile are left out. Throws
// DeviceError if there is no platform or no device.
std::vector<DeviceEntry> list_devices(const Api& api);

// The number of a device. `wanted` is one, from 0, or a part of its name in any case; empty: the first GPU,
// or else the first device. Throws DeviceError if there is no such device.
int choose_device(std::span<const DeviceEntry> devices, const std::string& wanted);
// Throws DeviceError if the list has no such number.
const DeviceEntry& device_with(std::span<const DeviceEntry> devices, int number);

// What FULGURITE_OPENCL_DEVICE says, or nothing.
std::string wanted_device();

}  // namespace fulgurite::runtime::opencl
