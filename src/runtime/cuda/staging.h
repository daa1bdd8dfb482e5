// Transfers between the host's memory and a CUDA device's. The device reads and writes by itself only memory
// that the operating system cannot move, so bytes go through a few chunks of such memory: while the device
// moves one, the host fills or empties another. Not thread-safe; the device's context is the caller's.
#pragma once

#include <array>
#include <cstddef>

#include "runtime/cuda/driver.h"

namespace fulgurite::runtime::cuda {

class Staging {
 public:
  // Transfers run on `stream`, in order. Both arguments outlive this.
  Staging(const Driver& driver, StreamId stream);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

  // `from` may change once this returns; the stream may still be at it.
  void upload(Address to, const void* from, std::size_t bytes);
  // Waits for the stream.
  void download(void* to, Address from, std::size_t bytes);

 private:
  static constexpr std::size_t n_chunks = 4;
  struct Chunk {
    std::byte* memory = nullptr;
    Owned<EventId> is_free{nullptr, nullptr};  // when its last transfer is done
  };

  Chunk& chunk(std::size_t number);  // waits until it is free

  const Driver& driver_;
  const StreamId stream_;
  std::byte* memory_ = nullptr;
  std::array<Chunk, n_chunks> chunks_;
  std::size_t next_ = 0;
};

}  // namespace fulgurite::runtime::cuda
