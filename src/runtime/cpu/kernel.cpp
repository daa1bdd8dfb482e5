#include "runtime/cpu/kernel.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <thread>

#include "base/check.h"
#include "base/stack.h"
#include "runtime/cpu/threads.h"
#include "runtime/profile.h"
#include "runtime/stats.h"

namespace fulgurite::runtime::cpu {

CpuKernel::CpuKernel(const KernelSource& source, std::string_view object)
    : name_(source.name), module_(object, source.label) {
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

void PhaseArguments::bring_together(const Launch& launch) {
  const std::span<const std::byte> buffers = std::as_bytes(launch.buffers),
                                   scalars = std::as_bytes(launch.scalars);
  if (buffers.size() + scalars.size() > sizeof arguments) return;
  std::byte* const end = std::ranges::copy(buffers, arguments).out;
  std::ranges::copy(scalars, end);
  context.buffers = reinterpret_cast<void* const*>(arguments);
  context.scalars = reinterpret_cast<const std::int64_t*>(end);
}

Running::Running(const CpuKernel& kernel, const Launch& launch) : kernel_(kernel), launch_(launch) {
  arguments_.context = {launch.buffers.data(),
                        launch.scalars.data(),
                        record_.handle(),
                        &FailureRecord::report_from_kernel,
                        [] { std::this_thread::yield(); },
                        1,
                        &FailureRecord::report_more_from_kernel};
}

void Running::run(std::size_t phase, std::int64_t first, std::int64_t last) {
  if (kernel_.stack_bytes() == 0) return run_here(phase, first, last);
  // Four times as much, since where there is no other thread a quarter has to be enough.
  const auto here = [&] { run_here(phase, first, last); };
  base::call_with_stack(4 * kernel_.stack_bytes(), std::cref(here));  // a reference needs no memory
}

namespace {

void run_tasks(void* context, std::int64_t begin, std::int64_t end) {
  const auto* p = static_cast<const PhaseArguments*>(context);
  p->function(&p->context, p->first + begin, p->first + end);
}

// The same while a profile is made: what each thread ran is an event.
struct Profiled {
  PhaseArguments* arguments;
  std::string_view kernel;
};
void run_profiled(void* context, std::int64_t begin, std::int64_t end) {
  const auto* profiled = static_cast<const Profiled*>(context);
  const Span span(Activity::tasks, profiled->kernel);
  run_tasks(profiled->arguments, begin, end);
}

}  // namespace

void Running::run_here(std::size_t phase, std::int64_t first, std::int64_t last) {
  const CpuKernel::Phase& of = kernel_.phases()[phase];
  if (last - first == 1) {
    of.function(&arguments_.context, first, last);
  } else if (last > first) {
    arguments_.function = of.function;
    arguments_.first = first;
    arguments_.context.at_once = ThreadPool::shared().n_threads();
    arguments_.bring_together(launch_);
    const auto order = of.is_in_order ? ThreadPool::Order::by_number : ThreadPool::Order::any;
    if (is_profiling.load(std::memory_order_relaxed)) {
      Profiled profiled{&arguments_, kernel_.name()};
      ThreadPool::shared().run(last - first, run_profiled, &profiled, order);
    } else {
      ThreadPool::shared().run(last - first, run_tasks, &arguments_, order);
    }
  }
}

std::optional<Failure> launch(const CpuKernel& kernel, const Launch& launch) {
  counters.launches.add();
  counters.bytes_moved.add(launch.bytes_read + launch.bytes_written);
  const std::size_t n_phases = kernel.phases().size();
  FULGURITE_CHECK(launch.n_tasks.size() == n_phases, "{} task counts for {} phases", launch.n_tasks.size(),
                  n_phases);
  Running running(kernel, launch);
  for (std::size_t phase = 0; phase < n_phases; ++phase) {
    running.run(phase, 0, launch.n_tasks[phase]);
    if (auto failure = running.failure()) return failure;
  }
  return std::nullopt;
}

}  // namespace fulgurite::runtime::cpu
