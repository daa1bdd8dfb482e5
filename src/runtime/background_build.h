// The kernels of a program that compile while its first calls run, on threads that end with the last of them.
// A call that wants a kernel waits for no other one, and compiles it itself if no thread has begun it: so
// nothing depends on the threads, which a forked child lacks.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/device.h"

namespace fulgurite::runtime {

class BackgroundBuild {
 public:
  // Device::build() of each, on as many threads as there are kernels, at most `n_threads`; on this thread,
  // before it returns, if that is 0, where the system gives none, and where the process ends.
  BackgroundBuild(Device& device, std::vector<KernelSource> sources, int n_threads);
  // Kernels whose compilation has not begun are not compiled any more.
  ~BackgroundBuild();
  BackgroundBuild(const BackgroundBuild&) = delete;
  BackgroundBuild& operator=(const BackgroundBuild&) = delete;

  // The kernel, once it is there. An error of its compilation is thrown once; asking again compiles it again.
  const Kernel& operator[](std::size_t k) const {
    const Kernel* kernel = there_[k].load(std::memory_order_acquire);
    return kernel != nullptr ? *kernel : wait_for(k);
  }
  // Whether the threads have nothing left to do: each kernel is there or was refused.
  bool is_ready() const noexcept;
  // Waits until all kernels are there. Throws as operator[] of the first one that was refused.
  void wait() const;

 private:
  class Builds;
  static void work(std::shared_ptr<Builds>);
  const Kernel& wait_for(std::size_t k) const;

  const std::shared_ptr<Builds> builds_;
  const std::atomic<const Kernel*>* const there_;  // null: not yet
};

}  // namespace fulgurite::runtime
