#include "runtime/cuda/kernel.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "runtime/cuda/memory.h"

namespace fulgurite::runtime::cuda {
namespace {

constexpr std::int64_t most_shared_without_asking = 48 * 1024;  // as emit::cuda prints kernels
constexpr std::int64_t most_blocks = std::numeric_limits<std::int32_t>::max();

}  // namespace

Module::Module(std::shared_ptr<const Context> context, const std::string& kernel, const std::string& code)
    : context_(std::move(context)) {
  const Context::Current current(*context_);
  const Status status = driver().load_module(&id_, code.c_str());
  if (status != value::success)
    throw DeviceError(
        fmt::format("the CUDA driver does not take the code of kernel '{}': {}: install a driver that is as "
                    "new as NVRTC is, "
                    "or NVRTC of an older CUDA, or set the engine to cpu",
                    kernel, status_text(driver(), status)));
}

Module::~Module() {
  const Context::Current current(*context_);
  driver().unload_module(id_);
}

CudaKernel::CudaKernel(const DeviceEntry& device, const KernelSource& source,
                       std::unique_ptr<const Module> module)
    : signature_(source), module_(std::move(module)) {
  const Context::Current current(module_->context());
  for (std::size_t i = 0; i < signature_.n_phases(); ++i) phases_.push_back(phase_of(device, source, i));
}

CudaKernel::Phase CudaKernel::phase_of(const DeviceEntry& device, const KernelSource& source,
                                       std::size_t number) const {
  const Driver& driver = module_->driver();
  const std::string name = fmt::format("{}_p{}", source.name, number);
  Phase phase{};
  const Status status = driver.get_function(&phase.function, module_->id(), name.c_str());
  FULGURITE_CHECK(status == value::success, "kernel '{}' lacks function '{}': {}", source.name, name,
                  status_text(driver, status));
  const auto attribute = [&](Attribute wanted) {
    std::int32_t value = 0;
    check(driver, driver.get_function_attribute(&value, wanted, phase.function),
          fmt::format("asking for a property of '{}'", name));
    return value;
  };
  const int block_size = source.block_sizes[number];
  if (const int largest = attribute(value::function_threads_of_block); block_size > largest)
    throw DeviceError(fmt::format(
        "kernel '{}' needs blocks of {} threads, and the CUDA device '{}' runs at most {} of it: use "
        "smaller blocks, or set the engine to cpu",
        name, block_size, device.name, largest));
  const std::int32_t shared_bytes = source.shared_bytes.empty() ? 0 : source.shared_bytes[number];
  if (shared_bytes > most_shared_without_asking) {
    phase.shared_bytes_at_launch = static_cast<std::uint32_t>(shared_bytes);
    check(driver,
          driver.set_function_attribute(phase.function, value::function_shared_bytes_at_launch, shared_bytes),
          fmt::format("asking for {} bytes that a block of '{}' shares", shared_bytes, name));
  }
  std::int32_t n_blocks = 0;
  check(driver,
        driver.get_blocks_of_multiprocessor(&n_blocks, phase.function, block_size,
                                            phase.shared_bytes_at_launch),
        fmt::format("asking for the occupancy of '{}'", name));
  phase.occupancy = {.block_size = block_size,
                     .registers = attribute(value::function_registers),
                     .thread_bytes = attribute(value::function_thread_bytes),
                     .shared_bytes = attribute(value::function_shared_bytes) +
                                     static_cast<int>(phase.shared_bytes_at_launch),
                     .n_blocks = n_blocks,
                     .n_threads = n_blocks * block_size,
                     .most_threads = device.multiprocessor_threads};
  return phase;
}

std::vector<Occupancy> CudaKernel::occupancy() const {
  std::vector<Occupancy> all;
  for (const Phase& phase : phases_) all.push_back(phase.occupancy);
  return all;
}

int CudaKernel::resident_blocks(int threads) const {
  int least = std::numeric_limits<int>::max();
  for (const Phase& phase : phases_) least = std::min(least, phase.occupancy.n_threads / threads);
  return least;
}

void CudaKernel::enqueue(StreamId stream, const Launch& launch, void* record, BufferPool& pool) const {
  signature_.check(launch);
  for (const std::int64_t n : launch.n_tasks)
    if (n > most_blocks)
      throw DeviceError(
          fmt::format("kernel '{}' is to run {} blocks, and CUDA runs at most {} at a time: use "
                      "larger blocks, smaller arrays, or the engine cpu",
                      signature_.name(), n, most_blocks));
  std::vector<Address> addresses;
  addresses.reserve(launch.buffers.size() + 1);
  std::vector<void*> arguments;
  arguments.reserve(signature_.arguments().size() + 1);
  std::size_t scalar = 0;
  for (const std::int32_t bytes : signature_.arguments()) {
    if (bytes == 0) {
      addresses.push_back(address_of(launch.buffers[addresses.size()]));
      arguments.push_back(&addresses.back());
    } else {  // the low bytes of its slot are its first, here as on the device
      arguments.push_back(const_cast<std::int64_t*>(&launch.scalars[scalar++]));
    }
  }
  if (can_fail()) {
    addresses.push_back(reinterpret_cast<Address>(record));
    arguments.push_back(&addresses.back());
  }
  const Driver& driver = module_->driver();
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    if (launch.n_tasks[i] <= 0) continue;
    const auto n_tasks = static_cast<std::uint32_t>(launch.n_tasks[i]);
    const auto block_size = static_cast<std::uint32_t>(signature_.block_sizes()[i]);
    const auto start = [&] {
      return driver.launch(phases_[i].function, n_tasks, 1, 1, block_size, 1, 1,
                           phases_[i].shared_bytes_at_launch, stream, arguments.data(), nullptr);
    };
    Status status = start();
    if (status == value::out_of_memory) {
      pool.trim();
      status = start();
    }
    check(driver, status, fmt::format("launching phase {} of kernel '{}'", i, signature_.name()));
  }
}

}  // namespace fulgurite::runtime::cuda
