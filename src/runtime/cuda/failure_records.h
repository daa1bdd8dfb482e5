// Records of failures in the memory of a CUDA device.
#pragma once

#include <memory>

#include "runtime/cuda/context.h"
#include "runtime/failure_log.h"

namespace fulgurite::runtime::cuda {

class CudaFailureRecords final : public FailureRecords {
 public:
  // Zero, for launches on `stream`, which outlives them.
  CudaFailureRecords(std::shared_ptr<const Context> context, StreamId stream);
  ~CudaFailureRecords() override;

  void* record(std::size_t i) const override;
  void read(std::span<FailureCell> cells) override;
  void clear(std::size_t n) override;

 private:
  const std::shared_ptr<const Context> context_;
  const StreamId stream_;
  Address cells_ = 0;
  void* on_host_ = nullptr;  // where the device copies them to
};

}  // namespace fulgurite::runtime::cuda
