#include "plan/device_copies.h"

#include <fulgurite/array.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <memory>

#include "base/made_once.h"
#include "runtime/profile.h"

namespace fulgurite::detail {
namespace {

// Who has copies, of all devices. Guards also the copies' lists and counts; held for a moment only, after a
// transfer_ if both are wanted.
struct Registry {
  std::mutex mutex;
  std::vector<DeviceCopies*> all;
  std::uint64_t n_uses = 0;
};

// Arrays may outlive everything else.
Registry& registry() {
  static constinit std::atomic<Registry*> one{nullptr};
  return base::made_once(one, [] { return std::make_unique<Registry>(); });
}

}  // namespace

Storage::Storage(std::shared_ptr<const void> memory) : memory_(std::move(memory)), host_(memory_.get()) {}

Storage::Storage(std::unique_ptr<DeviceCopies> copies) : host_(nullptr) {
  copies->storage_ = this;
  copies_.store(copies.release(), std::memory_order_release);
}

Storage::~Storage() {
  delete copies_.load(std::memory_order_acquire);
}

DeviceCopies& Storage::copies() const {
  return base::made_once(copies_, [this] { return std::make_unique<DeviceCopies>(this); });
}

const void* Storage::on_host() const {
  return on_host(std::source_location());
}

const void* Storage::on_host(std::source_location reads) const {
  if (const void* here = known_on_host()) return here;
  DeviceCopies& all = copies();
  const std::lock_guard lock(all.transfer_);
  if (known_on_host() == nullptr) all.download_locked(reads);
  return known_on_host();
}

DeviceCopies::~DeviceCopies() {
  const std::lock_guard transfer(transfer_);  // somebody may be at a copy that is to go
  {
    const std::lock_guard lock(registry().mutex);
    std::erase(registry().all, this);
  }
  for (const Copy& copy : copies_) give_back(copy);
}

void DeviceCopies::give_back(const Copy& copy) noexcept {
  if (copy.keeps == nullptr)
    copy.device->release(copy.memory);
  else
    copy.device->disown(copy.memory);
}

DeviceCopies::Copy* DeviceCopies::on(const runtime::Device& device) noexcept {
  for (Copy& copy : copies_)
    if (copy.device == &device) return &copy;
  return nullptr;
}

void DeviceCopies::add(runtime::Device& device, runtime::Memory memory, std::size_t bytes,
                       std::shared_ptr<const void> keeps) {
  const std::lock_guard lock(registry().mutex);
  copies_.push_back({&device, memory, bytes, std::move(keeps), 0, ++registry().n_uses});
  if (copies_.size() != 1) return;
  try {
    registry().all.push_back(this);
  } catch (...) {  // the memory is still the caller's
    copies_.pop_back();
    throw;
  }
}

// The copy that is read stays meanwhile: only who holds transfer_ takes a last one away.
void DeviceCopies::download_locked(std::source_location reads) {
  const Copy from = [this] {
    const std::lock_guard lock(registry().mutex);
    return copies_.front();
  }();
  const std::shared_ptr<void> here = allocate_elements(from.bytes, 1);
  const runtime::Span span(runtime::Activity::transfer, "download", from.bytes);
  from.device->agree("a read of an array", reads);
  from.device->download(here.get(), from.memory, from.bytes);
  storage_->memory_ = here;
  storage_->host_.store(here.get(), std::memory_order_release);
}

runtime::Memory DeviceCopies::acquire(runtime::Device& device, std::size_t bytes) {
  const std::lock_guard transfer(transfer_);
  const auto known = [&]() -> const Copy* {
    const std::lock_guard lock(registry().mutex);
    Copy* const copy = on(device);
    if (copy == nullptr) return nullptr;
    ++copy->n_users;
    copy->last_use = ++registry().n_uses;
    return copy;
  };
  if (const Copy* copy = known()) return copy->memory;
  if (storage_->known_on_host() == nullptr) download_locked();
  const runtime::Memory memory = allocate_on(device, bytes);
  try {
    const runtime::Span span(runtime::Activity::transfer, "upload", bytes);
    device.upload(memory, storage_->known_on_host(), bytes);
    add(device, memory, bytes, nullptr);
  } catch (...) {
    device.release(memory);
    throw;
  }
  return known()->memory;
}

std::optional<runtime::Memory> DeviceCopies::known_on(const runtime::Device& device) noexcept {
  const std::lock_guard lock(registry().mutex);
  const Copy* const copy = on(device);
  return copy == nullptr ? std::nullopt : std::optional(copy->memory);
}

void DeviceCopies::release(runtime::Device& device) noexcept {
  const std::lock_guard lock(registry().mutex);
  --on(device)->n_users;
}

bool DeviceCopies::evict_one(runtime::Device& device) {
  DeviceCopies* owner = nullptr;
  Copy gone{};
  {
    const std::lock_guard lock(registry().mutex);
    const Copy* oldest = nullptr;
    bool oldest_is_on_host = false;
    for (DeviceCopies* all : registry().all) {
      const Copy* const copy = all->on(device);
      if (copy == nullptr || copy->n_users > 0 || copy->keeps != nullptr) continue;
      const bool is_on_host = all->storage_->known_on_host() != nullptr;
      if (oldest != nullptr &&
          std::pair(!is_on_host, copy->last_use) > std::pair(!oldest_is_on_host, oldest->last_use))
        continue;
      if (!all->transfer_.try_lock()) continue;  // somebody is at it
      if (owner != nullptr) owner->transfer_.unlock();
      owner = all;
      oldest = copy;
      oldest_is_on_host = is_on_host;
    }
    if (owner == nullptr) return false;
  }
  const std::lock_guard transfer(owner->transfer_, std::adopt_lock);
  if (owner->storage_->known_on_host() == nullptr) owner->download_locked();
  {
    const std::lock_guard lock(registry().mutex);
    Copy* const copy = owner->on(device);
    gone = *copy;
    std::swap(*copy, owner->copies_.back());
    owner->copies_.pop_back();
    if (owner->copies_.empty()) std::erase(registry().all, owner);
  }
  owner->give_back(gone);
  return true;
}

runtime::Memory allocate_on(runtime::Device& device, std::size_t bytes) {
  for (;;) {
    try {
      return device.allocate(bytes);
    } catch (const OutOfMemory&) {
      if (!DeviceCopies::evict_one(device)) throw;
    }
  }
}

std::shared_ptr<const Storage> storage_on(runtime::Device& device, runtime::Memory memory, std::size_t bytes,
                                          std::shared_ptr<const void> keeps) {
  const bool is_ours = keeps == nullptr;
  std::unique_ptr<DeviceCopies> copies;
  try {
    copies = std::make_unique<DeviceCopies>();
    copies->add(device, memory, bytes, std::move(keeps));
  } catch (...) {
    is_ours ? device.release(memory) : device.disown(memory);
    throw;
  }
  return std::make_shared<const Storage>(std::move(copies));
}

}  // namespace fulgurite::detail
