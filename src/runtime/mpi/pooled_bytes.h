// Bytes on their way to another rank, or from it, in memory of the pool: fresh memory costs more than copying
// to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "runtime/pool.h"

namespace fulgurite::runtime::mpi {

class PooledBytes {
 public:
  PooledBytes() = default;
  ~PooledBytes() { clear(); }
  PooledBytes(PooledBytes&& other) noexcept { *this = std::move(other); }
  PooledBytes& operator=(PooledBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  operator std::span<const std::byte>() const { return {data_, size_}; }

  void append(const void* from, std::size_t bytes) {
    const std::size_t end = size_;
    resize(end + bytes);
    if (bytes != 0) std::memcpy(data_ + end, from, bytes);
  }
  /// Bytes that it did not have before hold anything.
  void resize(std::size_t bytes) {
    if (bytes > capacity_) grow(std::max(bytes, 2 * capacity_));
    size_ = bytes;
  }
  void clear() {
    if (data_ != nullptr) BufferPool::shared().release(data_, capacity_);
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

 private:
  void grow(std::size_t capacity) {
    auto* const data = static_cast<std::byte*>(BufferPool::shared().allocate(capacity));
    const std::size_t size = size_;
    if (size != 0) std::memcpy(data, data_, size);
    clear();
    data_ = data;
    size_ = size;
    capacity_ = capacity;
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace fulgurite::runtime::mpi
