#include "runtime/cuda/catalogue.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>

#include "runtime/device_choice.h"

namespace fulgurite::runtime::cuda {
namespace {

int attribute_of(const Driver& driver, DeviceId id, Attribute attribute) {
  std::int32_t value = 0;
  check(driver, driver.get_device_attribute(&value, attribute, id), "asking for a property of a CUDA device");
  return value;
}

DeviceEntry entry_of(const Driver& driver, std::int32_t number, int driver_version) {
  DeviceId id = 0;
  check(driver, driver.get_device(&id, number), fmt::format("asking for CUDA device {}", number));
  std::string name(256, '\0');
  check(driver, driver.get_device_name(name.data(), static_cast<std::int32_t>(name.size()), id),
        "asking for the name of a CUDA device");
  name.resize(name.find('\0'));
  std::size_t memory = 0;
  check(driver, driver.get_device_memory(&memory, id), "asking for the memory of a CUDA device");
  const auto attribute = [&](Attribute wanted) { return attribute_of(driver, id, wanted); };
  return {.id = id,
          .number = number,
          .name = name,
          .driver_version = driver_version,
          .capability =
              10 * attribute(value::device_capability_major) + attribute(value::device_capability_minor),
          .n_multiprocessors = attribute(value::device_multiprocessors),
          .multiprocessor_threads = attribute(value::device_threads_of_multiprocessor),
          .memory = memory,
          .cache = static_cast<std::size_t>(attribute(value::device_l2_cache)),
          .shared_bytes = static_cast<std::size_t>(attribute(value::device_shared_bytes_of_block_at_launch))};
}

}  // namespace

std::vector<DeviceEntry> list_devices(const Driver& driver) {
  const Status status = driver.init(0);
  std::int32_t n = 0, version = 0;
  if (status == value::success) check(driver, driver.get_device_count(&n), "counting CUDA devices");
  if (status == value::no_device || (status == value::success && n == 0))
    throw DeviceError(
        "there is no CUDA device: plug in an NVIDIA GPU, name it in CUDA_VISIBLE_DEVICES if that is set, or "
        "set "
        "the engine to cpu");
  if (status != value::success)
    throw DeviceError(
        fmt::format("the CUDA driver does not start: {}: install the NVIDIA driver again or start "
                    "the machine again, or set the engine to cpu",
                    status_text(driver, status)));
  check(driver, driver.get_version(&version), "asking for the version of the CUDA driver");
  std::vector<DeviceEntry> devices;
  for (std::int32_t number = 0; number < n; ++number) devices.push_back(entry_of(driver, number, version));
  return devices;
}

int wanted_device(std::span<const DeviceEntry> devices) {
  constexpr const char* variable = "FULGURITE_CUDA_DEVICE";
  return static_cast<int>(choose_device(names_of(devices), runtime::wanted_device(variable), variable, 0));
}

int device_of(const Driver& driver, std::span<const DeviceEntry> devices, StreamId stream) {
  if (stream == value::stream_per_thread)
    throw DeviceError(
        "CU_STREAM_PER_THREAD is another stream in each thread: make a stream with cuStreamCreate for "
        "use_queue");
  ContextId context = nullptr;
  if (stream == value::stream_legacy) {
    check(driver, driver.get_current_context(&context), "asking for the current context");
    if (context == nullptr) return wanted_device(devices);
  } else {
    check(driver, driver.get_context_of_stream(stream, &context),
          "asking for the context of the user's stream");
  }
  DeviceId id = 0;
  check(driver, driver.push_context(context), "making the context of the user's stream current");
  const Status status = driver.get_device_of_current_context(&id);
  ContextId popped = nullptr;
  driver.pop_context(&popped);
  check(driver, status, "asking for the device of the user's stream");
  const auto entry = std::ranges::find(devices, id, &DeviceEntry::id);
  if (entry == devices.end())
    throw DeviceError("the stream is of a device that is not listed: use a stream of one that is");
  ContextId primary = nullptr;
  check(driver, driver.retain_primary_context(&primary, id),
        fmt::format("asking for the primary context of the CUDA device '{}'", entry->name));
  driver.release_primary_context(id);
  if (context != primary)
    throw DeviceError(
        fmt::format("the stream is of another context than the primary one of the CUDA device '{}': make a "
                    "stream in the primary context, which cuDevicePrimaryCtxRetain gives",
                    entry->name));
  return entry->number;
}

const DeviceEntry& device_with(std::span<const DeviceEntry> devices, int number) {
  check_number(names_of(devices), number, "cuda");
  return devices[static_cast<std::size_t>(number)];
}

}  // namespace fulgurite::runtime::cuda
