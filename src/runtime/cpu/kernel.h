// Machine code of a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/cpu/kernel_context.h"
#include "runtime/cpu/module.h"
#include "runtime/device.h"

namespace fulgurite::runtime::cpu {

class CpuKernel final : public Kernel {
 public:
  // `object` as the compiler made it. Throws InternalError if a phase is missing.
  CpuKernel(const KernelSource& source, std::string_view object);

  struct Phase {
    PhaseFunction function;
    bool is_in_order;  // no task begins before those with lower numbers have
  };
  const std::vector<Phase>& phases() const { return phases_; }
  // What arrays of its tasks take on the stack, if that is much.
  std::size_t stack_bytes() const { return stack_bytes_; }

 private:
  Module module_;
  std::vector<Phase> phases_;
  std::size_t stack_bytes_ = 0;
};

// Runs the phases in order, each on the calling thread if it is one task, else on the shared pool. After a
// phase that reported a failure the later ones do not run: they would read what it did not write.
std::optional<Failure> launch(const CpuKernel& kernel, const Launch& launch);

}  // namespace fulgurite::runtime::cpu
