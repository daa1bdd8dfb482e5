// A stack of its own on which a function runs in turns with its caller.
#pragma once

#include <cstddef>

#include "runtime/cuda/driver.h"

namespace fulgurite::runtime::test {

class Fiber {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{64} << 10;

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // What ran there before is given up. `body` must not return: it leaves for good.
  void start(void (*body)());
  // Goes on where the fiber left, until it leaves again. Only one runs at a time, of all threads.
  void enter();
  static void leave();

  bool has(cuda::Address address) const {
    return address - reinterpret_cast<cuda::Address>(stack_) < stack_bytes;
  }

 private:
  std::byte* stack_ = nullptr;
  void* at_ = nullptr;
};

}  // namespace fulgurite::runtime::test
