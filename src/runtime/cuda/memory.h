// Memory of a CUDA device as blocks of a pool. Memory::data of the engine is the address of a block on the
// host, which holds the address on the device: so the one pool serves memory that the host cannot write.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/cuda/context.h"
#include "runtime/pool.h"

namespace fulgurite::runtime::cuda {

struct Block {
  alignas(void*) std::byte of_the_pool[sizeof(void*)];
  const Address address;
  std::atomic<std::uint64_t> last_use{0};  // number of the last launch or copy that was given it
};

// The addresses of an array without memory are null.
inline Block* block_of(void* data) {
  return static_cast<Block*>(data);
}
inline Address address_of(const void* data) {
  return data == nullptr ? 0 : static_cast<const Block*>(data)->address;
}

class DeviceMemory final : public BlockSource {
 public:
  DeviceMemory(std::shared_ptr<const Context> context, const DeviceEntry& device);

  void* take(std::size_t size) noexcept override;
  void give_back(void* block, std::size_t size) noexcept override;
  std::size_t largest_block() const noexcept override { return memory_; }
  std::string limit_text() const override;

 private:
  const std::shared_ptr<const Context> context_;
  const std::string name_;
  const std::size_t memory_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace fulgurite::runtime::cuda
