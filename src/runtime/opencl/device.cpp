#include "runtime/opencl/device.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <utility>

#include "runtime/opencl/failure_records.h"
#include "runtime/opencl/kernel.h"
#include "runtime/opencl/program.h"
#include "runtime/stats.h"

namespace fulgurite::runtime::opencl {
namespace {

Context make_context(const Api& api, const DeviceEntry& device) {
  Status status = value::success;
  const Context context = api.create_context(nullptr, 1, &device.id, nullptr, nullptr, &status);
  check(status, fmt::format("clCreateContext for the device '{}'", device.name));
  return context;
}

Queue make_queue(const Api& api, Context context, const DeviceEntry& device) {
  Status status = value::success;
  const Queue queue = api.create_queue(context, device.id, 0, &status);
  check(status, fmt::format("clCreateCommandQueue for the device '{}'", device.name));
  return queue;
}

}  // namespace

OpenClDevice::OpenClDevice(DeviceEntry entry, DiskCache& disk, const Api& library)
    : api_(library),
      entry_(std::move(entry)),
      disk_(disk),
      context_(make_context(api_, entry_), api_.release_context),
      queue_(make_queue(api_, context_.get(), entry_), api_.release_queue),
      memory_(api_, context_.get(), entry_.name, entry_.memory, entry_.largest_buffer),
      pool_(entry_.memory / 4, memory_),
      logs_([this] {
        return std::make_unique<OpenClFailureRecords>(api_, context_.get(), queue_.get(),
                                                      entry_.buffer_alignment);
      }) {}

OpenClDevice::~OpenClDevice() {
  api_.finish(queue_.get());
}

// Never destroyed: arrays may outlive everything, and at exit the driver may be gone before us.
OpenClDevice& OpenClDevice::shared() {
  static OpenClDevice& device = *[] {
    const std::vector<DeviceEntry> devices = list_devices(api());
    return new OpenClDevice(choose_device(devices, wanted_device()));
  }();
  return device;
}

Description OpenClDevice::describe() const {
  return {.engine = "opencl",
          .name = entry_.name,
          .n_cores = entry_.n_compute_units,
          .memory = entry_.memory,
          .last_level_cache = entry_.cache,
          .vector_bytes = entry_.vector_bytes,
          .is_host = false};
}

Memory OpenClDevice::allocate(std::size_t bytes) {
  return {pool_.allocate(bytes), bytes};
}

void OpenClDevice::release(Memory memory) noexcept {
  pool_.release(memory.data, memory.bytes);
}

void OpenClDevice::upload(Memory to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  check(api_.write_buffer(queue_.get(), buffer_of(to.data), 1, 0, bytes, from, 0, nullptr, nullptr),
        fmt::format("clEnqueueWriteBuffer of {} bytes", bytes));
  counters.bytes_copied.add(bytes);
}

void OpenClDevice::download(void* to, Memory from, std::size_t bytes) {
  if (bytes == 0) return;
  check(api_.read_buffer(queue_.get(), buffer_of(from.data), 1, 0, bytes, to, 0, nullptr, nullptr),
        fmt::format("clEnqueueReadBuffer of {} bytes, after the kernels before it", bytes));
  counters.bytes_copied.add(bytes);
}

void OpenClDevice::copy(Memory to, Memory from, std::size_t bytes) {
  if (bytes == 0) return;
  check(api_.copy_buffer(queue_.get(), buffer_of(from.data), buffer_of(to.data), 0, 0, bytes, 0, nullptr,
                         nullptr),
        fmt::format("clEnqueueCopyBuffer of {} bytes", bytes));
  check(api_.flush(queue_.get()), "clFlush after a copy");
  counters.bytes_copied.add(bytes);
}

std::shared_ptr<const Kernel> OpenClDevice::build(const KernelSource& source) {
  for (const std::int32_t bytes : source.shared_bytes)
    if (static_cast<std::size_t>(bytes) > entry_.shared_bytes)
      throw DeviceError(fmt::format(
          "the threads of a block of kernel '{}' share {} bytes, and the OpenCL device '{}' has {}: use "
          "smaller blocks or arrays, or the engine cpu",
          source.name, bytes, entry_.name, entry_.shared_bytes));
  const base::Digest key = base::digest(identity(entry_, source));
  bool found = false;
  auto kernel = kernels_.get(key, [&] { return load_or_compile(source, key); }, &found);
  if (found) counters.memory_hits.add();
  return kernel;
}

std::shared_ptr<const Kernel> OpenClDevice::load_or_compile(const KernelSource& source,
                                                            const base::Digest& key) {
  if (const auto binary = disk_.read(EntryKind::kernel, key)) {
    if (Owned<Program> program = from_binary(api_, context_.get(), entry_, *binary)) {
      counters.disk_hits.add();
      return std::make_shared<OpenClKernel>(api_, entry_, source, std::move(program));
    }
  }
  counters.misses.add();
  counters.compilations.add();
  Owned<Program> program = compile(api_, context_.get(), entry_, source);
  const std::string binary = binary_of(api_, program.get());
  auto kernel = std::make_shared<OpenClKernel>(api_, entry_, source, std::move(program));
  if (!binary.empty()) disk_.write(EntryKind::kernel, key, binary);
  return kernel;
}

std::optional<Failure> OpenClDevice::launch(const Kernel& kernel, const Launch& launch) {
  const auto& k = static_cast<const OpenClKernel&>(kernel);
  k.enqueue(queue_.get(), launch, k.can_fail() ? static_cast<Buffer>(logs_.next()) : nullptr, pool_);
  check(api_.flush(queue_.get()), "clFlush after a launch");
  counters.launches.add();
  counters.bytes_moved.add(launch.bytes_read + launch.bytes_written);
  return std::nullopt;
}

std::optional<Failure> OpenClDevice::wait() {
  const FailureLogs::Collected collected = logs_.collect();
  if (!collected.has_waited) check(api_.finish(queue_.get()), "clFinish, after the kernels before it");
  return collected.failure;
}

}  // namespace fulgurite::runtime::opencl
