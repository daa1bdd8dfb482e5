// What the host part of an emitted C program is put together with (ahead/c_target.cpp). A section begins with "//! <word>", and is
// printed where that word stands in the program, or in a section that is printed; sections stand in the order of this file.

//! fg_block
// Memory that arrays of one call are in; it stands in front of them, and is a multiple of 64 bytes, as their sizes are.
typedef struct fg_block {
  struct fg_block* next;  // of those that are free
  i64 bytes;              // behind it
  i32 n_arrays;
  i32 is_heap;
} fg_block;

//! fg_array
typedef struct fg_array {
  void* data;
  fg_block* block;  // NULL: the caller's memory, or none
  i64 bytes;        // as many as were allocated
  i64 size[FG_MOST_AXES];
} fg_array;

//! fg_run
// One call.
typedef struct fg_run {
  const fg_call* call;
  unsigned char* workspace;  // what is left of it
  i64 workspace_bytes;
  fg_block* free;  // of the workspace
} fg_run;

//! fg_begin
static void fg_begin(fg_run* run, const fg_call* call, unsigned char* near, i64 near_bytes) {
  const int is_given = call != 0 && call->workspace != 0;
  unsigned char* const memory = is_given ? (unsigned char*)call->workspace : near;
  const i64 bytes = is_given ? (i64)call->workspace_bytes : near_bytes;
  const i64 skipped = (i64)(-(uintptr_t)memory & 63);
  run->call = call;
  run->workspace = memory + skipped;
  run->workspace_bytes = bytes > skipped ? (bytes - skipped) & ~(i64)63 : 0;
  run->free = 0;
}

//! fg_take
// NULL: there is no memory.
static fg_block* fg_take(fg_run* run, i64 bytes) {
  bytes = (bytes + 63) & ~(i64)63;
  fg_block** best = 0;
  for (fg_block** b = &run->free; *b != 0; b = &(*b)->next)
    if ((*b)->bytes >= bytes && (best == 0 || (*b)->bytes < (*best)->bytes)) best = b;
  fg_block* block;
  if (best != 0) {
    block = *best;
    *best = block->next;
  } else if (bytes <= run->workspace_bytes - 64) {
    block = (fg_block*)(void*)run->workspace;
    block->bytes = bytes;
    block->is_heap = 0;
    run->workspace += 64 + bytes;
    run->workspace_bytes -= 64 + bytes;
  } else {
    const size_t all = 64 + (size_t)bytes;
    const fg_call* const call = run->call;
    block = (fg_block*)(call != 0 && call->allocate != 0 ? call->allocate(call->memory, all) : aligned_alloc(64, all));
    if (block == 0) return 0;
    block->bytes = bytes;
    block->is_heap = 1;
  }
  block->next = 0;
  block->n_arrays = 1;
  return block;
}

//! fg_release
static void fg_release(fg_run* run, fg_array* array) {
  fg_block* const block = array->block;
  array->data = 0;
  array->block = 0;
  if (block == 0 || --block->n_arrays > 0) return;
  if (!block->is_heap) {
    block->next = run->free;
    run->free = block;
    return;
  }
  const fg_call* const call = run->call;
  if (call != 0 && call->allocate != 0)
    call->release(call->memory, block);
  else
    free(block);
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
  array->block = fg_take(run, bytes);
  if (array->block == 0) return FG_MEMORY;
  array->data = (unsigned char*)array->block + 64;
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
static int fg_is_alone(const fg_array* array) { return array->block != 0 && array->block->n_arrays == 1; }

//! fg_fetch
static fg_status fg_fetch(fg_run* run, const void* from, void* to, size_t bytes) {
  (void)run;
  memcpy(to, from, bytes);
  return FG_OK;
}

//! fg_set_flags
static fg_status fg_set_flags(fg_run* run, fg_array* flags) {
  const i32 begin[2] = {1, 0};
  (void)run;
  memcpy(flags->data, begin, sizeof begin);
  return FG_OK;
}

//! fg_failure
// What kernels found wrong: of several failures that of the lowest element.
struct fg_failure {
  i32 lock, any, site;
  i64 element, group, values[16];
};

//! fg_report_more
static void fg_report_more(struct fg_failure* f, i32 site, i64 element, i64 value, i64 bound, i64 group, i32 n, const i64* more) {
  while (__atomic_exchange_n(&f->lock, 1, __ATOMIC_ACQUIRE) != 0) {
  }
  const int is_lower = !f->any || element < f->element || (element == f->element &&
    (site < f->site || (site == f->site && (value < f->values[0] || (value == f->values[0] && bound < f->values[1])))));
  if (is_lower) {
    f->any = 1;
    f->site = site;
    f->element = element;
    f->group = group;
    f->values[0] = value;
    f->values[1] = bound;
    for (i32 k = 0; k < n; ++k) f->values[2 + k] = more[k];
  }
  __atomic_store_n(&f->lock, 0, __ATOMIC_RELEASE);
}

//! fg_report
static void fg_report(struct fg_failure* f, i32 site, i64 element, i64 value, i64 bound) {
  fg_report_more(f, site, element, value, bound, 0, 0, 0);
}

//! fg_yield
static void fg_yield(void) { sched_yield(); }

//! fg_failed
static fg_status fg_failed(const fg_call* call, const fg_site* sites, const struct fg_failure* f) {
  const fg_site* const site = &sites[f->site - 1];
  const i64 position = f->group > 1 ? f->element / f->group : f->element;
  return fg_fail(call, site, position, site->status == FG_SHAPE ? 16 : 2, f->values);
}

//! fg_deliver
// The elements of a result to the caller, if they are not there yet.
static fg_status fg_deliver(fg_run* run, const fg_array* array, i64 element_bytes, i32 rank, void* to, i64 capacity, i64* size) {
  i64 n = 1;
  for (i32 k = 0; k < rank; ++k) {
    size[k] = array->size[k];
    n *= array->size[k];
  }
  if (n > capacity) {
    const i64 values[2] = {n, capacity};
    const fg_site site = {FG_CAPACITY, 0, "", "a result has {0} elements, and there is memory for {1}: give it more"};
    return fg_fail(run->call, &site, 0, 2, values);
  }
  if (to != array->data && n != 0) memmove(to, array->data, (size_t)(n * element_bytes));
  return FG_OK;
}

//! fg_phase_function
typedef void fg_phase_function(const fg_context*, i64, i64);

//! fg_job
typedef struct fg_job {
  fg_phase_function* phase;
  const fg_context* context;
} fg_job;

//! fg_tasks
static void fg_tasks(void* job, i64 first, i64 last) {
  const fg_job* const j = (const fg_job*)job;
  j->phase(j->context, first, last);
}

//! fg_launch_phase
// Tasks begin in the order of their numbers: some wait for those before them.
static void fg_launch_phase(const fg_call* call, fg_context* context, fg_phase_function* phase, i64 n_tasks) {
  if (n_tasks <= 0) return;
  if (n_tasks > 1 && call != 0 && call->parallel_for != 0) {
    fg_job job = {phase, context};
    context->at_once = call->n_threads;
    call->parallel_for(call->pool, n_tasks, fg_tasks, &job);
    return;
  }
#ifdef _OPENMP
  if (n_tasks > 1) {
    context->at_once = omp_get_max_threads();
#pragma omp parallel for schedule(monotonic : dynamic, 1)
    for (i64 task = 0; task < n_tasks; ++task) phase(context, task, task + 1);
    return;
  }
#endif
  context->at_once = 1;
  phase(context, 0, n_tasks);
}
