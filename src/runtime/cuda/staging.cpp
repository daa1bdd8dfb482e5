#include "runtime/cuda/staging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace fulgurite::runtime::cuda {

Staging::Staging(const Driver& driver, StreamId stream) : driver_(driver), stream_(stream) {
  for (Chunk& c : chunks_) {
    EventId event = nullptr;
    check(driver_, driver_.create_event(&event, value::event_without_time), "cuEventCreate for transfers");
    c.is_free = {event, driver_.destroy_event};
  }
  void* memory = nullptr;
  check(driver_, driver_.allocate_host(&memory, n_chunks * chunk_bytes, 0),
        fmt::format("cuMemHostAlloc of {} bytes for transfers", n_chunks * chunk_bytes));
  memory_ = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < n_chunks; ++i) chunks_[i].memory = memory_ + i * chunk_bytes;
}

Staging::~Staging() {
  driver_.free_host(memory_);
}

Staging::Chunk& Staging::chunk(std::size_t number) {
  Chunk& c = chunks_[number % n_chunks];
  check(driver_, driver_.synchronise_event(c.is_free.get()), "waiting for a transfer");
  return c;
}

void Staging::upload(Address to, const void* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += chunk_bytes) {
    const std::size_t n = std::min(chunk_bytes, bytes - at);
    Chunk& c = chunk(next_++);
    std::memcpy(c.memory, static_cast<const std::byte*>(from) + at, n);
    check(driver_, driver_.copy_to_device(to + at, c.memory, n, stream_),
          fmt::format("an upload of {} bytes", n));
    check(driver_, driver_.record_event(c.is_free.get(), stream_), "cuEventRecord after an upload");
  }
}

void Staging::download(void* to, Address from, std::size_t bytes) {
  const std::size_t n_parts = (bytes + chunk_bytes - 1) / chunk_bytes, first = next_;
  const auto size_of_part = [&](std::size_t i) { return std::min(chunk_bytes, bytes - i * chunk_bytes); };
  const auto start = [&](std::size_t i) {
    Chunk& c = chunk(first + i);
    check(driver_, driver_.copy_to_host(c.memory, from + i * chunk_bytes, size_of_part(i), stream_),
          fmt::format("a download of {} bytes", size_of_part(i)));
    check(driver_, driver_.record_event(c.is_free.get(), stream_), "cuEventRecord after a download");
  };
  next_ += n_parts;
  // Part i is taken from its chunk before part i + n_chunks is put there.
  for (std::size_t i = 0; i < std::min(n_chunks - 1, n_parts); ++i) start(i);
  for (std::size_t i = 0; i < n_parts; ++i) {
    if (i + n_chunks - 1 < n_parts) start(i + n_chunks - 1);
    std::memcpy(static_cast<std::byte*>(to) + i * chunk_bytes, chunk(first + i).memory, size_of_part(i));
  }
}

}  // namespace fulgurite::runtime::cuda
