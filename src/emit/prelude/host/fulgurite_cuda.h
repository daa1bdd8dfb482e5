/* What all functions that Fulgurite emits as CUDA have in common: arrays in a device's memory, and how a call runs. Version 1. */
#ifndef FULGURITE_CUDA_H
#define FULGURITE_CUDA_H

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "fulgurite_c.h"

#define FULGURITE_CUDA_VERSION 1

/* What functions throw that are called without a gpu_call: the words, the status, and the line of the program. */
class gpu_error : public std::runtime_error {
 public:
  explicit gpu_error(const fg_error& error) : std::runtime_error(error.text), error_(error) {}
  fg_status status() const noexcept { return error_.status; }
  const char* file() const noexcept { return error_.file; }
  int line() const noexcept { return error_.line; }

 private:
  fg_error error_;
};

/* How a call runs: on which stream, with which memory for intermediate arrays. What fits into the workspace, which the caller keeps
   until the stream is done with it, takes no other memory; else `allocate` is asked, or cudaMallocAsync. A function that is called
   with this returns its status; without, or with a stream, it throws gpu_error. */
struct gpu_call {
  cudaStream_t stream = nullptr;
  fg_error* error = nullptr; /* nullptr: only the status is wanted */
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  cudaError_t (*allocate)(void* memory, void** block, std::size_t bytes, cudaStream_t stream) = nullptr;
  void (*release)(void* memory, void* block, cudaStream_t stream) = nullptr;
  void* memory = nullptr;
};

/* A dense row-major array of N axes in a device's memory, which it owns, or which is somebody else's (a view). As the result of a
   call it gets the result's extents, and, if it owns its memory, more of it where it has too little. */
template <class T, int N>
class gpu_nd {
  static_assert(N >= 1, "scalars are no arrays");

 public:
  gpu_nd() noexcept = default;
  /* Of these extents, its elements uninitialised. Throws gpu_error. */
  template <class... Extents>
  explicit gpu_nd(std::int64_t first, Extents... others) {
    const std::int64_t size[] = {first, static_cast<std::int64_t>(others)...};
    set(size);
    check(reserve(this->size()));
  }
  /* Of memory that stays somebody else's, with room for these extents. */
  template <class... Extents>
  static gpu_nd view(T* data, std::int64_t first, Extents... others) {
    gpu_nd array;
    const std::int64_t size[] = {first, static_cast<std::int64_t>(others)...};
    array.set(size);
    array.data_ = data;
    array.capacity_ = array.size();
    return array;
  }
  template <class... Extents>
  static const gpu_nd view(const T* data, std::int64_t first, Extents... others) {
    return view(const_cast<T*>(data), first, others...);
  }
  /* Of memory that cudaMalloc gave, and that the array frees. */
  template <class... Extents>
  static gpu_nd adopt(T* data, std::int64_t first, Extents... others) {
    gpu_nd array = view(data, first, others...);
    array.owns_ = true;
    return array;
  }

  gpu_nd(gpu_nd&& other) noexcept { swap(other); }
  gpu_nd& operator=(gpu_nd&& other) noexcept {
    swap(other);
    return *this;
  }
  gpu_nd(const gpu_nd&) = delete;
  gpu_nd& operator=(const gpu_nd&) = delete;
  ~gpu_nd() {
    if (owns_) (void)cudaFree(data_);
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::int64_t size() const noexcept {
    std::int64_t n = 1;
    for (const std::int64_t extent : size_) n *= extent;
    return n;
  }
  std::int64_t size(int axis) const noexcept { return size_[axis]; }
  std::int64_t capacity() const noexcept { return capacity_; }
  bool owns_memory() const noexcept { return owns_; }

  /* Room for n elements; those that were there are lost if it has less. Only of arrays that own their memory, or have none. */
  cudaError_t reserve(std::int64_t n) {
    if (n <= capacity_) return cudaSuccess;
    if (data_ != nullptr && !owns_) return cudaErrorInvalidValue;
    if (static_cast<std::uint64_t>(n) > (static_cast<std::uint64_t>(1) << 62) / sizeof(T)) return cudaErrorMemoryAllocation;
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, static_cast<std::size_t>(n) * sizeof(T));
    if (error != cudaSuccess) return error;
    if (owns_) (void)cudaFree(data_);
    data_ = static_cast<T*>(memory);
    capacity_ = n;
    owns_ = true;
    return cudaSuccess;
  }
  /* The extents, which have to fit into the capacity. */
  void set_size(const std::int64_t (&size)[N]) { set(size); }

  /* Waits for the copy, of size() elements. Throws gpu_error. */
  void copy_from(const T* host, cudaStream_t stream = nullptr) {
    check(cudaMemcpyAsync(data_, host, static_cast<std::size_t>(size()) * sizeof(T), cudaMemcpyHostToDevice, stream));
    check(cudaStreamSynchronize(stream));
  }
  void copy_to(T* host, cudaStream_t stream = nullptr) const {
    check(cudaMemcpyAsync(host, data_, static_cast<std::size_t>(size()) * sizeof(T), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
  }

 private:
  template <int M>
  void set(const std::int64_t (&size)[M]) {
    static_assert(M == N, "one extent for each axis");
    for (int k = 0; k < N; ++k) size_[k] = size[k];
  }
  void swap(gpu_nd& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(owns_, other.owns_);
    for (int k = 0; k < N; ++k) std::swap(size_[k], other.size_[k]);
  }
  static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fg_error failure = {error == cudaErrorMemoryAllocation ? FG_MEMORY : FG_DEVICE, 0, "", {}};
    const char* text = cudaGetErrorString(error);
    for (std::size_t k = 0; k + 1 < sizeof failure.text && text[k] != 0; ++k) failure.text[k] = text[k];
    throw gpu_error(failure);
  }

  T* data_ = nullptr;
  std::int64_t capacity_ = 0;
  std::int64_t size_[N] = {};
  bool owns_ = false;
};

template <class T>
using gpu_array = gpu_nd<T, 1>;
template <class T>
using gpu_matrix = gpu_nd<T, 2>;

#endif
