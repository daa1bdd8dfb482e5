// As much of CUDA's driver interface as the engine uses, declared from its documentation, and the library
// that has it: the driver's own, opened when a program first asks for CUDA. Nothing of CUDA is needed to
// build Fulgurite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace fulgurite::runtime::cuda {

using DeviceId = std::int32_t;
using ContextId = struct ContextObject*;
using StreamId = struct StreamObject*;
using EventId = struct EventObject*;
using ModuleId = struct ModuleObject*;
using FunctionId = struct FunctionObject*;
using Address = std::uint64_t;  // in the device's memory
using Status = std::int32_t;    // 0, or the number of an error
using Attribute = std::int32_t;

// Values that the interface fixes.
namespace value {
inline constexpr Status success = 0, out_of_memory = 2, no_device = 100;
inline constexpr Attribute device_max_threads_of_block = 1, device_multiprocessors = 16, device_l2_cache = 38,
                           device_threads_of_multiprocessor = 39, device_capability_major = 75,
                           device_capability_minor = 76, device_shared_bytes_of_block_at_launch = 97;
inline constexpr Attribute function_threads_of_block = 0, function_shared_bytes = 1,
                           function_thread_bytes = 3, function_registers = 4,
                           function_shared_bytes_at_launch = 8;
inline constexpr std::uint32_t stream_non_blocking = 1, event_without_time = 2;
// Streams that exist in every context: what a null stream means, and what it means to code that is compiled
// for a default stream of each thread.
inline const StreamId stream_legacy = reinterpret_cast<StreamId>(1),
                      stream_per_thread = reinterpret_cast<StreamId>(2);
}  // namespace value

// The library's functions.
struct Driver {
  Status (*init)(std::uint32_t flags);
  Status (*get_version)(std::int32_t*);
  Status (*get_error_name)(Status, const char**);
  Status (*get_error_text)(Status, const char**);

  Status (*get_device_count)(std::int32_t*);
  Status (*get_device)(DeviceId*, std::int32_t number);
  Status (*get_device_name)(char*, std::int32_t bytes, DeviceId);
  Status (*get_device_attribute)(std::int32_t*, Attribute, DeviceId);
  Status (*get_device_memory)(std::size_t*, DeviceId);

  Status (*retain_primary_context)(ContextId*, DeviceId);
  Status (*release_primary_context)(DeviceId);
  Status (*push_context)(ContextId);
  Status (*pop_context)(ContextId*);
  Status (*get_current_context)(ContextId*);
  Status (*get_device_of_current_context)(DeviceId*);

  Status (*allocate)(Address*, std::size_t bytes);
  Status (*free)(Address);
  Status (*get_memory)(std::size_t* free, std::size_t* total);
  Status (*allocate_host)(void**, std::size_t bytes, std::uint32_t flags);
  Status (*free_host)(void*);

  Status (*get_address_range)(Address* start, std::size_t* bytes, Address);

  Status (*create_stream)(StreamId*, std::uint32_t flags);
  Status (*destroy_stream)(StreamId);
  Status (*synchronise_stream)(StreamId);
  Status (*get_context_of_stream)(StreamId, ContextId*);
  Status (*stream_waits_for)(StreamId, EventId, std::uint32_t flags);
  Status (*create_event)(EventId*, std::uint32_t flags);
  Status (*destroy_event)(EventId);
  Status (*record_event)(EventId, StreamId);
  Status (*synchronise_event)(EventId);

  Status (*copy_to_device)(Address, const void*, std::size_t bytes, StreamId);
  Status (*copy_to_host)(void*, Address, std::size_t bytes, StreamId);
  Status (*copy_on_device)(Address to, Address from, std::size_t bytes, StreamId);
  Status (*fill)(Address, unsigned char, std::size_t bytes, StreamId);

  Status (*load_module)(ModuleId*, const void* image);
  Status (*unload_module)(ModuleId);
  Status (*get_function)(FunctionId*, ModuleId, const char* name);
  Status (*get_function_attribute)(std::int32_t*, Attribute, FunctionId);
  Status (*set_function_attribute)(FunctionId, Attribute, std::int32_t);
  Status (*get_blocks_of_multiprocessor)(std::int32_t*, FunctionId, std::int32_t block_size,
                                         std::size_t shared_bytes_at_launch);
  Status (*launch)(FunctionId, std::uint32_t grid_x, std::uint32_t grid_y, std::uint32_t grid_z,
                   std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z,
                   std::uint32_t shared_bytes_at_launch, StreamId, void** arguments, void** extra);
};

// Opens `library`, which stays open until the process ends. Throws DeviceError if there is none, or if it
// lacks a function.
Driver load_driver(const std::string& library);

// The machine's driver, libcuda.so.1. One that could not be opened is tried again by the next call.
const Driver& driver();

// A stream, event or module, released by the library's function for it.
template <class T>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Status (*)(T)>;

// Unless `status` is success, throws OutOfMemory where that is the cause, else DeviceError. `what` says what
// was tried: "a download of 12 bytes".
void check(const Driver& driver, Status status, const std::string& what);

// In the driver's words: "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered".
std::string status_text(const Driver& driver, Status status);

}  // namespace fulgurite::runtime::cuda
