// Records of failures in a buffer of an OpenCL device.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/failure_log.h"
#include "runtime/opencl/api.h"

namespace fulgurite::runtime::opencl {

class OpenClFailureRecords final : public FailureRecords {
 public:
  // Zero, for launches on `queue`, which outlives them as the context does. `alignment` of the parts of a
  // buffer, as the device wants it.
  OpenClFailureRecords(const Api& api, Context context, Queue queue, std::size_t alignment);

  void* record(std::size_t i) const override;  // a Buffer
  void read(std::span<FailureCell> cells) override;
  void clear(std::size_t n) override;

 private:
  const Api& api_;
  const Queue queue_;
  const std::size_t stride_;
  Owned<Buffer> all_;
  std::vector<Owned<Buffer>> records_;
};

}  // namespace fulgurite::runtime::opencl
