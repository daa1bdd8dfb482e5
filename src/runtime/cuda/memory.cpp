#include "runtime/cuda/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

namespace fulgurite::runtime::cuda {

DeviceMemory::DeviceMemory(std::shared_ptr<const Context> context, const DeviceEntry& device)
    : context_(std::move(context)), name_(device.name), memory_(device.memory) {}

void* DeviceMemory::take(std::size_t size) noexcept {
  // What the pool rounds up may be above the limit; what was asked for is not.
  size = std::min(size, memory_);
  const Context::Current current(*context_);
  const Driver& driver = context_->driver();
  Address address = 0;
  if (driver.allocate(&address, size) != value::success) return nullptr;
  Block* const block = new (std::nothrow) Block{{}, address};
  if (block == nullptr) {
    driver.free(address);
    return nullptr;
  }
  taken_.fetch_add(size, std::memory_order_relaxed);
  return block;
}

void DeviceMemory::give_back(void* block, std::size_t size) noexcept {
  const Context::Current current(*context_);
  context_->driver().free(address_of(block));
  delete static_cast<Block*>(block);
  taken_.fetch_sub(std::min(size, memory_), std::memory_order_relaxed);
}

std::string DeviceMemory::limit_text() const {
  const std::string total = fmt::format("the CUDA device '{}' has {}", name_, readable_size(memory_));
  const Context::Current current(*context_);
  std::size_t free = 0, all = 0;
  if (context_->driver().get_memory(&free, &all) != value::success) return total;
  return fmt::format("{}, of which {} are free and this program's arrays have {}", total, readable_size(free),
                     readable_size(taken_.load(std::memory_order_relaxed)));
}

}  // namespace fulgurite::runtime::cuda
