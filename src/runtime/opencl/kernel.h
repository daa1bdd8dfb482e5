// A kernel on an OpenCL device, and the calling convention between it and us. Phase k of kernel f is the
// OpenCL kernel f_p<k>. Its arguments are the kernel's parameters in their order, an array as a pointer to
// global memory and a scalar by value in its own size; if the kernel can fail, a pointer to its record
// (FailureCell) is last. A task is a work-group, and its number is get_group_id(0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/device.h"
#include "runtime/opencl/api.h"
#include "runtime/opencl/catalogue.h"
#include "runtime/pool.h"
#include "runtime/signature.h"

namespace fulgurite::runtime::opencl {

class OpenClKernel final : public Kernel {
 public:
  // Throws InternalError if a phase is missing, DeviceError if the device has no blocks as large as the
  // kernel's.
  OpenClKernel(const Api& api, const DeviceEntry& device, const KernelSource& source, Owned<Program> program);

  const Signature& signature() const { return signature_; }
  bool can_fail() const { return signature_.can_fail(); }

  // Enqueues the phases that have tasks. `record` is null for a kernel that cannot fail. Where the device
  // finds only now that it lacks memory, `pool` is emptied for it.
  void enqueue(Queue queue, const Launch& launch, Buffer record, BufferPool& pool) const;

 private:
  struct Phase {
    Owned<KernelId> kernel;
    std::size_t block_size;
  };

  void set_arguments(const Phase& phase, const Launch& launch, Buffer record) const;

  const Api& api_;
  const Signature signature_;
  Owned<Program> program_;
  std::vector<Phase> phases_;
  mutable std::mutex mutex_;  // arguments belong to a kernel object, not to a launch
};

}  // namespace fulgurite::runtime::opencl
