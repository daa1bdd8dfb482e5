// The memory of arrays: of one component (element.h) of an array, whose elements never change once they are
// there. They may be on the host, in the memory of devices, or both; who asks for them where they are not
// gets a copy made there, once.
#pragma once

#include <fulgurite/abi.h>

#include <atomic>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace fulgurite::detail {

class DeviceCopies;  // src/plan/device_copies.h

class [[gnu::visibility("default")]] Storage {
 public:
  /// On the host, kept by `memory`.
  explicit Storage(std::shared_ptr<const void> memory);
  /// On a device.
  explicit Storage(std::unique_ptr<DeviceCopies> copies);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// Null where the elements are on devices only.
  const void* known_on_host() const noexcept { return host_.load(std::memory_order_acquire); }
  /// The elements on the host, copied there if they are not. Throws OutOfMemory, DeviceError.
  const void* on_host() const;
  /// As on_host(); messages name the user's line that reads.
  const void* on_host(std::source_location reads) const;

  DeviceCopies& copies() const;

 private:
  friend class DeviceCopies;

  mutable std::shared_ptr<const void> memory_;
  mutable std::atomic<const void*> host_;
  mutable std::atomic<DeviceCopies*> copies_{nullptr};
};

/// A share in a storage; what is on the host anyway is at hand.
class Elements {
 public:
  Elements() = default;
  template <class T>
    requires(!std::is_same_v<std::remove_const_t<T>, Storage>)
  Elements(std::shared_ptr<T> on_host) : host_(on_host.get()) {
    if (host_ != nullptr) storage_ = std::make_shared<const Storage>(std::move(on_host));
  }
  Elements(std::shared_ptr<const Storage> storage)
      : storage_(std::move(storage)), host_(storage_->known_on_host()) {}

  /// On the host. Throws OutOfMemory, DeviceError.
  const void* get() const { return host_ != nullptr || storage_ == nullptr ? host_ : storage_->on_host(); }
  const void* get(std::source_location reads) const {
    return host_ != nullptr || storage_ == nullptr ? host_ : storage_->on_host(reads);
  }
  operator std::shared_ptr<const void>() const { return {storage_, get()}; }

  /// Null where the elements are on devices only.
  const void* at_hand() const { return host_; }
  const Storage* storage() const { return storage_.get(); }

  friend bool operator==(const Elements& a, const Elements& b) { return a.storage_ == b.storage_; }

 private:
  std::shared_ptr<const Storage> storage_;
  const void* host_ = nullptr;
};

}  // namespace fulgurite::detail

#pragma GCC visibility pop
