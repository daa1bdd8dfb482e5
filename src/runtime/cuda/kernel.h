// A kernel on a CUDA device, and the calling convention between it and us. Phase k of kernel f is the
// function f_p<k>. Its arguments are the kernel's parameters in their order, an array as its address and a
// scalar by value in its own size; if the kernel can fail, the address of its record (FailureCell) is last. A
// task is a block, and its number is blockIdx.x. A phase whose blocks share more than 48 KiB gets them at the
// launch (emit/printer.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/context.h"
#include "runtime/device.h"
#include "runtime/pool.h"
#include "runtime/signature.h"

namespace fulgurite::runtime::cuda {

// Code that a device has loaded.
class Module {
 public:
  // `code` is a cubin or PTX. Throws DeviceError if the driver does not take it.
  Module(std::shared_ptr<const Context> context, const std::string& kernel, const std::string& code);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const Context& context() const { return *context_; }
  const Driver& driver() const { return context_->driver(); }
  ModuleId id() const { return id_; }

 private:
  const std::shared_ptr<const Context> context_;
  ModuleId id_ = nullptr;
};

class CudaKernel final : public Kernel {
 public:
  // Throws InternalError if a phase is missing, DeviceError if the device has no blocks as large as the
  // kernel's.
  CudaKernel(const DeviceEntry& device, const KernelSource& source, std::unique_ptr<const Module> module);

  std::vector<Occupancy> occupancy() const override;
  // The blocks that one multiprocessor runs at once (Device::resident_blocks).
  int resident_blocks(int threads) const;

  const Signature& signature() const { return signature_; }
  bool can_fail() const { return signature_.can_fail(); }

  // Enqueues the phases that have tasks. `record` is null for a kernel that cannot fail. Where the device
  // finds only now that it lacks memory, `pool` is emptied for it. The device's context is the caller's.
  void enqueue(StreamId stream, const Launch& launch, void* record, BufferPool& pool) const;

 private:
  struct Phase {
    FunctionId function;
    std::uint32_t shared_bytes_at_launch;
    Occupancy occupancy;
  };

  Phase phase_of(const DeviceEntry& device, const KernelSource& source, std::size_t number) const;

  const Signature signature_;
  const std::unique_ptr<const Module> module_;
  std::vector<Phase> phases_;
};

}  // namespace fulgurite::runtime::cuda
