// Machine code of a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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
    bool is_in_order;  // no task begins before all tasks with lower numbers
  };
  const std::string& name() const { return name_; }
  const std::vector<Phase>& phases() const { return phases_; }
  // The bytes that arrays of its tasks take on the stack, if these are many.
  std::size_t stack_bytes() const { return stack_bytes_; }

 private:
  std::string name_;
  Module module_;
  std::vector<Phase> phases_;
  std::size_t stack_bytes_ = 0;
};

// What a thread reads before its first task, in one piece of memory from the beginning of a cache line on, so
// that it travels to another core at once (threads.h).
struct alignas(64) PhaseArguments {
  PhaseFunction function;
  std::int64_t first = 0;  // of the tasks
  KernelContext context;
  std::byte arguments[23 * 8];

  // The buffers and scalars, if they are not too many.
  void bring_together(const Launch& launch);
};

// A launch whose phases run one by one, and whose tasks may run some at a time. The launch's buffers and
// scalars, and this, stay where they are meanwhile.
class Running {
 public:
  Running(const CpuKernel& kernel, const Launch& launch);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Tasks [first, last) of a phase: on the calling thread if it is one, else on the shared pool.
  void run(std::size_t phase, std::int64_t first, std::int64_t last);
  std::optional<Failure> failure() const { return record_.any() ? record_.lowest() : std::nullopt; }

 private:
  void run_here(std::size_t phase, std::int64_t first, std::int64_t last);

  const CpuKernel& kernel_;
  const Launch& launch_;
  FailureRecord record_;
  PhaseArguments arguments_;
};

// Runs the phases in order. After a phase that reported a failure the later ones do not run: they would read
// elements that it did not write.
std::optional<Failure> launch(const CpuKernel& kernel, const Launch& launch);

}  // namespace fulgurite::runtime::cpu
