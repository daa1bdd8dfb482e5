// As much of OpenCL 1.2 as the engine uses, declared from the specification, and the library that has it: the
// ICD loader, opened when a program first asks for OpenCL. Nothing of OpenCL is needed to build Fulgurite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace fulgurite::runtime::opencl {

using PlatformId = struct PlatformObject*;
using DeviceId = struct DeviceObject*;
using Context = struct ContextObject*;
using Queue = struct QueueObject*;
using Buffer = struct BufferObject*;
using Program = struct ProgramObject*;
using KernelId = struct KernelObject*;
using Event = struct EventObject*;

using Status = std::int32_t;    // cl_int: 0, or the number of an error
using Bits = std::uint64_t;     // cl_bitfield
using Name = std::uint32_t;     // of a property that is asked for
using Boolean = std::uint32_t;  // cl_bool
using Property = std::intptr_t;

// Values that the specification fixes, under its names without CL_.
namespace value {
inline constexpr Status success = 0, mem_object_allocation_failure = -4, out_of_host_memory = -6,
                        platform_not_found_khr = -1001;
inline constexpr Bits device_type_gpu = 1 << 2, device_type_all = 0xFFFFFFFF;
inline constexpr Bits mem_read_write = 1 << 0;
inline constexpr Bits fp_correctly_rounded_divide_sqrt = 1 << 7;
inline constexpr Name platform_version = 0x0901, platform_name = 0x0902;
inline constexpr Name device_type = 0x1000, device_max_compute_units = 0x1002,
                      device_max_mem_alloc_size = 0x1010, device_mem_base_addr_align = 0x1019,
                      device_single_fp_config = 0x101B, device_global_mem_cache_size = 0x101E,
                      device_global_mem_size = 0x101F, device_local_mem_size = 0x1023,
                      device_available = 0x1027, device_compiler_available = 0x1028, device_name = 0x102B,
                      driver_version = 0x102D, device_version = 0x102F,
                      device_native_vector_width_char = 0x1036, device_atomic_fence_capabilities = 0x1064;
inline constexpr Bits device_atomic_order_acq_rel = 1 << 1, device_atomic_scope_device = 1 << 5;
inline constexpr Name queue_context = 0x1090, queue_device = 0x1091, queue_properties = 0x1093;
inline constexpr Bits queue_out_of_order = 1 << 0;
inline constexpr Name buffer_size = 0x1102, buffer_context = 0x1106;
inline constexpr Name program_binary_sizes = 0x1165, program_binaries = 0x1166, program_build_log = 0x1183;
inline constexpr Name kernel_work_group_size = 0x11B0;
inline constexpr Name buffer_create_type_region = 0x1220;
}  // namespace value

// cl_buffer_region: a part of a buffer.
struct Region {
  std::size_t origin, size;
};

// The library's functions. Arrays of events are waited for first; we use none, as our queue is in order.
struct Api {
  Status (*get_platform_ids)(std::uint32_t n, PlatformId*, std::uint32_t* n_found);
  Status (*get_platform_info)(PlatformId, Name, std::size_t bytes, void*, std::size_t* bytes_needed);
  Status (*get_device_ids)(PlatformId, Bits type, std::uint32_t n, DeviceId*, std::uint32_t* n_found);
  Status (*get_device_info)(DeviceId, Name, std::size_t bytes, void*, std::size_t* bytes_needed);

  Context (*create_context)(const Property*, std::uint32_t n, const DeviceId*,
                            void (*notify)(const char*, const void*, std::size_t, void*), void* user,
                            Status*);
  Status (*retain_context)(Context);
  Status (*release_context)(Context);
  Queue (*create_queue)(Context, DeviceId, Bits properties, Status*);
  Status (*retain_queue)(Queue);
  Status (*release_queue)(Queue);
  Status (*get_queue_info)(Queue, Name, std::size_t bytes, void*, std::size_t* bytes_needed);
  Status (*flush)(Queue);
  Status (*finish)(Queue);

  Buffer (*create_buffer)(Context, Bits flags, std::size_t bytes, void* from, Status*);
  Buffer (*create_sub_buffer)(Buffer, Bits flags, Name type, const void* region, Status*);
  Status (*retain_buffer)(Buffer);
  Status (*release_buffer)(Buffer);
  Status (*get_buffer_info)(Buffer, Name, std::size_t bytes, void*, std::size_t* bytes_needed);
  Status (*read_buffer)(Queue, Buffer, Boolean blocking, std::size_t offset, std::size_t bytes, void*,
                        std::uint32_t n, const Event*, Event*);
  Status (*write_buffer)(Queue, Buffer, Boolean blocking, std::size_t offset, std::size_t bytes, const void*,
                         std::uint32_t n, const Event*, Event*);
  Status (*copy_buffer)(Queue, Buffer from, Buffer to, std::size_t from_offset, std::size_t to_offset,
                        std::size_t bytes, std::uint32_t n, const Event*, Event*);
  Status (*fill_buffer)(Queue, Buffer, const void* pattern, std::size_t pattern_bytes, std::size_t offset,
                        std::size_t bytes, std::uint32_t n, const Event*, Event*);

  Program (*create_program_with_source)(Context, std::uint32_t n, const char**, const std::size_t*, Status*);
  Program (*create_program_with_binary)(Context, std::uint32_t n, const DeviceId*, const std::size_t*,
                                        const unsigned char**, Status* of_binaries, Status*);
  Status (*release_program)(Program);
  Status (*build_program)(Program, std::uint32_t n, const DeviceId*, const char* options,
                          void (*notify)(Program, void*), void* user);
  Status (*get_program_info)(Program, Name, std::size_t bytes, void*, std::size_t* bytes_needed);
  Status (*get_program_build_info)(Program, DeviceId, Name, std::size_t bytes, void*,
                                   std::size_t* bytes_needed);

  KernelId (*create_kernel)(Program, const char* name, Status*);
  Status (*release_kernel)(KernelId);
  Status (*set_kernel_arg)(KernelId, std::uint32_t index, std::size_t bytes, const void*);
  Status (*get_kernel_work_group_info)(KernelId, DeviceId, Name, std::size_t bytes, void*,
                                       std::size_t* bytes_needed);
  Status (*enqueue_nd_range_kernel)(Queue, KernelId, std::uint32_t dimensions, const std::size_t* offset,
                                    const std::size_t* n_items, const std::size_t* n_items_of_group,
                                    std::uint32_t n, const Event*, Event*);
};

// Opens `library`, which stays open until the process ends. Throws DeviceError if there is none, or if it
// lacks a function.
Api load_api(const std::string& library);

// That of the ICD loader, libOpenCL.so.1. One that could not be opened is tried again by the next call.
const Api& api();

// An OpenCL object, released by the library's function for it.
template <class T>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Status (*)(T)>;

// Unless `status` is success, throws OutOfMemory where that is the cause, else DeviceError. `what` says what
// was tried: "clEnqueueReadBuffer of 12 bytes".
void check(Status status, const std::string& what);

// The specification's name of an error, as far as people look it up: "CL_OUT_OF_RESOURCES (-5)".
std::string status_text(Status status);

}  // namespace fulgurite::runtime::opencl
