// What the host part of an emitted CUDA program is put together with (ahead/cuda_target.cpp); sections as in c.c.

//! fg_block
// Device memory that arrays of one call are in.
struct fg_block {
  fg_block* next;  // of those that are free
  unsigned char* data;
  i64 bytes;
  i32 n_arrays;
  bool is_allocated;
};

//! fg_array
struct fg_array {
  void* data;
  fg_block* block;  // null: the caller's memory, or none
  i64 bytes;        // as many as were allocated
  i64 size[FG_MOST_AXES];
};

//! fg_run
// One call.
struct fg_run {
  const gpu_call* call;
  cudaStream_t stream;
  unsigned char* workspace;  // what is left of it
  i64 workspace_bytes;
  fg_block* free;     // of the workspace
  fg_block* blocks;   // all descriptions
  i32 n_blocks, most_blocks;
  fg_failure* failures;  // records of launches
  i32 n_failures;
};

//! fg_cuda
// The status of an error of CUDA.
static fg_status fg_cuda(const gpu_call* call, cudaError_t error) {
  if (error == cudaSuccess) return FG_OK;
  const fg_status status = error == cudaErrorMemoryAllocation ? FG_MEMORY : FG_DEVICE;
  const fg_site site = {status, 0, "", cudaGetErrorString(error)};
  return fg_fail(call, &site, 0, 0, 0);
}

//! fg_begin
static void fg_begin(fg_run* run, const gpu_call* call) {
  memset(run, 0, sizeof *run);
  run->call = call;
  run->stream = call->stream;
  const i64 skipped = (i64)(-(uintptr_t)call->workspace & 255);
  const i64 bytes = (i64)call->workspace_bytes;
  if (call->workspace != 0 && bytes > skipped) {
    run->workspace = (unsigned char*)call->workspace + skipped;
    run->workspace_bytes = (bytes - skipped) & ~(i64)255;
  }
}

//! fg_take
static fg_status fg_take(fg_run* run, i64 bytes, fg_block** to) {
  const gpu_call* const call = run->call;
  bytes = bytes == 0 ? 256 : (bytes + 255) & ~(i64)255;
  fg_block** best = 0;
  for (fg_block** b = &run->free; *b != 0; b = &(*b)->next)
    if ((*b)->bytes >= bytes && (best == 0 || (*b)->bytes < (*best)->bytes)) best = b;
  if (best != 0) {
    *to = *best;
    *best = (*to)->next;
  } else {
    fg_block* const block = (fg_block*)calloc(1, sizeof(fg_block));
    if (block == 0) return FG_MEMORY;
    block->bytes = bytes;
    if (bytes <= run->workspace_bytes) {
      block->data = run->workspace;
      run->workspace += bytes;
      run->workspace_bytes -= bytes;
    } else {
      void* memory = 0;
      const cudaError_t error = call->allocate != 0 ? call->allocate(call->memory, &memory, (size_t)bytes, run->stream)
                                                    : cudaMallocAsync(&memory, (size_t)bytes, run->stream);
      if (error != cudaSuccess) {
        free(block);
        return fg_cuda(call, error);
      }
      block->data = (unsigned char*)memory;
      block->is_allocated = true;
    }
    *to = block;
  }
  (*to)->next = 0;
  (*to)->n_arrays = 1;
  return FG_OK;
}

//! fg_release
static void fg_release(fg_run* run, fg_array* array) {
  fg_block* const block = array->block;
  array->data = 0;
  array->block = 0;
  if (block == 0 || --block->n_arrays > 0) return;
  block->next = run->free;  // whoever gets it next comes later on the stream
  run->free = block;
}

//! fg_end
// Gives back what does not belong to the caller's workspace.
static void fg_end(fg_run* run) {
  const gpu_call* const call = run->call;
  while (run->free != 0) {
    fg_block* const block = run->free;
    run->free = block->next;
    if (block->is_allocated) {
      if (call->allocate != 0)
        call->release(call->memory, block->data, run->stream);
      else
        (void)cudaFreeAsync(block->data, run->stream);
    }
    free(block);
  }
}

//! fg_bytes
// Of an array; negative: the size cannot be.
static i64 fg_bytes(i64 element_bytes, i32 rank, const i64* size) {
  i64 bytes = element_bytes;
  for (i32 k = 0; k < rank; ++k) {
    if (size[k] < 0) return -1;
    if (size[k] == 0) bytes = 0;
  }
  if (bytes == 0) return 0;
  for (i32 k = 0; k < rank; ++k) {
    if (bytes > ((i64)1 << 62) / size[k]) return -2;
    bytes *= size[k];
  }
  return bytes;
}

//! fg_allocate
// An array of this size, its elements uninitialised: in the caller's memory for a result, where that is given and large enough.
static fg_status fg_allocate(fg_run* run, fg_array* array, i64 element_bytes, i32 rank, const i64* size, void* place, i64 capacity) {
  const i64 bytes = fg_bytes(element_bytes, rank, size);
  if (bytes == -1) return FG_SHAPE;
  if (bytes < 0) return FG_MEMORY;
  fg_release(run, array);
  for (i32 k = 0; k < rank; ++k) array->size[k] = size[k];
  array->bytes = bytes;
  if (place != 0 && bytes <= capacity * element_bytes) {
    array->data = place;
    return FG_OK;
  }
  FG_TRY(fg_take(run, bytes, &array->block));
  array->data = array->block->data;
  return FG_OK;
}

//! fg_share
static void fg_share(fg_run* run, fg_array* to, const fg_array* from) {
  const fg_array shared = *from;
  if (shared.block != 0) ++shared.block->n_arrays;
  fg_release(run, to);
  *to = shared;
}

//! fg_is_alone
// Whether nobody else has the array's memory.
static bool fg_is_alone(const fg_array* array) { return array->block != 0 && array->block->n_arrays == 1; }

//! fg_copy
static fg_status fg_copy(fg_run* run, void* to, const void* from, i64 bytes) {
  if (bytes == 0) return FG_OK;
  return fg_cuda(run->call, cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, run->stream));
}

//! fg_wait
// Until the launches have ended; of those that failed the first counts.
static fg_status fg_wait(fg_run* run, const fg_site* sites) {
  fg_failure records[FG_MOST_FAILURES];
  const i32 n = run->n_failures;
  if (n > 0)
    FG_TRY(fg_cuda(run->call, cudaMemcpyAsync(records, run->failures, (size_t)n * sizeof *records, cudaMemcpyDeviceToHost, run->stream)));
  FG_TRY(fg_cuda(run->call, cudaStreamSynchronize(run->stream)));
  run->n_failures = 0;
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

//! fg_next_failure
// A record of zeros for the next launch that can fail.
static fg_status fg_next_failure(fg_run* run, const fg_site* sites, fg_array* memory, fg_failure** record) {
  if (run->n_failures == FG_MOST_FAILURES) FG_TRY(fg_wait(run, sites));
  if (run->failures == 0) {
    const i64 size[] = {FG_MOST_FAILURES};
    FG_TRY(fg_allocate(run, memory, sizeof(fg_failure), 1, size, 0, 0));
    run->failures = (fg_failure*)memory->data;
  }
  *record = run->failures + run->n_failures++;
  return fg_cuda(run->call, cudaMemsetAsync(*record, 0, sizeof(fg_failure), run->stream));
}

//! fg_fetch
static fg_status fg_fetch(fg_run* run, const fg_site* sites, const void* from, void* to, size_t bytes) {
  FG_TRY(fg_cuda(run->call, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, run->stream)));
  return fg_wait(run, sites);
}

//! fg_set_flags
static fg_status fg_set_flags(fg_run* run, fg_array* flags) {
  static const i32 begin[2] = {1, 0};
  return fg_cuda(run->call, cudaMemcpyAsync(flags->data, begin, sizeof begin, cudaMemcpyHostToDevice, run->stream));
}

//! fg_launch_phase
static fg_status fg_launch_phase(fg_run* run, const void* kernel, i64 blocks, unsigned threads, size_t shared, void** arguments) {
  if (blocks <= 0) return FG_OK;
  if (blocks > 2147483647) return FG_SHAPE;
  if (shared > 0) FG_TRY(fg_cuda(run->call, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared)));
  return fg_cuda(run->call, cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(threads), arguments, shared, run->stream));
}

//! fg_deliver
// The elements of a result to the caller, if they are not there yet.
template <class T, int N>
static fg_status fg_deliver(fg_run* run, const fg_array* array, gpu_nd<T, N>& result) {
  i64 n = 1;
  std::int64_t size[N];
  for (i32 k = 0; k < N; ++k) {
    size[k] = array->size[k];
    n *= array->size[k];
  }
  if (array->data == result.data() && n <= result.capacity()) {
    result.set_size(size);
    return FG_OK;
  }
  if (!result.resize(size, run->stream)) {
    const i64 values[2] = {n, result.capacity()};
    const fg_site site = {FG_CAPACITY, 0, "", "a result has {0} elements, and there is memory for {1}: give it more"};
    return fg_fail(run->call, &site, 0, 2, values);
  }
  return fg_copy(run, result.data(), array->data, n * (i64)sizeof(T));
}
