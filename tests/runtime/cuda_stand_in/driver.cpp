// The driver's functions of devices, contexts and errors.
#include <cstring>

#include "findings.h"

using namespace fulgurite::runtime::test;

namespace {

// Contexts are addresses of their device's number.
std::map<DeviceId, DeviceId>& primary_contexts() {
  static auto& all = *new std::map<DeviceId, DeviceId>;
  return all;
}

}  // namespace

EXPORTED Status cuInit(std::uint32_t) {
  const Lock lock(machine().mutex);
  return wanted("cuInit").value_or(0);
}
// NVRTC asks the driver for tables of functions that are not documented, and does without.
EXPORTED Status cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return status::not_found;
}
EXPORTED Status cuDriverGetVersion(std::int32_t* version) {
  *version = machine().driver_version;
  return 0;
}
EXPORTED Status cuGetErrorName(Status code, const char** name) {
  switch (code) {
    case status::invalid_value: *name = "CUDA_ERROR_INVALID_VALUE"; break;
    case status::illegal_address: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
    case status::out_of_resources: *name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"; break;
    case status::misaligned_address: *name = "CUDA_ERROR_MISALIGNED_ADDRESS"; break;
    case status::launch_failed: *name = "CUDA_ERROR_LAUNCH_FAILED"; break;
    default: *name = "CUDA_ERROR_OF_STAND_IN";
  }
  return 0;
}
EXPORTED Status cuGetErrorString(Status code, const char** text) {
  const Lock lock(machine().mutex);
  *text = text_of(code);
  return 0;
}

EXPORTED Status cuDeviceGetCount(std::int32_t* n) {
  *n = static_cast<std::int32_t>(machine().devices.size());
  return 0;
}
EXPORTED Status cuDeviceGet(DeviceId* id, std::int32_t number) {
  *id = number + 10;
  return 0;
}
EXPORTED Status cuDeviceGetName(char* name, std::int32_t bytes, DeviceId id) {
  std::strncpy(name, machine().devices.at(static_cast<std::size_t>(id - 10)).c_str(),
               static_cast<std::size_t>(bytes));
  return 0;
}
EXPORTED Status cuDeviceGetAttribute(std::int32_t* to, Attribute attribute, DeviceId) {
  switch (attribute) {
    case value::device_capability_major: *to = machine().capability / 10; break;
    case value::device_capability_minor: *to = machine().capability % 10; break;
    case value::device_multiprocessors: *to = 3; break;
    case value::device_l2_cache: *to = 4 << 20; break;
    case value::device_threads_of_multiprocessor: *to = 2048; break;
    case value::device_shared_bytes_of_block_at_launch: *to = 227 << 10; break;
    default: return status::invalid_value;
  }
  return 0;
}
EXPORTED Status cuDeviceTotalMem_v2(std::size_t* bytes, DeviceId) {
  *bytes = machine().memory;
  return 0;
}

EXPORTED Status cuDevicePrimaryCtxRetain(ContextId* id, DeviceId device) {
  const Lock lock(machine().mutex);
  if (const auto code = wanted("cuDevicePrimaryCtxRetain")) return *code;
  return make(id, &primary_contexts().try_emplace(device, device).first->second);
}
EXPORTED Status cuDevicePrimaryCtxRelease_v2(DeviceId) {
  const Lock lock(machine().mutex);
  --machine().n_objects;
  return 0;
}
EXPORTED Status cuCtxPushCurrent_v2(ContextId id) {
  contexts_here().push_back(id);
  return 0;
}
EXPORTED Status cuCtxPopCurrent_v2(ContextId* id) {
  *id = contexts_here().back();
  contexts_here().pop_back();
  return 0;
}
EXPORTED Status cuCtxGetCurrent(ContextId* id) {
  *id = contexts_here().empty() ? nullptr : contexts_here().back();
  return 0;
}
EXPORTED Status cuCtxGetDevice(DeviceId* device) {
  if (contexts_here().empty()) return status::invalid_context;
  *device = *reinterpret_cast<const DeviceId*>(contexts_here().back());
  return 0;
}
