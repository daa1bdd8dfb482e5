#include "engines/emulator_device.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "kernel/parse.h"
#include "kernel/resources.h"
#include "runtime/host.h"
#include "runtime/pool.h"
#include "runtime/signature.h"
#include "runtime/stats.h"

namespace fulgurite {

namespace {

struct EmulatedKernel final : runtime::Kernel {
  explicit EmulatedKernel(kernel::Kernel parsed) : ir(std::move(parsed)) {}
  kernel::Kernel ir;
};

}  // namespace

EmulatorDevice& EmulatorDevice::shared() {
  static auto* device = new EmulatorDevice;  // arrays may outlive everything
  return *device;
}

runtime::Description EmulatorDevice::describe() const {
  const runtime::Host& host = runtime::host();
  return {.engine = "emulator",
          .name = "emulator of the kernel IR",
          .n_cores = 1,
          .memory = host.memory,
          .last_level_cache = host.last_level_cache,
          .vector_bytes = host.vector_bytes,
          .is_host = false,
          .blocks_wait = true,
          .tells_occupancy = true,
          .has_shuffles = true};
}

runtime::Memory EmulatorDevice::allocate(std::size_t bytes) {
  void* data = runtime::BufferPool::shared().allocate(bytes);
  try {
    const std::lock_guard lock(mutex_);
    blocks_[data] = {bytes, false};
  } catch (...) {
    runtime::BufferPool::shared().release(data, bytes);
    throw;
  }
  return {data, bytes};
}

void EmulatorDevice::release(runtime::Memory memory) noexcept {
  {
    const std::lock_guard lock(mutex_);
    blocks_.erase(memory.data);
  }
  runtime::BufferPool::shared().release(memory.data, memory.bytes);
}

void EmulatorDevice::written(void* data) {
  const std::lock_guard lock(mutex_);
  block(data).is_written = true;
}

void EmulatorDevice::upload(runtime::Memory to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to.data, from, bytes);
  written(to.data);
  runtime::counters.bytes_copied.add(bytes);
}

void EmulatorDevice::download(void* to, runtime::Memory from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from.data, bytes);
  runtime::counters.bytes_copied.add(bytes);
}

void EmulatorDevice::copy(runtime::Memory to, runtime::Memory from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to.data, from.data, bytes);
  written(to.data);
  runtime::counters.bytes_copied.add(bytes);
}

kernel::PhaseCounts EmulatorDevice::take_counts() {
  const std::lock_guard lock(mutex_);
  return std::exchange(counts_, {});
}

void EmulatorDevice::begin_recording(bool proves) {
  const std::lock_guard lock(mutex_);
  proves_ = proves;
  recorded_.emplace();
}

std::vector<EmulatorDevice::Recorded> EmulatorDevice::end_recording() {
  const std::lock_guard lock(mutex_);
  proves_ = true;
  return std::exchange(recorded_, {}).value_or(std::vector<Recorded>());
}

std::shared_ptr<const runtime::Kernel> EmulatorDevice::build(const runtime::KernelSource& source) {
  return std::make_shared<EmulatedKernel>(kernel::parse(source.text, source.name));
}

std::optional<runtime::Failure> EmulatorDevice::launch(const runtime::Kernel& kernel,
                                                       const runtime::Launch& launch) {
  const kernel::Kernel& ir = static_cast<const EmulatedKernel&>(kernel).ir;
  std::vector<kernel::BufferArgument> buffers;
  kernel::EmulatorOptions options;
  {
    const std::lock_guard lock(mutex_);
    options.seed = n_launches_++;
    for (void* data : launch.buffers) {
      const Block& b = block(data);
      buffers.push_back({{static_cast<std::byte*>(data), b.bytes}, b.is_written});
    }
  }
  std::vector<scalar::Bits> scalars;
  for (std::int64_t bits : launch.scalars) scalars.push_back(static_cast<scalar::Bits>(bits));
  const kernel::Emulation result = kernel::emulate(ir, buffers, scalars, options);
  if (proves_) kernel::require_sound(ir, result);
  {
    const std::lock_guard lock(mutex_);
    const kernel::PhaseCounts& now = result.counts.total;
    counts_.global_read += now.global_read;
    counts_.global_written += now.global_written;
    counts_.transactions += now.transactions;
    counts_.least_transactions += now.least_transactions;
    if (recorded_) recorded_->push_back({&kernel, result.counts, result.was_off});
  }
  std::size_t next = 0;
  for (const kernel::Param& p : ir.params) {
    if (p.role == kernel::Param::Role::scalar) continue;
    void* data = launch.buffers[next++];
    if (p.role != kernel::Param::Role::input && !result.was_off) written(data);
  }
  runtime::counters.launches.add();
  if (!runtime::is_sequential(launch, kernel::block_sizes(ir))) runtime::counters.device_launches.add();
  runtime::counters.bytes_moved.add(launch.bytes_read + launch.bytes_written);
  if (!result.failure) return std::nullopt;
  const kernel::Failed& f = *result.failure;
  runtime::Failure failure{static_cast<std::int32_t>(f.site), f.element, f.value, f.bound, f.group};
  std::ranges::copy(f.more, failure.more.begin());
  return failure;
}

}  // namespace fulgurite
