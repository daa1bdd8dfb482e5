// The device's memory: allocations of the host's. None has a neighbour, so that what lies outside all of them
// is out of range, and a fresh one is full of 0xA5.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/cuda/driver.h"

namespace fulgurite::runtime::test {

struct Allocation {
  cuda::Address start;
  std::size_t bytes;

  bool has(cuda::Address address, std::size_t n) const {
    return address >= start && address - start <= bytes && n <= bytes - (address - start);
  }
};

// The allocation that has an address, or null. Valid until one is freed.
const Allocation* allocation_of(cuda::Address address);

// "4 bytes at 0x1234, 8 bytes behind the end of an allocation of 400 bytes".
std::string described(cuda::Address address, std::size_t bytes);

// Whether n bytes from there are one allocation's.
bool is_device_memory(cuda::Address address, std::size_t bytes);
// Whether they are what cuMemHostAlloc gave, which a device may reach by itself.
bool is_pinned(const void* address, std::size_t bytes);

}  // namespace fulgurite::runtime::test
