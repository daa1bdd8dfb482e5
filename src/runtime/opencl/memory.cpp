#include "runtime/opencl/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

namespace fulgurite::runtime::opencl {
namespace {

struct Block {
  alignas(void*) std::byte of_the_pool[sizeof(void*)];
  Buffer buffer;
};

}  // namespace

Buffer buffer_of(const void* data) {
  return data == nullptr ? nullptr : static_cast<const Block*>(data)->buffer;
}

void* adopt_buffer(const Api& api, Buffer buffer) {
  auto block = std::make_unique<Block>(Block{{}, buffer});
  check(api.retain_buffer(buffer), "clRetainMemObject of the user's memory");
  return block.release();
}

void disown_buffer(const Api& api, void* block) noexcept {
  api.release_buffer(buffer_of(block));
  delete static_cast<Block*>(block);
}

DeviceMemory::DeviceMemory(const Api& api, Context context, std::string name, std::size_t memory,
                           std::size_t largest_buffer)
    : api_(api),
      context_(context),
      name_(std::move(name)),
      memory_(memory),
      largest_buffer_(std::min(largest_buffer, memory)) {}

void* DeviceMemory::take(std::size_t size) noexcept {
  // What the pool rounds up may be above the limit; what was asked for is not.
  size = std::min(size, largest_buffer_);
  Status status = value::success;
  const Buffer buffer = api_.create_buffer(context_, value::mem_read_write, size, nullptr, &status);
  if (status != value::success) return nullptr;
  Block* const block = new (std::nothrow) Block{{}, buffer};
  if (block == nullptr) api_.release_buffer(buffer);
  return block;
}

void DeviceMemory::give_back(void* block, std::size_t) noexcept {
  api_.release_buffer(buffer_of(block));
  delete static_cast<Block*>(block);
}

std::string DeviceMemory::limit_text() const {
  return fmt::format("the OpenCL device '{}' has {}, at most {} in one array", name_, readable_size(memory_),
                     readable_size(largest_buffer_));
}

}  // namespace fulgurite::runtime::opencl
