#include "runtime/cpu/kernel.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <thread>

#include "base/check.h"
#include "base/stack.h"
#include "runtime/cpu/threads.h"
#include "runtime/stats.h"

namespace fulgurite::runtime::cpu {

CpuKernel::CpuKernel(const KernelSource& source, std::string_view object) : module_(object) {
  for (int phase = 0; phase < source.n_phases; ++phase) {
    const std::string name = fmt::format("{}_p{}", source.name, phase);
    void* function = module_.find(name);
    const bool is_in_order = function == nullptr;
    if (is_in_order) function = module_.find(name + "_in_order");
    FULGURITE_CHECK(function != nullptr, "kernel '{}' lacks function '{}'", source.name, name);
    phases_.push_back({reinterpret_cast<PhaseFunction>(function), is_in_order});
  }
  for (const std::int32_t bytes : source.shared_bytes)
    stack_bytes_ = std::max(stack_bytes_, static_cast<std::size_t>(bytes));
}

namespace {

// What a thread reads before its first task, in one piece of memory from the beginning of a cache line on, so
// that it travels to another core at once (threads.h).
struct alignas(64) Phase {
  PhaseFunction function;
  KernelContext context;
  std::byte arguments[24 * 8];

  // The buffers and scalars, if they are not too many.
  void bring_together(const Launch& launch) {
    const std::span<const std::byte> buffers = std::as_bytes(launch.buffers),
                                     scalars = std::as_bytes(launch.scalars);
    if (buffers.size() + scalars.size() > sizeof arguments) return;
    std::byte* const end = std::ranges::copy(buffers, arguments).out;
    std::ranges::copy(scalars, end);
    context.buffers = reinterpret_cast<void* const*>(arguments);
    context.scalars = reinterpret_cast<const std::int64_t*>(end);
  }
};

std::optional<Failure> launch_here(const CpuKernel& kernel, const Launch& launch) {
  FailureRecord record;
  Phase phase;
  phase.context = {launch.buffers.data(),
                   launch.scalars.data(),
                   record.handle(),
                   &FailureRecord::report_from_kernel,
                   [] { std::this_thread::yield(); },
                   1,
                   &FailureRecord::report_more_from_kernel};
  counters.launches.add();
  counters.bytes_moved.add(launch.bytes_read + launch.bytes_written);
  const std::vector<CpuKernel::Phase>& phases = kernel.phases();
  FULGURITE_CHECK(launch.n_tasks.size() == phases.size(), "{} task counts for {} phases",
                  launch.n_tasks.size(), phases.size());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const std::int64_t n_tasks = launch.n_tasks[i];
    if (n_tasks == 1) {
      phases[i].function(&phase.context, 0, 1);
    } else if (n_tasks > 1) {
      phase.function = phases[i].function;
      phase.context.at_once = ThreadPool::shared().n_threads();
      phase.bring_together(launch);
      const auto order = phases[i].is_in_order ? ThreadPool::Order::by_number : ThreadPool::Order::any;
      ThreadPool::shared().run(
          n_tasks,
          [](void* context, std::int64_t first, std::int64_t last) {
            const auto* p = static_cast<const Phase*>(context);
            p->function(&p->context, first, last);
          },
          &phase, order);
    }
    if (record.any()) return record.lowest();
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> launch(const CpuKernel& kernel, const Launch& launch) {
  if (kernel.stack_bytes() == 0) return launch_here(kernel, launch);
  // Four times as much, since where there is no other thread a quarter has to be enough.
  return base::with_stack(4 * kernel.stack_bytes(), [&] { return launch_here(kernel, launch); });
}

}  // namespace fulgurite::runtime::cpu
