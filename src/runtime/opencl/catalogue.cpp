#include "runtime/opencl/catalogue.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>

#include "runtime/device_choice.h"

namespace fulgurite::runtime::opencl {
namespace {

constexpr const char* variable = "FULGURITE_OPENCL_DEVICE";
constexpr const char* install_hint =
    "install the OpenCL driver of the device (an ICD, listed in /etc/OpenCL/vendors), or on any processor "
    "PoCL (on Debian, pocl-opencl-icd)";

template <class Id, class Ask>
std::string text_of(Id id, Name name, Ask ask) {
  std::size_t bytes = 0;
  check(ask(id, name, 0, nullptr, &bytes), "asking for the name of an OpenCL device");
  std::string text(bytes, '\0');
  check(ask(id, name, bytes, text.data(), nullptr), "asking for the name of an OpenCL device");
  text.resize(std::min(text.size(), text.find('\0')));  // it ends with a zero
  return text;
}

template <class T>
T value_of(const Api& api, DeviceId id, Name name) {
  T value{};
  check(api.get_device_info(id, name, sizeof value, &value, nullptr),
        "asking for a property of an OpenCL device");
  return value;
}

std::vector<PlatformId> platforms_of(const Api& api) {
  std::uint32_t n = 0;
  const Status status = api.get_platform_ids(0, nullptr, &n);
  if (status == value::platform_not_found_khr || n == 0)
    throw DeviceError(fmt::format("there is no OpenCL platform: {}", install_hint));
  check(status, "clGetPlatformIDs");
  std::vector<PlatformId> platforms(n);
  check(api.get_platform_ids(n, platforms.data(), nullptr), "clGetPlatformIDs");
  return platforms;
}

// A property of OpenCL 3.0, whose devices all take OpenCL C 3.0.
bool has_device_fences(const Api& api, DeviceId id) {
  if (!text_of(id, value::device_version, api.get_device_info).starts_with("OpenCL 3.")) return false;
  constexpr Bits wanted = value::device_atomic_order_acq_rel | value::device_atomic_scope_device;
  return (value_of<Bits>(api, id, value::device_atomic_fence_capabilities) & wanted) == wanted;
}

// None where a platform fails: the driver of hardware that is not there must not hide the others.
std::vector<DeviceId> devices_of(const Api& api, PlatformId platform) {
  std::uint32_t n = 0;
  if (api.get_device_ids(platform, value::device_type_all, 0, nullptr, &n) != value::success) return {};
  std::vector<DeviceId> devices(n);
  check(api.get_device_ids(platform, value::device_type_all, n, devices.data(), nullptr), "clGetDeviceIDs");
  return devices;
}

DeviceEntry entry_of(const Api& api, PlatformId platform, DeviceId id) {
  const auto number = [&](Name name) { return value_of<std::uint64_t>(api, id, name); };
  const auto small_number = [&](Name name) { return value_of<std::uint32_t>(api, id, name); };
  const bool is_gpu = (number(value::device_type) & value::device_type_gpu) != 0;
  return {.id = id,
          .name = text_of(id, value::device_name, api.get_device_info),
          .driver = text_of(id, value::driver_version, api.get_device_info),
          .platform = text_of(platform, value::platform_name, api.get_platform_info),
          .platform_version = text_of(platform, value::platform_version, api.get_platform_info),
          .is_gpu = is_gpu,
          .n_compute_units = static_cast<int>(small_number(value::device_max_compute_units)),
          .memory = number(value::device_global_mem_size),
          .largest_buffer = number(value::device_max_mem_alloc_size),
          .cache = number(value::device_global_mem_cache_size),
          .shared_bytes = number(value::device_local_mem_size),
          .vector_bytes = static_cast<int>(small_number(value::device_native_vector_width_char)),
          .buffer_alignment = small_number(value::device_mem_base_addr_align) / 8,
          .divides_correctly_rounded =
              (number(value::device_single_fp_config) & value::fp_correctly_rounded_divide_sqrt) != 0,
          .groups_wait = is_gpu && has_device_fences(api, id)};
}

}  // namespace

std::vector<DeviceEntry> list_devices(const Api& api) {
  std::vector<DeviceEntry> result;
  for (PlatformId platform : platforms_of(api))
    for (DeviceId device : devices_of(api, platform))
      if (value_of<Boolean>(api, device, value::device_available) != 0 &&
          value_of<Boolean>(api, device, value::device_compiler_available) != 0)
        result.push_back(entry_of(api, platform, device));
  if (result.empty())
    throw DeviceError(fmt::format("no OpenCL platform has a device that can compile: {}", install_hint));
  return result;
}

int choose_device(std::span<const DeviceEntry> devices, const std::string& wanted) {
  const std::vector<std::string> names = names_of(devices);
  const auto gpu = std::find_if(devices.begin(), devices.end(), [](const auto& d) { return d.is_gpu; });
  const auto otherwise = gpu != devices.end() ? static_cast<std::size_t>(gpu - devices.begin()) : 0;
  return static_cast<int>(runtime::choose_device(names, wanted, variable, otherwise));
}

const DeviceEntry& device_with(std::span<const DeviceEntry> devices, int number) {
  check_number(names_of(devices), number, "opencl");
  return devices[static_cast<std::size_t>(number)];
}

std::string wanted_device() {
  return runtime::wanted_device(variable);
}

}  // namespace fulgurite::runtime::opencl
