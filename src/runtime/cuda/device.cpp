#include "runtime/cuda/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <utility>

#include "runtime/cuda/failure_records.h"
#include "runtime/cuda/kernel.h"
#include "runtime/shared_devices.h"
#include "runtime/stats.h"

namespace fulgurite::runtime::cuda {
namespace {

// Independent of the stream that CUDA's users get without asking, which waits for all others.
Owned<StreamId> make_stream(const Context& context) {
  const Context::Current current(context);
  StreamId stream = nullptr;
  check(context.driver(), context.driver().create_stream(&stream, value::stream_non_blocking),
        "cuStreamCreate");
  return {stream, context.driver().destroy_stream};
}

SharedDevices<CudaDevice, StreamId>& all_devices() {
  static auto& all = *new SharedDevices<CudaDevice, StreamId>;  // arrays may outlive everything
  return all;
}

Owned<EventId> make_event(const Context& context) {
  const Context::Current current(context);
  EventId event = nullptr;
  check(context.driver(), context.driver().create_event(&event, value::event_without_time), "cuEventCreate");
  return {event, context.driver().destroy_event};
}

void raise_to(std::atomic<std::uint64_t>& number, std::uint64_t to) {
  std::uint64_t known = number.load();
  while (known < to && !number.compare_exchange_weak(known, to)) {
  }
}

}  // namespace

CudaDevice::CudaDevice(DeviceEntry entry, DiskCache& disk, const Driver& driver, const Nvrtc& nvrtc,
                       StreamId stream)
    : driver_(driver),
      nvrtc_(nvrtc),
      entry_(std::move(entry)),
      disk_(disk),
      context_(std::make_shared<Context>(driver_, entry_)),
      compute_(stream == nullptr ? make_stream(*context_)
                                 : Owned<StreamId>(stream, [](StreamId) { return value::success; })),
      transfers_(make_stream(*context_)),
      computed_(make_event(*context_)),
      transferred_(make_event(*context_)),
      memory_(context_, entry_),
      pool_(entry_.memory / 4, memory_),
      logs_([this] { return std::make_unique<CudaFailureRecords>(context_, compute_.get()); }) {}

CudaDevice::~CudaDevice() {
  const Context::Current current(*context_);
  driver_.synchronise_stream(transfers_.get());
  driver_.synchronise_stream(compute_.get());
  staging_.reset();
  computed_.reset();
  transferred_.reset();
  compute_.reset();
  transfers_.reset();
}

CudaDevice& CudaDevice::shared(int number) {
  const auto choose = [] { return wanted_device(list_devices(cuda::driver())); };
  return all_devices().get(number, choose, [](int chosen, StreamId stream) {
    const std::vector<DeviceEntry> devices = list_devices(cuda::driver());
    const DeviceEntry& entry = device_with(devices, chosen);
    return new CudaDevice(entry, DiskCache::shared(), cuda::driver(), cuda::nvrtc(entry.driver_version),
                          stream);
  });
}

void CudaDevice::use_stream(StreamId stream) {
  if (stream == nullptr) stream = value::stream_legacy;
  const Driver& driver = cuda::driver();
  all_devices().set_queue(stream, "cuda", device_of(driver, list_devices(driver), stream));
}

Description CudaDevice::describe() const {
  return {.engine = "cuda",
          .name = entry_.name,
          .n_cores = entry_.n_multiprocessors,
          .memory = entry_.memory,
          .last_level_cache = entry_.cache,
          .vector_bytes = 16,  // of the widest access of a thread
          .is_host = false,
          .blocks_wait = true,
          .tells_occupancy = true,
          .has_shuffles = true,
          .architecture = fmt::format("sm_{}", entry_.capability)};
}

Memory CudaDevice::allocate(std::size_t bytes) {
  return {pool_.allocate(bytes), bytes};
}

void CudaDevice::release(Memory memory) noexcept {
  pool_.release(memory.data, memory.bytes);
}

Staging& CudaDevice::staging() {
  if (staging_ == nullptr) staging_ = std::make_unique<Staging>(driver_, transfers_.get());
  return *staging_;
}

void CudaDevice::order(StreamId before, const Owned<EventId>& event, StreamId after) {
  check(driver_, driver_.record_event(event.get(), before), "cuEventRecord");
  check(driver_, driver_.stream_waits_for(after, event.get(), 0), "cuStreamWaitEvent");
}

// A number is given once what it stands for is enqueued: whoever sees it and then waits for the stream has
// waited for that.
void CudaDevice::mark_use(std::span<void* const> blocks) {
  const std::uint64_t use = last_use_.fetch_add(1) + 1;
  for (void* block : blocks)
    if (block != nullptr) raise_to(block_of(block)->last_use, use);
}

void CudaDevice::note_done(std::uint64_t use) {
  raise_to(last_done_, use);
}

void CudaDevice::upload(Memory to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const Context::Current current(*context_);
  const std::lock_guard lock(transfer_mutex_);
  if (block_of(to.data)->last_use.load() > last_done_.load())
    order(compute_.get(), computed_, transfers_.get());
  staging().upload(address_of(to.data), from, bytes);
  order(transfers_.get(), transferred_, compute_.get());
  counters.bytes_copied.add(bytes);
}

void CudaDevice::download(void* to, Memory from, std::size_t bytes) {
  if (bytes == 0) return;
  const Context::Current current(*context_);
  const std::lock_guard lock(transfer_mutex_);
  const std::uint64_t use = last_use_.load();
  order(compute_.get(), computed_, transfers_.get());
  staging().download(to, address_of(from.data), bytes);
  note_done(use);
  counters.bytes_copied.add(bytes);
}

void CudaDevice::copy(Memory to, Memory from, std::size_t bytes) {
  if (bytes == 0) return;
  const Context::Current current(*context_);
  check(driver_, driver_.copy_on_device(address_of(to.data), address_of(from.data), bytes, compute_.get()),
        fmt::format("a copy of {} bytes on the device", bytes));
  void* const blocks[] = {to.data, from.data};
  mark_use(blocks);
  counters.bytes_copied.add(bytes);
}

Memory CudaDevice::adopt(void* handle, std::size_t bytes) {
  const auto address = reinterpret_cast<Address>(handle);
  const Context::Current current(*context_);
  Address start = 0;
  std::size_t size = 0;
  const Status status = driver_.get_address_range(&start, &size, address);
  if (status != value::success)
    throw DeviceError(
        fmt::format("the CUDA device '{}' does not know the memory at {}: {}: adopt what was allocated "
                    "in the primary context of that device",
                    entry_.name, handle, status_text(driver_, status)));
  if (start + size - address < bytes)
    throw DeviceError(
        fmt::format("the CUDA memory has {} bytes from there, and the array is of {}: adopt it with its "
                    "own size",
                    start + size - address, bytes));
  return {new Block{{}, address}, bytes};
}

void CudaDevice::disown(Memory memory) noexcept {
  delete block_of(memory.data);
}

void* CudaDevice::handle(Memory memory) {
  const Context::Current current(*context_);
  check(driver_, driver_.synchronise_stream(transfers_.get()),
        "cuStreamSynchronize, after the transfers before it");
  if (block_of(memory.data)->last_use.load() > last_done_.load()) {
    const std::uint64_t use = last_use_.load();
    check(driver_, driver_.synchronise_stream(compute_.get()),
          "cuStreamSynchronize, after the kernels and copies before it");
    note_done(use);
  }
  return reinterpret_cast<void*>(address_of(memory.data));
}

std::shared_ptr<const Kernel> CudaDevice::build(const KernelSource& source) {
  for (const std::int32_t bytes : source.shared_bytes)
    if (static_cast<std::size_t>(bytes) > entry_.shared_bytes)
      throw DeviceError(fmt::format(
          "the threads of a block of kernel '{}' share {} bytes, and the CUDA device '{}' has {}: use "
          "smaller blocks or arrays, or the engine cpu",
          source.name, bytes, entry_.name, entry_.shared_bytes));
  const base::Digest key = base::digest(
      fmt::format("cuda {}\n{} {} [{}] [{}] [{}] {}\n{}", nvrtc_.identity(entry_.capability), source.name,
                  source.n_phases, fmt::join(source.arguments, " "), fmt::join(source.block_sizes, " "),
                  fmt::join(source.shared_bytes, " "), source.can_fail, source.text));
  bool found = false;
  auto kernel = kernels_.get(key, [&] { return load_or_compile(source, key); }, &found);
  if (found) counters.memory_hits.add();
  return kernel;
}

std::shared_ptr<const Kernel> CudaDevice::load(const KernelSource& source, std::string_view code) {
  return std::make_shared<CudaKernel>(
      entry_, source, std::make_unique<const Module>(context_, source.name, std::string(code)));
}

std::shared_ptr<const Kernel> CudaDevice::load_or_compile(const KernelSource& source,
                                                          const base::Digest& key) {
  const auto kernel_of = [&](const std::string& code) {
    return std::make_shared<CudaKernel>(entry_, source,
                                        std::make_unique<const Module>(context_, source.name, code));
  };
  bool is_refused = false;  // code that another driver took; what we compile now says more
  const auto find = [&]() -> std::shared_ptr<const Kernel> {
    const auto code = is_refused ? std::nullopt : disk_.read(EntryKind::kernel, key);
    if (!code) return nullptr;
    try {
      auto kernel = kernel_of(*code);
      counters.disk_hits.add();
      return kernel;
    } catch (const DeviceError&) {
      is_refused = true;
      return nullptr;
    }
  };
  return disk_.find_or_make(key, find, [&]() -> std::shared_ptr<const Kernel> {
    counters.misses.add();
    counters.compilations.add();
    const std::string code = nvrtc_.compile(source, entry_.capability);
    auto kernel = kernel_of(code);
    disk_.write(EntryKind::kernel, key, code);
    return kernel;
  });
}

std::int64_t CudaDevice::resident_blocks(const Kernel& kernel, int threads) const {
  const std::int64_t of_each = static_cast<const CudaKernel&>(kernel).resident_blocks(threads);
  return std::max(of_each * entry_.n_multiprocessors, std::int64_t{1});
}

std::optional<Failure> CudaDevice::launch(const Kernel& kernel, const Launch& launch) {
  const auto& k = static_cast<const CudaKernel&>(kernel);
  const Context::Current current(*context_);
  k.enqueue(compute_.get(), launch, k.can_fail() ? logs_.next() : nullptr, pool_);
  mark_use(launch.buffers);
  counters.launches.add();
  if (!is_sequential(launch, k.signature().block_sizes())) counters.device_launches.add();
  counters.bytes_moved.add(launch.bytes_read + launch.bytes_written);
  return std::nullopt;
}

std::optional<Failure> CudaDevice::wait() {
  const Context::Current current(*context_);
  const std::uint64_t use = last_use_.load();
  const FailureLogs::Collected collected = logs_.collect();
  if (!collected.has_waited)
    check(driver_, driver_.synchronise_stream(compute_.get()),
          "cuStreamSynchronize, after the kernels before it");
  note_done(use);
  return collected.failure;
}

}  // namespace fulgurite::runtime::cuda
