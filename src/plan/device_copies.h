// Where the elements of an array are besides the host: copies in the memory of devices. A copy is made when a
// program on a device first reads the array, stays while the array lives, and holds the device's results
// until the host reads them. Where a device has no memory left, the copies that were not used for longest
// go first: copies that the host has too, then copies that it fetches now. (As in Chakravarty et al.,
// Accelerating Haskell array codes with multicore GPUs, DAMP 2011, each array of the host knows its copies;
// Accelerate frees with its garbage collector, this with the last share of the array.)
#pragma once

#include <fulgurite/storage.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <vector>

#include "base/hidden.h"
#include "runtime/device.h"

namespace fulgurite::detail {

class FULGURITE_HIDDEN DeviceCopies {
 public:
  explicit DeviceCopies(const Storage* of = nullptr) : storage_(of) {}
  ~DeviceCopies();
  DeviceCopies(const DeviceCopies&) = delete;
  DeviceCopies& operator=(const DeviceCopies&) = delete;

  /// Memory allocated on the device with `bytes` of elements, or, if `keeps` is not null, adopted memory:
  /// given back with the array.
  void add(runtime::Device& device, runtime::Memory memory, std::size_t bytes,
           std::shared_ptr<const void> keeps);

  /// The elements, `bytes` of them, in the memory of the device; a copy is made if there is none. It stays
  /// until release() was called as often.
  runtime::Memory acquire(runtime::Device& device, std::size_t bytes);
  void release(runtime::Device& device) noexcept;
  /// The elements' memory on the device, if they are there.
  std::optional<runtime::Memory> known_on(const runtime::Device& device) noexcept;

 private:
  friend class Storage;

  struct Copy {
    runtime::Device* device;
    runtime::Memory memory;
    std::size_t bytes;
    std::shared_ptr<const void> keeps;
    int n_users = 0;
    std::uint64_t last_use = 0;
  };

  static bool evict_one(runtime::Device& device);
  friend runtime::Memory allocate_on(runtime::Device&, std::size_t);

  Copy* on(const runtime::Device& device) noexcept;
  void give_back(const Copy& copy) noexcept;
  void download_locked(std::source_location reads = {});

  const Storage* storage_;
  std::mutex transfer_;  // while elements are copied from one place to another
  std::vector<Copy> copies_;
};

/// Memory of the device, if need be taken from arrays that can do without theirs. Throws OutOfMemory.
runtime::Memory allocate_on(runtime::Device& device, std::size_t bytes);

/// An array's `bytes` of elements that are in memory of the device, which the array owns now.
std::shared_ptr<const Storage> storage_on(runtime::Device& device, runtime::Memory memory, std::size_t bytes,
                                          std::shared_ptr<const void> keeps = nullptr);

}  // namespace fulgurite::detail
