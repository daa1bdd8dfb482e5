/* What the sources of emitted CUDA functions run with: memory for the arrays of a call, launches, what failed. For these alone: their
   headers do not need it. Version 1. */
#ifndef FULGURITE_CUDA_RUN_H
#define FULGURITE_CUDA_RUN_H

#include <cstring>
#include <initializer_list>

#include "fulgurite_cuda.h"

#define FULGURITE_CUDA_RUN_VERSION 1
#define FG_INLINE inline

namespace fulgurite_run_1 {

using i32 = std::int32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using fg_caller = gpu_call;

//! failures.c
// The status of what CUDA answers.
FG_INLINE fg_status fg_cuda(const gpu_call* call, cudaError_t answer) {
  if (answer == cudaSuccess) return FG_OK;
  const fg_status status = answer == cudaErrorMemoryAllocation ? FG_MEMORY : FG_DEVICE;
  const fg_site site = {status, 0, "", cudaGetErrorString(answer)};
  return fg_fail(call, &site, 0, 0, nullptr);
}

FG_INLINE fg_status fg_refused(const gpu_call* call, fg_status status, const char* message) {
  const fg_site site = {status, 0, "", message};
  return fg_fail(call, &site, 0, 0, nullptr);
}

// Whether the extents can be, and lie within the memory.
template <class T, int N>
FG_INLINE fg_status fg_check_array(const gpu_call* call, const gpu_nd<T, N>& array) {
  i64 n = array.capacity();
  for (int k = 0; k < N; ++k) {
    if (array.size(k) < 0) return fg_refused(call, FG_ARGUMENT, "an array has a negative extent: give it the right one");
    if (array.size(k) == 0) return FG_OK;
    n /= array.size(k);
  }
  return n > 0 ? FG_OK : fg_refused(call, FG_ARGUMENT, "an array's extents are larger than its memory: give it the right ones");
}

// Whether the arrays of an array's components have the same extents.
template <class T, class U, int N>
FG_INLINE fg_status fg_check_component(const gpu_call* call, const gpu_nd<T, N>& first, const gpu_nd<U, N>& other) {
  for (int k = 0; k < N; ++k)
    if (first.size(k) != other.size(k))
      return fg_refused(call, FG_SHAPE, "the components of an array have different extents: give all the same");
  return FG_OK;
}

// Device memory that arrays of one call are in.
struct fg_block {
  unsigned char* data;
  i64 bytes;  // 0: this describes none
  i32 n_arrays;
  bool is_allocated;
};

struct fg_array {
  void* data;
  fg_block* block;  // null: the caller's memory, or none
  i64 bytes;        // as many as were allocated
  i64 size[8];
};

// One call. At its end what does not belong to the caller is given back, once the stream is done with it.
struct fg_run {
  const gpu_call* call;
  cudaStream_t stream;
  unsigned char* workspace = nullptr;  // what is left of it
  i64 workspace_bytes = 0;
  fg_block* const blocks;
  const int n_blocks;

  // `b`: more than twice as many as arrays live at once, all empty.
  template <int N>
  fg_run(const gpu_call* c, fg_block (&b)[N]) : call(c), stream(c->stream), blocks(b), n_blocks(N) {
    const i64 skipped = (i64)(-(uintptr_t)c->workspace & 255);
    const i64 bytes = (i64)c->workspace_bytes;
    if (c->workspace != nullptr && bytes > skipped) {
      workspace = (unsigned char*)c->workspace + skipped;
      workspace_bytes = (bytes - skipped) & ~(i64)255;
    }
  }
  ~fg_run() {
    for (int k = 0; k < n_blocks; ++k) give_back(&blocks[k]);
  }
  fg_run(const fg_run&) = delete;
  fg_run& operator=(const fg_run&) = delete;

  void give_back(fg_block* block) {
    if (block->is_allocated) {
      if (call->allocate != nullptr)
        call->release(call->memory, block->data, stream);
      else
        (void)cudaFreeAsync(block->data, stream);
    }
    *block = fg_block();
  }
};

FG_INLINE fg_status fg_take(fg_run* run, i64 bytes, fg_block** to) {
  const gpu_call* const call = run->call;
  bytes = bytes == 0 ? 256 : (bytes + 255) & ~(i64)255;
  fg_block *best = nullptr, *unused = nullptr;
  for (fg_block* b = run->blocks; b != run->blocks + run->n_blocks; ++b) {
    if (b->n_arrays > 0) continue;
    if (b->bytes >= bytes && (best == nullptr || b->bytes < best->bytes)) best = b;
    if (unused == nullptr || b->bytes < unused->bytes) unused = b;
  }
  if (best == nullptr) {
    best = unused;
    run->give_back(best);
    if (bytes <= run->workspace_bytes) {
      best->data = run->workspace;
      run->workspace += bytes;
      run->workspace_bytes -= bytes;
    } else {
      void* memory = nullptr;
      FG_TRY(fg_cuda(call, call->allocate != nullptr ? call->allocate(call->memory, &memory, (size_t)bytes, run->stream)
                                                     : cudaMallocAsync(&memory, (size_t)bytes, run->stream)));
      best->data = (unsigned char*)memory;
      best->is_allocated = true;
    }
    best->bytes = bytes;
  }
  best->n_arrays = 1;
  *to = best;
  return FG_OK;
}

// The next array that gets the memory is written later on the stream.
FG_INLINE void fg_release(fg_run*, fg_array* array) {
  if (array->block != nullptr) --array->block->n_arrays;
  array->data = nullptr;
  array->block = nullptr;
}

// Memory of a result's own where it may get some; one that gets none has to have enough when its elements are there.
template <class T, int N>
FG_INLINE fg_status fg_reserve(fg_run* run, const i64* size, gpu_nd<T, N>& result) {
  const i64 bytes = fg_bytes(sizeof(T), N, size);
  if (bytes < 0 || (result.data() != nullptr && !result.owns_memory())) return FG_OK;
  return fg_cuda(run->call, result.reserve(bytes / (i64)sizeof(T)));
}

// An array of this size, its elements uninitialised: in the caller's memory for a result, where that is given and large enough.
FG_INLINE fg_status fg_allocate(fg_run* run, fg_array* array, i64 element_bytes, i32 rank, const i64* size, void* place, i64 capacity) {
  const i64 bytes = fg_bytes(element_bytes, rank, size);
  if (bytes == -1) return FG_SHAPE;
  if (bytes < 0) return FG_MEMORY;
  fg_release(run, array);
  for (i32 k = 0; k < rank; ++k) array->size[k] = size[k];
  array->bytes = bytes;
  if (place != nullptr && bytes <= capacity * element_bytes) {
    array->data = place;
    return FG_OK;
  }
  FG_TRY(fg_take(run, bytes, &array->block));
  array->data = array->block->data;
  return FG_OK;
}

FG_INLINE void fg_share(fg_run* run, fg_array* to, const fg_array* from) {
  const fg_array shared = *from;
  if (shared.block != nullptr) ++shared.block->n_arrays;
  fg_release(run, to);
  *to = shared;
}

// Whether nobody else has the array's memory.
FG_INLINE bool fg_is_alone(const fg_array* array) { return array->block != nullptr && array->block->n_arrays == 1; }

FG_INLINE fg_status fg_copy(fg_run* run, void* to, const void* from, i64 bytes) {
  if (bytes == 0) return FG_OK;
  return fg_cuda(run->call, cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, run->stream));
}

// As kernels write it.
struct fg_failure {
  i32 lock, site;
  i64 element, value, bound, group;
  i64 more[14];
};

// Records of what launches found wrong, zeros while nothing is, in the device's memory: one for each launch until they are looked at.
struct fg_failures {
  enum { most = 32 };
  fg_failure* records = nullptr;
  fg_array memory = {};
  i32 n = 0;
};

// Waits until the launches have ended; of those that failed the first counts.
FG_INLINE fg_status fg_collect(fg_run* run, fg_failures* failures, const fg_site* sites) {
  fg_failure records[fg_failures::most];
  const i32 n = failures->n;
  const size_t bytes = (size_t)n * sizeof *records;
  if (n > 0) FG_TRY(fg_cuda(run->call, cudaMemcpyAsync(records, failures->records, bytes, cudaMemcpyDeviceToHost, run->stream)));
  FG_TRY(fg_cuda(run->call, cudaStreamSynchronize(run->stream)));
  failures->n = 0;
  for (i32 k = 0; k < n; ++k) {
    const fg_failure* const f = &records[k];
    if (f->site == 0) continue;
    const fg_site* const site = &sites[f->site - 1];
    i64 values[16] = {f->value, f->bound};
    for (i32 v = 0; v < 14; ++v) values[2 + v] = f->more[v];
    return fg_fail(run->call, site, f->group > 1 ? f->element / f->group : f->element, site->status == FG_SHAPE ? 16 : 2, values);
  }
  return FG_OK;
}

// For the next launch.
FG_INLINE fg_status fg_record(fg_run* run, fg_failures* failures, const fg_site* sites, fg_failure** record) {
  if (failures->n == fg_failures::most) FG_TRY(fg_collect(run, failures, sites));
  const i64 size[] = {fg_failures::most};
  if (failures->records == nullptr) {
    FG_TRY(fg_allocate(run, &failures->memory, sizeof(fg_failure), 1, size, nullptr, 0));
    failures->records = (fg_failure*)failures->memory.data;
  }
  if (failures->n == 0)
    FG_TRY(fg_cuda(run->call, cudaMemsetAsync(failures->records, 0, (size_t)size[0] * sizeof(fg_failure), run->stream)));
  *record = failures->records + failures->n++;
  return FG_OK;
}

// Waits for the stream.
FG_INLINE fg_status fg_fetch(fg_run* run, const void* from, void* to, size_t bytes) {
  FG_TRY(fg_cuda(run->call, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, run->stream)));
  return fg_cuda(run->call, cudaStreamSynchronize(run->stream));
}

FG_INLINE fg_status fg_set_flags(fg_run* run, fg_array* flags) {
  static const i32 begin[2] = {1, 0};
  return fg_cuda(run->call, cudaMemcpyAsync(flags->data, begin, sizeof begin, cudaMemcpyHostToDevice, run->stream));
}

template <class... P>
FG_INLINE fg_status fg_start(fg_run* run, const void* kernel, i64 blocks, unsigned threads, size_t shared, P... values) {
  void* arguments[] = {(void*)&values..., nullptr};
  return fg_cuda(run->call, cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(threads), arguments, shared, run->stream));
}

// The arguments become the kernel's parameters; pointers are of the type that it has them of.
template <class... P, class... A>
FG_INLINE fg_status fg_launch(fg_run* run, void (*kernel)(P...), i64 blocks, unsigned threads, size_t shared, A... arguments) {
  if (blocks <= 0) return FG_OK;
  if (blocks > 2147483647) return fg_refused(run->call, FG_SHAPE, "CUDA runs at most 2147483647 blocks at a time: use smaller arrays");
  return fg_start<P...>(run, (const void*)kernel, blocks, threads, shared, (P)arguments...);
}

// Lets blocks of a kernel share more than 48 KiB.
FG_INLINE fg_status fg_share_more(fg_run* run, const void* kernel, int bytes) {
  return fg_cuda(run->call, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

// A phase of a kernel: the threads of a block, and what they share if that is more than 48 KiB.
struct fg_phase {
  const void* kernel;
  int threads, shared;
};

// As many blocks of so many threads as run at once on the current device, as the registers and the shared memory of the phases allow; at
// least 1.
FG_INLINE i64 fg_resident(std::initializer_list<fg_phase> phases, int threads) {
  int device = 0, n_multiprocessors = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
    return 1;
  i64 least = 2147483647;
  for (const fg_phase& phase : phases) {
    int n = 0;
    if (phase.shared > 0) (void)cudaFuncSetAttribute(phase.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, phase.shared);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, phase.kernel, phase.threads, (size_t)phase.shared) != cudaSuccess) return 1;
    const i64 blocks = (i64)n * phase.threads / threads * n_multiprocessors;
    if (blocks < least) least = blocks;
  }
  return least < 1 ? 1 : least;
}

// The elements of a result to the caller, if they are not there yet.
template <class T, int N>
FG_INLINE fg_status fg_deliver(fg_run* run, const fg_array* array, gpu_nd<T, N>& result) {
  i64 n = 1;
  std::int64_t size[N];
  for (i32 k = 0; k < N; ++k) {
    size[k] = array->size[k];
    n *= array->size[k];
  }
  const bool is_view = result.data() != nullptr && !result.owns_memory();
  if (n > result.capacity() && is_view) {
    const i64 values[2] = {n, result.capacity()};
    const fg_site site = {FG_CAPACITY, 0, "", "a result has {0} elements, and there is memory for {1}: give it more"};
    return fg_fail(run->call, &site, 0, 2, values);
  }
  if (array->data != result.data()) {
    FG_TRY(fg_cuda(run->call, result.reserve(n)));
    FG_TRY(fg_copy(run, result.data(), array->data, n * (i64)sizeof(T)));
  }
  result.set_size(size);
  return FG_OK;
}

}  // namespace fulgurite_run_1

#undef FG_INLINE

#endif
