#include "cuda_stand_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "runtime/cuda/driver.h"

#define EXPORTED extern "C" [[gnu::visibility("default")]]

namespace {

using namespace fulgurite::runtime::cuda;
using fulgurite::runtime::test::CudaStandIn;
using Lock = std::unique_lock<std::recursive_mutex>;

CudaStandIn& machine() {
  static CudaStandIn& one = *new CudaStandIn;
  return one;
}

struct Stream {
  std::deque<std::function<void()>> waiting;
  std::uint64_t n_enqueued = 0, n_done = 0;
  int number = 0;
  ContextId context = nullptr;

  void enqueue(std::function<void()> what) {
    waiting.push_back(std::move(what));
    ++n_enqueued;
  }
  void run_until(std::uint64_t n) {
    while (n_done < n && !waiting.empty()) {
      const auto what = std::move(waiting.front());
      waiting.pop_front();
      what();
      ++n_done;
    }
  }
};
struct Event {
  Stream* stream = nullptr;  // of its last record
  std::uint64_t number = 0;
};
struct Code {
  std::string text;
};

std::vector<Stream*>& streams() {
  static auto& all = *new std::vector<Stream*>;
  return all;
}
std::map<std::uint64_t, std::size_t>& blocks() {
  static auto& all = *new std::map<std::uint64_t, std::size_t>;
  return all;
}
// Contexts are addresses of their device's number.
std::map<DeviceId, DeviceId>& primary_contexts() {
  static auto& all = *new std::map<DeviceId, DeviceId>;
  return all;
}
thread_local std::vector<ContextId> contexts_here;  // the current one last

Stream legacy_stream;

void finish_everything() {
  legacy_stream.run_until(legacy_stream.n_enqueued);
  for (Stream* stream : streams()) stream->run_until(stream->n_enqueued);
}

// A null stream is the legacy one, which is always there; its number is 0.
Stream* stream_of(StreamId id) {
  return id == nullptr || id == value::stream_legacy ? &legacy_stream : reinterpret_cast<Stream*>(id);
}
Event* event_of(EventId id) {
  return reinterpret_cast<Event*>(id);
}

// The status that a test wants of this call.
std::optional<Status> wanted(const std::string& function) {
  auto& statuses = machine().statuses[function];
  if (statuses.empty()) return std::nullopt;
  const Status status = statuses.back();
  statuses.pop_back();
  return status;
}

// Of a call that needs a context.
std::optional<Status> refused(const std::string& function) {
  if (contexts_here.empty()) return 201;
  return wanted(function);
}

void note(std::string call) {
  machine().calls.push_back(std::move(call));
}

template <class Id, class T>
Status make(Id* id, T* object) {
  *id = reinterpret_cast<Id>(object);
  ++machine().n_objects;
  return 0;
}

}  // namespace

EXPORTED CudaStandIn* cuda_stand_in() {
  return &machine();
}

EXPORTED Status cuInit(std::uint32_t) {
  const Lock lock(machine().mutex);
  return wanted("cuInit").value_or(0);
}
// NVRTC asks the driver for tables of functions that are not documented, and does without.
EXPORTED Status cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return 500;
}
EXPORTED Status cuDriverGetVersion(std::int32_t* version) {
  *version = machine().driver_version;
  return 0;
}
EXPORTED Status cuGetErrorName(Status status, const char** name) {
  *name = status == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OF_STAND_IN";
  return 0;
}
EXPORTED Status cuGetErrorString(Status status, const char** text) {
  *text = status == 700 ? "an illegal memory access was encountered" : "as the test wants";
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
    default: return 1;
  }
  return 0;
}
EXPORTED Status cuDeviceTotalMem_v2(std::size_t* bytes, DeviceId) {
  *bytes = machine().memory;
  return 0;
}

EXPORTED Status cuDevicePrimaryCtxRetain(ContextId* id, DeviceId device) {
  const Lock lock(machine().mutex);
  if (const auto status = wanted("cuDevicePrimaryCtxRetain")) return *status;
  return make(id, &primary_contexts().try_emplace(device, device).first->second);
}
EXPORTED Status cuDevicePrimaryCtxRelease_v2(DeviceId) {
  const Lock lock(machine().mutex);
  --machine().n_objects;
  return 0;
}
EXPORTED Status cuCtxPushCurrent_v2(ContextId id) {
  contexts_here.push_back(id);
  return 0;
}
EXPORTED Status cuCtxPopCurrent_v2(ContextId* id) {
  *id = contexts_here.back();
  contexts_here.pop_back();
  return 0;
}
EXPORTED Status cuCtxGetCurrent(ContextId* id) {
  *id = contexts_here.empty() ? nullptr : contexts_here.back();
  return 0;
}
EXPORTED Status cuCtxGetDevice(DeviceId* device) {
  if (contexts_here.empty()) return 201;
  *device = *reinterpret_cast<const DeviceId*>(contexts_here.back());
  return 0;
}

EXPORTED Status cuMemAlloc_v2(Address* to, std::size_t bytes) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuMemAlloc")) return *status;
  if (machine().used + bytes > machine().memory) return value::out_of_memory;
  machine().used += bytes;
  auto* const memory = new std::byte[bytes]();
  blocks()[reinterpret_cast<Address>(memory)] = bytes;
  note(fmt::format("allocate {}", bytes));
  return make(to, memory);
}
EXPORTED Status cuMemFree_v2(Address address) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuMemFree")) return *status;
  finish_everything();
  const auto block = blocks().find(address);
  if (block == blocks().end()) return 1;
  machine().used -= block->second;
  note(fmt::format("free {}", block->second));
  blocks().erase(block);
  delete[] reinterpret_cast<std::byte*>(address);
  --machine().n_objects;
  return 0;
}
EXPORTED Status cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuMemGetInfo")) return *status;
  *free = machine().memory - machine().used;
  *total = machine().memory;
  return 0;
}
EXPORTED Status cuMemGetAddressRange_v2(Address* start, std::size_t* bytes, Address address) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuMemGetAddressRange")) return *status;
  auto block = blocks().upper_bound(address);
  if (block == blocks().begin()) return 1;
  --block;
  if (address >= block->first + block->second) return 1;
  *start = block->first;
  *bytes = block->second;
  return 0;
}
EXPORTED Status cuMemHostAlloc(void** to, std::size_t bytes, std::uint32_t) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuMemHostAlloc")) return *status;
  return make(to, new std::byte[bytes]);
}
EXPORTED Status cuMemFreeHost(void* memory) {
  const Lock lock(machine().mutex);
  delete[] static_cast<std::byte*>(memory);
  --machine().n_objects;
  return 0;
}

EXPORTED Status cuStreamCreate(StreamId* id, std::uint32_t) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuStreamCreate")) return *status;
  auto* const stream = new Stream;
  streams().push_back(stream);
  stream->number = static_cast<int>(streams().size());
  stream->context = contexts_here.back();
  return make(id, stream);
}
EXPORTED Status cuStreamDestroy_v2(StreamId id) {
  const Lock lock(machine().mutex);
  finish_everything();
  std::erase(streams(), stream_of(id));
  delete stream_of(id);
  --machine().n_objects;
  return 0;
}
EXPORTED Status cuStreamGetCtx(StreamId id, ContextId* context) {
  const Lock lock(machine().mutex);
  *context = stream_of(id)->context;
  return 0;
}
EXPORTED Status cuStreamSynchronize(StreamId id) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuStreamSynchronize")) return *status;
  stream_of(id)->run_until(stream_of(id)->n_enqueued);
  return 0;
}
EXPORTED Status cuStreamWaitEvent(StreamId id, EventId event, std::uint32_t) {
  const Lock lock(machine().mutex);
  Stream* const other = event_of(event)->stream;
  const std::uint64_t number = event_of(event)->number;
  note(fmt::format("stream {} waits for {}", stream_of(id)->number, other == nullptr ? 0 : other->number));
  if (other != nullptr) stream_of(id)->enqueue([other, number] { other->run_until(number); });
  return 0;
}
EXPORTED Status cuEventCreate(EventId* id, std::uint32_t) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuEventCreate")) return *status;
  return make(id, new Event);
}
EXPORTED Status cuEventDestroy_v2(EventId id) {
  const Lock lock(machine().mutex);
  delete event_of(id);
  --machine().n_objects;
  return 0;
}
EXPORTED Status cuEventRecord(EventId id, StreamId stream) {
  const Lock lock(machine().mutex);
  *event_of(id) = {stream_of(stream), stream_of(stream)->n_enqueued};
  return 0;
}
EXPORTED Status cuEventSynchronize(EventId id) {
  const Lock lock(machine().mutex);
  const Event event = *event_of(id);
  if (event.stream != nullptr) event.stream->run_until(event.number);
  return 0;
}

EXPORTED Status cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, StreamId stream) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuMemcpyHtoDAsync")) return *status;
  note(fmt::format("upload {} on {}", bytes, stream_of(stream)->number));
  stream_of(stream)->enqueue([=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
  return 0;
}
EXPORTED Status cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, StreamId stream) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuMemcpyDtoHAsync")) return *status;
  note(fmt::format("download {} on {}", bytes, stream_of(stream)->number));
  stream_of(stream)->enqueue([=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
  return 0;
}
EXPORTED Status cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, StreamId stream) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuMemcpyDtoDAsync")) return *status;
  note(fmt::format("copy {} on {}", bytes, stream_of(stream)->number));
  stream_of(stream)->enqueue(
      [=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
  return 0;
}
EXPORTED Status cuMemsetD8Async(Address to, unsigned char value, std::size_t bytes, StreamId stream) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuMemsetD8Async")) return *status;
  stream_of(stream)->enqueue([=] { std::memset(reinterpret_cast<void*>(to), value, bytes); });
  return 0;
}

EXPORTED Status cuModuleLoadData(ModuleId* id, const void* image) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuModuleLoadData")) return *status;
  // Of real code, which NVRTC makes, the beginning.
  const std::string text = static_cast<const char*>(image);
  if (!text.starts_with("stand-in ") && !text.starts_with("\177ELF")) return 200;
  note("load " + text.substr(0, text.find('\n')));
  return make(id, new Code{text});
}
EXPORTED Status cuModuleUnload(ModuleId id) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuModuleUnload")) return *status;
  delete reinterpret_cast<Code*>(id);
  --machine().n_objects;
  return 0;
}
EXPORTED Status cuModuleGetFunction(FunctionId* id, ModuleId code, const char* name) {
  const Lock lock(machine().mutex);
  const std::string& text = reinterpret_cast<Code*>(code)->text;
  if (text.starts_with("stand-in ") && text.find(std::string(" ") + name + "(") == std::string::npos)
    return 500;
  *id = reinterpret_cast<FunctionId>(&*machine().functions.try_emplace(name).first);
  return 0;
}

namespace {

std::pair<const std::string, CudaStandIn::Function>& function_of(FunctionId id) {
  return *reinterpret_cast<std::pair<const std::string, CudaStandIn::Function>*>(id);
}

}  // namespace

EXPORTED Status cuFuncGetAttribute(std::int32_t* to, Attribute attribute, FunctionId id) {
  const Lock lock(machine().mutex);
  const CudaStandIn::Function& function = function_of(id).second;
  switch (attribute) {
    case value::function_threads_of_block: *to = function.most_threads; break;
    case value::function_shared_bytes: *to = function.shared_bytes; break;
    case value::function_thread_bytes: *to = function.thread_bytes; break;
    case value::function_registers: *to = function.registers; break;
    default: return 1;
  }
  return 0;
}
EXPORTED Status cuFuncSetAttribute(FunctionId id, Attribute attribute, std::int32_t number) {
  const Lock lock(machine().mutex);
  if (attribute != value::function_shared_bytes_at_launch) return 1;
  note(fmt::format("{} may have {} shared bytes", function_of(id).first, number));
  return 0;
}
EXPORTED Status cuOccupancyMaxActiveBlocksPerMultiprocessor(std::int32_t* to, FunctionId id,
                                                            std::int32_t block_size, std::size_t) {
  const Lock lock(machine().mutex);
  *to = std::min(2048 / block_size, 65536 / (function_of(id).second.registers * block_size));
  return 0;
}
EXPORTED Status cuLaunchKernel(FunctionId id, std::uint32_t grid, std::uint32_t grid_y, std::uint32_t grid_z,
                               std::uint32_t block, std::uint32_t block_y, std::uint32_t block_z,
                               std::uint32_t shared, StreamId stream, void** arguments, void**) {
  const Lock lock(machine().mutex);
  if (const auto status = refused("cuLaunchKernel")) return *status;
  if (grid == 0 || block == 0 || grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1) return 1;
  const auto& [name, function] = function_of(id);
  note(fmt::format("launch {} of {} times {} on {}", name, grid, block, stream_of(stream)->number));
  if (!function.body) return 0;
  std::vector<std::uint64_t> copies(function.n_arguments);  // as the driver does when it is called
  for (std::size_t i = 0; i < copies.size(); ++i) std::memcpy(&copies[i], arguments[i], sizeof copies[i]);
  stream_of(stream)->enqueue([=, body = function.body]() mutable {
    std::vector<void*> pointers;
    for (std::uint64_t& copy : copies) pointers.push_back(&copy);
    body({grid, block, shared, pointers.data()});
  });
  return 0;
}

// NVRTC.

namespace {

struct Source {
  std::string text, code, log;
};
int n_compiling = 0;
std::condition_variable_any compiling_changed;

void give(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
}

}  // namespace

EXPORTED Status nvrtcVersion(std::int32_t* major, std::int32_t* minor) {
  *major = machine().nvrtc_version / 1000;
  *minor = machine().nvrtc_version % 1000 / 10;
  return 0;
}
EXPORTED const char* nvrtcGetErrorString(Status status) {
  return status == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_OF_STAND_IN";
}
EXPORTED Status nvrtcGetNumSupportedArchs(std::int32_t* n) {
  *n = static_cast<std::int32_t>(machine().capabilities.size());
  return 0;
}
EXPORTED Status nvrtcGetSupportedArchs(std::int32_t* to) {
  std::copy(machine().capabilities.begin(), machine().capabilities.end(), to);
  return 0;
}
EXPORTED Status nvrtcCreateProgram(void** program, const char* text, const char*, std::int32_t,
                                   const char* const*, const char* const*) {
  *program = new Source{text, {}, {}};
  return 0;
}
EXPORTED Status nvrtcDestroyProgram(void** program) {
  delete static_cast<Source*>(*program);
  return 0;
}
EXPORTED Status nvrtcCompileProgram(void* program, std::int32_t n, const char* const* options) {
  Source& source = *static_cast<Source*>(program);
  Lock lock(machine().mutex);
  machine().options.assign(options, options + n);
  machine().most_compilations_at_once = std::max(machine().most_compilations_at_once, ++n_compiling);
  compiling_changed.notify_all();
  compiling_changed.wait_for(lock, std::chrono::seconds(5), [] {
    return machine().most_compilations_at_once >= machine().compilations_at_once;
  });
  --n_compiling;
  if (source.text.find("undeclared") != std::string::npos) {
    source.log = "kernel.cu(1): error: identifier \"undeclared\" is undefined";
    return 6;
  }
  const std::string architecture = machine().options.at(0);
  source.code =
      fmt::format("stand-in code for {}\n{}", architecture.substr(architecture.find('=') + 1), source.text);
  return wanted("nvrtcCompileProgram").value_or(0);
}
EXPORTED Status nvrtcGetProgramLogSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<Source*>(program)->log.size() + 1;
  return 0;
}
EXPORTED Status nvrtcGetProgramLog(void* program, char* to) {
  give(static_cast<Source*>(program)->log, to);
  return 0;
}
EXPORTED Status nvrtcGetPTXSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<Source*>(program)->code.size() + 1;
  return 0;
}
EXPORTED Status nvrtcGetPTX(void* program, char* to) {
  give(static_cast<Source*>(program)->code, to);
  return 0;
}
EXPORTED Status nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  return nvrtcGetPTXSize(program, bytes);
}
EXPORTED Status nvrtcGetCUBIN(void* program, char* to) {
  return nvrtcGetPTX(program, to);
}
