// A CUDA device: memory behind blocks of a pool, kernels from NVRTC, launches on one stream that runs them in
// order, and transfers on another, which overlap them where they touch other memory. Nothing waits for a
// launch but downloads and wait().
//
// Failures belong to the thread that launched: it calls wait() before its next run begins, also if it gives
// one up.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/hash.h"
#include "runtime/cuda/catalogue.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cuda/staging.h"
#include "runtime/device.h"
#include "runtime/disk_cache.h"
#include "runtime/failure_log.h"
#include "runtime/join_map.h"
#include "runtime/pool.h"

namespace fulgurite::runtime::cuda {

class CudaDevice final : public Device {
 public:
  // `driver` and `nvrtc` outlive the device and its kernels. Where `stream` is not null, launches are on it.
  CudaDevice(DeviceEntry entry, DiskCache& disk, const Driver& driver, const Nvrtc& nvrtc,
             StreamId stream = nullptr);
  ~CudaDevice() override;

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
  std::shared_ptr<const Kernel> load(const KernelSource& source, std::string_view code) override;
  std::int64_t resident_blocks(const Kernel& kernel, int threads) const override;
  std::optional<Failure> launch(const Kernel& kernel, const Launch& launch) override;
  std::optional<Failure> wait() override;

  int number() const { return entry_.number; }

  // Forgets the kernels of this process, so that the next build asks the disk. For tests and measurements.
  void forget_kernels() { kernels_.clear(); }

  // The device with this number, or, if that is negative, the one that FULGURITE_CUDA_DEVICE names, or the
  // first. Throws DeviceError if there is none, or no compiler for it; then the next call looks again.
  static CudaDevice& shared(int number = -1);
  // Before the first call of shared(). Throws DeviceError afterwards.
  static void use_stream(StreamId stream);

 private:
  std::shared_ptr<const Kernel> load_or_compile(const KernelSource& source, const base::Digest& key);
  Staging& staging();
  // Later work on one stream waits for all earlier work on the other; `event` is between the two.
  void order(StreamId before, const Owned<EventId>& event, StreamId after);
  void mark_use(std::span<void* const> blocks);
  void note_done(std::uint64_t use);

  const Driver& driver_;
  const Nvrtc& nvrtc_;
  const DeviceEntry entry_;
  DiskCache& disk_;
  const std::shared_ptr<const Context> context_;
  Owned<StreamId> compute_, transfers_;
  Owned<EventId> computed_, transferred_;
  DeviceMemory memory_;
  BufferPool pool_;
  JoinMap<base::Digest, std::shared_ptr<const Kernel>> kernels_;
  FailureLogs logs_;

  // Launches and copies on the device are numbered once they are enqueued.
  std::atomic<std::uint64_t> last_use_{0}, last_done_{0};

  std::mutex transfer_mutex_;  // of staging_ and the events
  std::unique_ptr<Staging> staging_;
};

}  // namespace fulgurite::runtime::cuda
