// A lock for sections of a few instructions, held by nobody across a call of the system. Under contention it
// soon offers its core to other threads, one of which may hold it.
#pragma once

#include <atomic>
#include <thread>

namespace fulgurite::runtime {

class SpinLock {
 public:
  void lock() noexcept {
    for (int tries = 0; flag_.exchange(true, std::memory_order_acquire); ++tries)
      if (tries >= 64) std::this_thread::yield();
  }
  void unlock() noexcept { flag_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> flag_{false};
};

}  // namespace fulgurite::runtime
