// The processor that this program runs on, as a device: host memory, kernels compiled in process, launches
// that have happened when the call returns.
#pragma once

#include <string>

#include "base/hash.h"
#include "runtime/cpu/kernel.h"
#include "runtime/device.h"
#include "runtime/disk_cache.h"
#include "runtime/join_map.h"

namespace fulgurite::runtime::cpu {

class CpuDevice final : public Device {
 public:
  // Code for `cpu`: "native", or what Clang knows, such as "x86-64-v3".
  explicit CpuDevice(std::string cpu = "native", DiskCache& disk = DiskCache::shared());

  Description describe() const override;
  Memory allocate(std::size_t bytes) override;
  void release(Memory memory) noexcept override;
  void upload(Memory to, const void* from, std::size_t bytes) override;
  void download(void* to, Memory from, std::size_t bytes) override;
  void copy(Memory to, Memory from, std::size_t bytes) override;
  std::shared_ptr<const Kernel> build(const KernelSource& source) override;
  std::shared_ptr<const Kernel> load(const KernelSource& source, std::string_view code) override;
  std::optional<Failure> launch(const Kernel& kernel, const Launch& launch) override;
  std::optional<Failure> wait() override { return std::nullopt; }

  // Forgets the kernels of this process, so that the next build asks the disk. For tests and measurements.
  void forget_kernels() { kernels_.clear(); }

  // Code for wanted_cpu().
  static CpuDevice& shared();

 private:
  std::shared_ptr<const Kernel> load_or_compile(const KernelSource& source, const base::Digest& key);

  const std::string cpu_;
  DiskCache& disk_;
  JoinMap<base::Digest, std::shared_ptr<const Kernel>> kernels_;
};

}  // namespace fulgurite::runtime::cpu
