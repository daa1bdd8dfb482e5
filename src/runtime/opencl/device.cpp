#include "runtime/opencl/device.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "runtime/opencl/failure_records.h"
#include "runtime/opencl/kernel.h"
#include "runtime/opencl/program.h"
#include "runtime/shared_devices.h"
#include "runtime/stats.h"

namespace fulgurite::runtime::opencl {
namespace {

template <class T>
T property_of(const Api& api, Queue queue, Name name) {
  T property{};
  check(api.get_queue_info(queue, name, sizeof property, &property, nullptr), "clGetCommandQueueInfo");
  return property;
}

Context make_context(const Api& api, const DeviceEntry& device, Queue queue) {
  if (queue != nullptr) {
    const auto users = property_of<Context>(api, queue, value::queue_context);
    check(api.retain_context(users), "clRetainContext of the user's context");
    return users;
  }
  Status status = value::success;
  const Context context = api.create_context(nullptr, 1, &device.id, nullptr, nullptr, &status);
  check(status, fmt::format("clCreateContext for the device '{}'", device.name));
  return context;
}

Queue make_queue(const Api& api, Context context, const DeviceEntry& device, Queue users) {
  if (users != nullptr) {
    check(api.retain_queue(users), "clRetainCommandQueue of the user's queue");
    return users;
  }
  Status status = value::success;
  const Queue queue = api.create_queue(context, device.id, 0, &status);
  check(status, fmt::format("clCreateCommandQueue for the device '{}'", device.name));
  return queue;
}

int number_of(std::span<const DeviceEntry> devices, DeviceId id) {
  for (std::size_t k = 0; k < devices.size(); ++k)
    if (devices[k].id == id) return static_cast<int>(k);
  throw DeviceError("the OpenCL queue is of a device that cannot compile: use a queue of another device");
}

SharedDevices<OpenClDevice, Queue>& all_devices() {
  static auto& all = *new SharedDevices<OpenClDevice, Queue>;  // arrays may outlive everything
  return all;
}

}  // namespace

OpenClDevice::OpenClDevice(DeviceEntry entry, DiskCache& disk, const Api& library, Queue queue)
    : api_(library),
      entry_(std::move(entry)),
      disk_(disk),
      context_(make_context(api_, entry_, queue), api_.release_context),
      queue_(make_queue(api_, context_.get(), entry_, queue), api_.release_queue),
      memory_(api_, context_.get(), entry_.name, entry_.memory, entry_.largest_buffer),
      pool_(entry_.memory / 4, memory_),
      logs_([this] {
        return std::make_unique<OpenClFailureRecords>(api_, context_.get(), queue_.get(),
                                                      entry_.buffer_alignment);
      }) {}

OpenClDevice::~OpenClDevice() {
  api_.finish(queue_.get());
}

OpenClDevice& OpenClDevice::shared(int number) {
  // PoCL's usual way to run a block vectorises loops over threads, and with them loops in which each thread
  // reads what it stored before. "loops" leaves that to the compiler, which looks.
  static const int is_set = setenv("POCL_WORK_GROUP_METHOD", "loops", 0);
  (void)is_set;
  const auto choose = [] { return choose_device(list_devices(api()), wanted_device()); };
  return all_devices().get(number, choose, [](int chosen, Queue queue) {
    const std::vector<DeviceEntry> devices = list_devices(api());
    return new OpenClDevice(device_with(devices, chosen), DiskCache::shared(), api(), queue);
  });
}

void OpenClDevice::use_queue(Queue queue) {
  if (queue == nullptr)
    throw DeviceError("the OpenCL queue is null: make one with clCreateCommandQueue, or leave out use_queue");
  if ((property_of<Bits>(api(), queue, value::queue_properties) & value::queue_out_of_order) != 0)
    throw DeviceError(
        "the OpenCL queue may run what it is given in any order: make one that runs it in order");
  all_devices().set_queue(
      queue, "opencl",
      number_of(list_devices(api()), property_of<DeviceId>(api(), queue, value::queue_device)));
}

Description OpenClDevice::describe() const {
  return {.engine = "opencl",
          .name = entry_.name,
          .n_cores = entry_.n_compute_units,
          .memory = entry_.memory,
          .last_level_cache = entry_.cache,
          .vector_bytes = entry_.vector_bytes,
          .is_host = false,
          .blocks_wait = entry_.groups_wait,
          .shared_memory = std::min(entry_.shared_bytes, std::size_t{48} << 10)};
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

Memory OpenClDevice::adopt(void* handle, std::size_t bytes) {
  const auto buffer = static_cast<Buffer>(handle);
  Context context = nullptr;
  std::size_t size = 0;
  check(api_.get_buffer_info(buffer, value::buffer_context, sizeof context, &context, nullptr),
        "asking for the context of the user's memory");
  check(api_.get_buffer_info(buffer, value::buffer_size, sizeof size, &size, nullptr),
        "asking for the size of the user's memory");
  if (context != context_.get())
    throw DeviceError(
        "the OpenCL memory is of another context: call use_queue with a queue of that context before "
        "anything runs "
        "on OpenCL");
  if (size < bytes)
    throw DeviceError(fmt::format(
        "the OpenCL memory has {} bytes, and the array is of {}: adopt it with its own size", size, bytes));
  return {adopt_buffer(api_, buffer), bytes};
}

void OpenClDevice::disown(Memory memory) noexcept {
  disown_buffer(api_, memory.data);
}

void* OpenClDevice::handle(Memory memory) {
  check(api_.finish(queue_.get()), "clFinish, after the kernels and copies before it");
  return buffer_of(memory.data);
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
  const auto find = [&]() -> std::shared_ptr<const Kernel> {
    const auto binary = disk_.read(EntryKind::kernel, key);
    if (!binary) return nullptr;
    Owned<Program> program = from_binary(api_, context_.get(), entry_, *binary);
    if (!program) return nullptr;
    counters.disk_hits.add();
    return std::make_shared<OpenClKernel>(api_, entry_, source, std::move(program));
  };
  return disk_.find_or_make(key, find, [&]() -> std::shared_ptr<const Kernel> {
    counters.misses.add();
    counters.compilations.add();
    Owned<Program> program = compile(api_, context_.get(), entry_, source);
    const std::string binary = binary_of(api_, program.get());
    auto kernel = std::make_shared<OpenClKernel>(api_, entry_, source, std::move(program));
    if (!binary.empty()) disk_.write(EntryKind::kernel, key, binary);
    return kernel;
  });
}

std::optional<Failure> OpenClDevice::launch(const Kernel& kernel, const Launch& launch) {
  const auto& k = static_cast<const OpenClKernel&>(kernel);
  k.enqueue(queue_.get(), launch, k.can_fail() ? static_cast<Buffer>(logs_.next()) : nullptr, pool_);
  check(api_.flush(queue_.get()), "clFlush after a launch");
  counters.launches.add();
  if (!is_sequential(launch, k.signature().block_sizes())) counters.device_launches.add();
  counters.bytes_moved.add(launch.bytes_read + launch.bytes_written);
  return std::nullopt;
}

std::optional<Failure> OpenClDevice::wait() {
  const FailureLogs::Collected collected = logs_.collect();
  if (!collected.has_waited) check(api_.finish(queue_.get()), "clFinish, after the kernels before it");
  return collected.failure;
}

}  // namespace fulgurite::runtime::opencl
