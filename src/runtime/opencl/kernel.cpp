#include "runtime/opencl/kernel.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <utility>

#include "base/check.h"
#include "runtime/opencl/memory.h"

namespace fulgurite::runtime::opencl {

OpenClKernel::OpenClKernel(const Api& api, const DeviceEntry& device, const KernelSource& source,
                           Owned<Program> program)
    : api_(api), signature_(source), program_(std::move(program)) {
  for (std::size_t i = 0; i < signature_.n_phases(); ++i) {
    const std::string name = fmt::format("{}_p{}", source.name, i);
    Status status = value::success;
    Owned<KernelId> kernel(api.create_kernel(program_.get(), name.c_str(), &status), api.release_kernel);
    FULGURITE_CHECK(status == value::success, "kernel '{}' lacks function '{}': {}", source.name, name,
                    status_text(status));
    std::size_t largest = 0;
    check(api.get_kernel_work_group_info(kernel.get(), device.id, value::kernel_work_group_size,
                                         sizeof largest, &largest, nullptr),
          fmt::format("clGetKernelWorkGroupInfo of '{}'", name));
    const auto block_size = static_cast<std::size_t>(source.block_sizes[i]);
    if (block_size > largest)
      throw DeviceError(
          fmt::format("kernel '{}' needs blocks of {} threads, and the OpenCL device '{}' runs at most {} of "
                      "it: set FULGURITE_OPENCL_DEVICE to another device or the engine to cpu",
                      name, block_size, device.name, largest));
    phases_.push_back({std::move(kernel), block_size});
  }
}

void OpenClKernel::set_arguments(const Phase& phase, const Launch& launch, Buffer record) const {
  std::uint32_t index = 0;
  const auto set = [&](std::size_t bytes, const void* argument) {
    check(api_.set_kernel_arg(phase.kernel.get(), index, bytes, argument),
          fmt::format("clSetKernelArg of argument {} of kernel '{}'", index, signature_.name()));
    ++index;
  };
  std::size_t buffer = 0, scalar = 0;
  for (const std::int32_t bytes : signature_.arguments()) {
    if (bytes == 0) {
      const Buffer argument = buffer_of(launch.buffers[buffer++]);
      set(sizeof argument, &argument);
    } else {  // the low bytes of its slot are its first, here as on the device
      set(static_cast<std::size_t>(bytes), &launch.scalars[scalar++]);
    }
  }
  if (can_fail()) set(sizeof record, &record);
}

void OpenClKernel::enqueue(Queue queue, const Launch& launch, Buffer record, BufferPool& pool) const {
  signature_.check(launch);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    if (launch.n_tasks[i] <= 0) continue;
    const Phase& phase = phases_[i];
    set_arguments(phase, launch, record);
    const std::size_t n_threads = static_cast<std::size_t>(launch.n_tasks[i]) * phase.block_size;
    const auto start = [&] {
      return api_.enqueue_nd_range_kernel(queue, phase.kernel.get(), 1, nullptr, &n_threads,
                                          &phase.block_size, 0, nullptr, nullptr);
    };
    Status status = start();
    if (status == value::mem_object_allocation_failure) {
      pool.trim();
      status = start();
    }
    check(status, fmt::format("launching phase {} of kernel '{}'", i, signature_.name()));
  }
}

}  // namespace fulgurite::runtime::opencl
