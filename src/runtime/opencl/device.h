// An OpenCL device: memory behind handles, kernels from the device's own compiler, launches on one queue that
// runs them in order. Nothing waits for a launch but downloads, wait() and what the device's driver waits for
// by itself.
//
// Failures belong to the thread that launched: it calls wait() before its next run begins, also if it gives
// one up.
#pragma once

#include <memory>

#include "base/hash.h"
#include "runtime/device.h"
#include "runtime/disk_cache.h"
#include "runtime/failure_log.h"
#include "runtime/join_map.h"
#include "runtime/opencl/api.h"
#include "runtime/opencl/catalogue.h"
#include "runtime/opencl/memory.h"
#include "runtime/pool.h"

namespace fulgurite::runtime::opencl {

class OpenClDevice final : public Device {
 public:
  // `library` outlives the device and its kernels. Where `queue` is not null, it is used, and its context.
  explicit OpenClDevice(DeviceEntry entry, DiskCache& disk = DiskCache::shared(), const Api& library = api(),
                        Queue queue = nullptr);
  ~OpenClDevice() override;

  Description describe() const override;
  Memory allocate(std::size_t bytes) override;
  void release(Memory memory) noexcept override;
  void upload(Memory to, const void* from, std::size_t bytes) override;
  void download(void* to, Memory from, std::size_t bytes) override;
  void copy(Memory to, Memory from, std::size_t bytes) override;
  Memory adopt(void* handle, std::size_t bytes) override;
  void disown(Memory memory) noexcept override;
  void* handle(Memory memory) override;
  std::shared_ptr<const Kernel> build(const KernelSource& source) override;
  std::optional<Failure> launch(const Kernel& kernel, const Launch& launch) override;
  std::optional<Failure> wait() override;

  // Forgets the kernels of this process, so that the next build asks the disk. For tests and measurements.
  void forget_kernels() { kernels_.clear(); }

  // The one with this number; if that is negative, that of the user's queue, else the one that
  // FULGURITE_OPENCL_DEVICE names, or the first GPU, or the first device. Throws DeviceError if there is
  // none; then the next call looks again.
  static OpenClDevice& shared(int number = -1);
  // Before the first call of shared(). Throws DeviceError afterwards, and unless the queue runs in order.
  static void use_queue(Queue queue);

 private:
  std::shared_ptr<const Kernel> load_or_compile(const KernelSource& source, const base::Digest& key);

  const Api& api_;
  const DeviceEntry entry_;
  DiskCache& disk_;
  const Owned<Context> context_;
  const Owned<Queue> queue_;
  DeviceMemory memory_;
  BufferPool pool_;
  JoinMap<base::Digest, std::shared_ptr<const Kernel>> kernels_;
  FailureLogs logs_;
};

}  // namespace fulgurite::runtime::opencl
