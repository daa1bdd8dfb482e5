// Buffers of an OpenCL device as blocks of a pool. Memory::data of the engine is the address of a block on
// the host, which holds the device's handle: that is how the one pool serves memory that the host cannot
// write.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/opencl/api.h"
#include "runtime/pool.h"

namespace fulgurite::runtime::opencl {

// Null where `data` is null: an array without memory.
Buffer buffer_of(const void* data);

// A block that is no pool's, of a buffer that is not ours but retained meanwhile.
void* adopt_buffer(const Api& api, Buffer buffer);
void disown_buffer(const Api& api, void* block) noexcept;

class DeviceMemory final : public BlockSource {
 public:
  // Memory of the device `name`, which has `memory` bytes.
  DeviceMemory(const Api& api, Context context, std::string name, std::size_t memory,
               std::size_t largest_buffer);

  void* take(std::size_t size) noexcept override;
  void give_back(void* block, std::size_t size) noexcept override;
  std::size_t largest_block() const noexcept override { return largest_buffer_; }
  std::string limit_text() const override;

 private:
  const Api& api_;
  const Context context_;
  const std::string name_;
  const std::size_t memory_, largest_buffer_;
};

}  // namespace fulgurite::runtime::opencl
