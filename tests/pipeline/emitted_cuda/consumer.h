// Calls emitted programs with arrays of the host.
#pragma once

#include "fulgurite_cuda.h"

struct Given {
  const void* data;  // an array's elements, or a scalar
  const std::int64_t* extents;
};
struct Wanted {
  void* data;  // of malloc; of a scalar: where it is wanted
  std::int64_t extents[8];
};

template <class T>
T scalar(const Given& given) {
  return *static_cast<const T*>(given.data);
}
template <class T, int N>
gpu_nd<T, N> array(const Given& given) {
  gpu_nd<T, N> made;
  std::int64_t size[N], n = 1;
  for (int k = 0; k < N; ++k) n *= size[k] = given.extents[k];
  if (made.reserve(n) != cudaSuccess) std::abort();
  made.set_size(size);
  made.copy_from(static_cast<const T*>(given.data));
  return made;
}
template <class T>
void take(const T& result, Wanted& wanted) {
  *static_cast<T*>(wanted.data) = result;
}
template <class T, int N>
void take(const gpu_nd<T, N>& result, Wanted& wanted) {
  for (int k = 0; k < N; ++k) wanted.extents[k] = result.size(k);
  wanted.data = std::malloc(static_cast<std::size_t>(result.size() + 1) * sizeof(T));
  result.copy_to(static_cast<T*>(wanted.data));
}
// Room for a result of which the size is known.
template <class T, int N>
void prepare(gpu_nd<T, N>& result, std::int64_t capacity) {
  if (capacity > 0 && result.reserve(capacity) != cudaSuccess) std::abort();
}

// Memory for intermediate arrays, and how often a call took other memory.
class Workspace {
 public:
  Workspace(std::int64_t bytes, fg_error* error) {
    call.error = error;
    if (bytes > 0 && cudaMalloc(&call.workspace, static_cast<std::size_t>(bytes)) != cudaSuccess)
      std::abort();
    call.workspace_bytes = bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
    before_ = stand_in::machine().n_allocations;
  }
  ~Workspace() { (void)cudaFree(call.workspace); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  int n_allocations() const { return stand_in::machine().n_allocations - before_; }
  gpu_call call;

 private:
  int before_ = 0;
};
