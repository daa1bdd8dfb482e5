// What emitted programs use of CUDA's runtime, over the driver and NVRTC that stand in for those of a device
// (../../runtime/cuda_stand_in): kernels are known by the addresses of functions of their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#define __global__
#define __device__
#define __launch_bounds__(...)

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
using cudaStream_t = struct CUstream_st*;
struct dim3 {
  unsigned x, y = 1, z = 1;
  explicit dim3(unsigned n) : x(n) {}
};

extern "C" {
int cuInit(std::uint32_t);
int cuDeviceGet(std::int32_t*, std::int32_t);
int cuDevicePrimaryCtxRetain(void**, std::int32_t);
int cuCtxPushCurrent_v2(void*);
int cuStreamCreate(void**, std::uint32_t);
int cuStreamSynchronize(void*);
int cuMemAlloc_v2(std::uint64_t*, std::size_t);
int cuMemFree_v2(std::uint64_t);
int cuMemHostAlloc(void**, std::size_t, std::uint32_t);
int cuMemFreeHost(void*);
int cuMemcpyHtoDAsync_v2(std::uint64_t, const void*, std::size_t, void*);
int cuMemcpyDtoHAsync_v2(void*, std::uint64_t, std::size_t, void*);
int cuMemcpyDtoDAsync_v2(std::uint64_t, std::uint64_t, std::size_t, void*);
int cuMemsetD8Async(std::uint64_t, unsigned char, std::size_t, void*);
int cuModuleLoadData(void**, const void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuFuncSetAttribute(void*, std::int32_t, std::int32_t);
int cuDeviceGetAttribute(std::int32_t*, std::int32_t, std::int32_t);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(std::int32_t*, void*, std::int32_t, std::size_t);
int cuLaunchKernel(void*, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                   std::uint32_t, std::uint32_t, void*, void**, void**);
int cuGetErrorString(int, const char**);
int nvrtcCreateProgram(void**, const char*, const char*, std::int32_t, const char* const*,
                       const char* const*);
int nvrtcCompileProgram(void*, std::int32_t, const char* const*);
int nvrtcGetProgramLogSize(void*, std::size_t*);
int nvrtcGetProgramLog(void*, char*);
int nvrtcGetCUBINSize(void*, std::size_t*);
int nvrtcGetCUBIN(void*, char*);
}

namespace stand_in {

inline void expect(int answer, const char* what) {
  if (answer == 0) return;
  std::fprintf(stderr, "%s: %d\n", what, answer);
  std::abort();
}

struct Machine {
  void* stream = nullptr;  // the default one
  std::map<const void*, void*> functions;
  std::map<const void*, std::uint64_t> symbols;
  int n_allocations = 0;

  Machine() {
    std::int32_t device = 0;
    void* context = nullptr;
    expect(cuInit(0), "cuInit");
    expect(cuDeviceGet(&device, 0), "cuDeviceGet");
    expect(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    expect(cuCtxPushCurrent_v2(context), "cuCtxPushCurrent");
    expect(cuStreamCreate(&stream, 1), "cuStreamCreate");
  }
};
inline Machine& machine() {
  static Machine& the = *new Machine;
  return the;
}

struct Kernel {
  const void* address;
  const char* name;
};
// Compiles a file's kernels.
inline bool add(const char* text, const std::vector<Kernel>& kernels) {
  Machine& m = machine();
  if (kernels.empty()) return true;
  void *program = nullptr, *module = nullptr;
  const char* const options[] = {"--gpu-architecture=sm_90"};
  expect(nvrtcCreateProgram(&program, text, "", 0, nullptr, nullptr), "nvrtcCreateProgram");
  std::size_t bytes = 0;
  if (nvrtcCompileProgram(program, 1, options) != 0) {
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, ' ');
    nvrtcGetProgramLog(program, log.data());
    expect(1, log.c_str());
  }
  expect(nvrtcGetCUBINSize(program, &bytes), "nvrtcGetCUBINSize");
  std::string code(bytes, ' ');
  expect(nvrtcGetCUBIN(program, code.data()), "nvrtcGetCUBIN");
  expect(cuModuleLoadData(&module, code.data()), "cuModuleLoadData");
  for (const Kernel& kernel : kernels)
    expect(cuModuleGetFunction(&m.functions[kernel.address], module, kernel.name), kernel.name);
  return true;
}

inline void* of(cudaStream_t stream) {
  return stream == nullptr ? machine().stream : static_cast<void*>(stream);
}
inline cudaError_t answer(int status) {
  return static_cast<cudaError_t>(status);
}
inline std::uint64_t address(const void* memory) {
  return reinterpret_cast<std::uint64_t>(memory);
}

// By pages that the device may access, as CUDA copies what is not in such.
inline int upload(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  void* pages = nullptr;
  expect(cuMemHostAlloc(&pages, bytes, 0), "cuMemHostAlloc");
  std::memcpy(pages, from, bytes);
  int status = cuMemcpyHtoDAsync_v2(to, pages, bytes, stream);
  if (status == 0) status = cuStreamSynchronize(stream);
  cuMemFreeHost(pages);
  return status;
}
inline int download(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  void* pages = nullptr;
  expect(cuMemHostAlloc(&pages, bytes, 0), "cuMemHostAlloc");
  int status = cuMemcpyDtoHAsync_v2(pages, from, bytes, stream);
  if (status == 0) status = cuStreamSynchronize(stream);
  if (status == 0) std::memcpy(to, pages, bytes);
  cuMemFreeHost(pages);
  return status;
}

}  // namespace stand_in

inline const char* cudaGetErrorString(cudaError_t error) {
  const char* text = "";
  cuGetErrorString(error, &text);
  return text;
}
inline cudaError_t cudaMalloc(void** to, std::size_t bytes) {
  stand_in::Machine& m = stand_in::machine();
  ++m.n_allocations;
  std::uint64_t address = 0;
  const int status = cuMemAlloc_v2(&address, bytes == 0 ? 1 : bytes);
  *to = reinterpret_cast<void*>(address);
  return stand_in::answer(status);
}
inline cudaError_t cudaFree(void* memory) {
  return memory == nullptr ? cudaSuccess : stand_in::answer(cuMemFree_v2(stand_in::address(memory)));
}
inline cudaError_t cudaMallocAsync(void** to, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(to, bytes);
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  return cudaFree(memory);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  void* const on = stand_in::of(stream);
  if (bytes == 0) return cudaSuccess;
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return stand_in::answer(stand_in::upload(stand_in::address(to), from, bytes, on));
    case cudaMemcpyDeviceToHost:
      return stand_in::answer(stand_in::download(to, stand_in::address(from), bytes, on));
    case cudaMemcpyDeviceToDevice: break;
  }
  return stand_in::answer(cuMemcpyDtoDAsync_v2(stand_in::address(to), stand_in::address(from), bytes, on));
}
inline cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
  return stand_in::answer(
      cuMemsetD8Async(stand_in::address(to), static_cast<unsigned char>(byte), bytes, stand_in::of(stream)));
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return stand_in::answer(cuStreamSynchronize(stand_in::of(stream)));
}
inline cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return stand_in::answer(cuFuncSetAttribute(stand_in::machine().functions.at(kernel), attribute, value));
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* to, cudaDeviceAttr attribute, int device) {
  return stand_in::answer(cuDeviceGetAttribute(to, attribute, device));
}
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* to, const void* kernel, int threads,
                                                                 std::size_t shared) {
  return stand_in::answer(cuOccupancyMaxActiveBlocksPerMultiprocessor(
      to, stand_in::machine().functions.at(kernel), threads, shared));
}
inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  return stand_in::answer(cuLaunchKernel(stand_in::machine().functions.at(kernel), grid.x, grid.y, grid.z,
                                         block.x, block.y, block.z, static_cast<std::uint32_t>(shared),
                                         stand_in::of(stream), arguments, nullptr));
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** to, const T& symbol) {
  std::uint64_t& address = stand_in::machine().symbols[&symbol];
  if (address == 0) {
    stand_in::expect(cuMemAlloc_v2(&address, sizeof symbol), "cuMemAlloc");
    stand_in::expect(stand_in::upload(address, &symbol, sizeof symbol, stand_in::of(nullptr)), "a symbol");
  }
  *to = reinterpret_cast<void*>(address);
  return cudaSuccess;
}
