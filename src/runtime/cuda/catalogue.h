// The CUDA devices of this machine, and which one programs run on.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/cuda/driver.h"

namespace fulgurite::runtime::cuda {

struct DeviceEntry {
  DeviceId id;
  int number;  // in the driver's order
  std::string name;
  int driver_version;  // 12040: for CUDA 12.4
  int capability;      // 90: 9.0
  int n_multiprocessors;
  int multiprocessor_threads;  // at once
  std::size_t memory, cache;
  std::size_t shared_bytes;  // of a block, if a launch asks for them
};

// In the driver's order, which CUDA_VISIBLE_DEVICES decides. Throws DeviceError if there is none.
std::vector<DeviceEntry> list_devices(const Driver& driver);

// The number of the device that FULGURITE_CUDA_DEVICE names by its number or a part of its name, or the
// first. Throws DeviceError if there is no such device.
int wanted_device(std::span<const DeviceEntry> devices);
// The number of the device of a stream; for the legacy stream, the device of the thread's current context, or
// without one the wanted device. Throws DeviceError for a stream that is none of one device's primary
// context.
int device_of(const Driver& driver, std::span<const DeviceEntry> devices, StreamId stream);
// Throws DeviceError if the list has no such number.
const DeviceEntry& device_with(std::span<const DeviceEntry> devices, int number);

}  // namespace fulgurite::runtime::cuda
