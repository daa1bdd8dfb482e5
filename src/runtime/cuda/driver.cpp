#include "runtime/cuda/driver.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include "runtime/dynamic_library.h"

namespace fulgurite::runtime::cuda {
namespace {

constexpr const char* driver_library = "libcuda.so.1";

}  // namespace

std::string status_text(const Driver& driver, Status status) {
  const char *name = nullptr, *text = nullptr;
  if (driver.get_error_name(status, &name) != value::success || name == nullptr) name = "error";
  if (driver.get_error_text(status, &text) != value::success || text == nullptr) text = "of no known kind";
  return fmt::format("{} ({}): {}", name, status, text);
}

void check(const Driver& driver, Status status, const std::string& what) {
  if (status == value::success) return;
  if (status == value::out_of_memory)
    throw OutOfMemory(
        fmt::format("{}: {}: the CUDA device has no memory left for it", what, status_text(driver, status)));
  throw DeviceError(
      fmt::format("{}: {}: the CUDA device refused or was lost; start the program again, or set "
                  "FULGURITE_CUDA_DEVICE to another device or the engine to cpu",
                  what, status_text(driver, status)));
}

Driver load_driver(const std::string& library) {
  const DynamicLibrary l(
      library, {.name = "the CUDA driver's library",
                .if_missing = fmt::format("install the driver of the NVIDIA device, which brings {} (on "
                                          "Debian, libcuda1)",
                                          driver_library),
                .if_old = "install a driver for CUDA 11.8 or later"});
  Driver d{};
  l.resolve(d.init, "cuInit");
  l.resolve(d.get_version, "cuDriverGetVersion");
  l.resolve(d.get_error_name, "cuGetErrorName");
  l.resolve(d.get_error_text, "cuGetErrorString");
  l.resolve(d.get_device_count, "cuDeviceGetCount");
  l.resolve(d.get_device, "cuDeviceGet");
  l.resolve(d.get_device_name, "cuDeviceGetName");
  l.resolve(d.get_device_attribute, "cuDeviceGetAttribute");
  l.resolve(d.get_device_memory, "cuDeviceTotalMem_v2");
  l.resolve(d.retain_primary_context, "cuDevicePrimaryCtxRetain");
  l.resolve(d.release_primary_context, "cuDevicePrimaryCtxRelease_v2");
  l.resolve(d.push_context, "cuCtxPushCurrent_v2");
  l.resolve(d.pop_context, "cuCtxPopCurrent_v2");
  l.resolve(d.get_current_context, "cuCtxGetCurrent");
  l.resolve(d.get_device_of_current_context, "cuCtxGetDevice");
  l.resolve(d.allocate, "cuMemAlloc_v2");
  l.resolve(d.free, "cuMemFree_v2");
  l.resolve(d.get_memory, "cuMemGetInfo_v2");
  l.resolve(d.allocate_host, "cuMemHostAlloc");
  l.resolve(d.free_host, "cuMemFreeHost");
  l.resolve(d.get_address_range, "cuMemGetAddressRange_v2");
  l.resolve(d.create_stream, "cuStreamCreate");
  l.resolve(d.destroy_stream, "cuStreamDestroy_v2");
  l.resolve(d.synchronise_stream, "cuStreamSynchronize");
  l.resolve(d.get_context_of_stream, "cuStreamGetCtx");
  l.resolve(d.stream_waits_for, "cuStreamWaitEvent");
  l.resolve(d.create_event, "cuEventCreate");
  l.resolve(d.destroy_event, "cuEventDestroy_v2");
  l.resolve(d.record_event, "cuEventRecord");
  l.resolve(d.synchronise_event, "cuEventSynchronize");
  l.resolve(d.copy_to_device, "cuMemcpyHtoDAsync_v2");
  l.resolve(d.copy_to_host, "cuMemcpyDtoHAsync_v2");
  l.resolve(d.copy_on_device, "cuMemcpyDtoDAsync_v2");
  l.resolve(d.fill, "cuMemsetD8Async");
  l.resolve(d.load_module, "cuModuleLoadData");
  l.resolve(d.unload_module, "cuModuleUnload");
  l.resolve(d.get_function, "cuModuleGetFunction");
  l.resolve(d.get_function_attribute, "cuFuncGetAttribute");
  l.resolve(d.set_function_attribute, "cuFuncSetAttribute");
  l.resolve(d.get_blocks_of_multiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  l.resolve(d.launch, "cuLaunchKernel");
  return d;
}

const Driver& driver() {
  static const Driver& loaded = *new Driver(load_driver(driver_library));  // programs may run at exit
  return loaded;
}

}  // namespace fulgurite::runtime::cuda
