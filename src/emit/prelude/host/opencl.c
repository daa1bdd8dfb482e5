// What the host part of an emitted OpenCL program is put together with (ahead/opencl_target.cpp; sections as in c.c). FG_N_KERNELS and
// FG_N_CAPTURED are at least 1, FG_N_BLOCKS is more than arrays live at once; fg_wait is fg_collect, or where nothing can fail fg_finish.

//! fg_block
// Memory that arrays of one call are in.
typedef struct fg_block {
  cl_mem memory;          // NULL: this describes none
  struct fg_block* next;  // of those that are free
  i64 bytes;
  i32 n_arrays;
} fg_block;

//! fg_array
typedef struct fg_array {
  cl_mem data;      // NULL: it has no elements
  fg_block* block;  // NULL: the caller's memory, or none
  i64 bytes;        // as many as were allocated
  i64 size[FG_MOST_AXES];
} fg_array;

//! fg_failure
// A record as kernels see it; zeros: nothing failed.
typedef struct fg_failure {
  cl_int lock, site;
  cl_long element, value, bound, group, more[14];
} fg_failure;

//! fg_n_records
// Launches that can fail between two looks at what they found.
enum { fg_n_records = 16 };

//! fg_phase
// A kernel of the program: its name, the work-items of a group, and its arguments: a is a buffer, a digit the bytes of a scalar, and f the
// record of failures.
typedef struct fg_phase {
  const char* name;
  size_t group;
  const char* arguments;
} fg_phase;

//! fg_opencl
// A program that is built.
typedef struct fg_opencl {
  const fg_phase* phases;  // one for each kernel; a last one has no name
  cl_context context;
  cl_program program;
  cl_kernel kernels[FG_N_KERNELS];
  cl_mem captured[FG_N_CAPTURED];
  cl_mem all_records, records[fg_n_records];
  fg_block kept[FG_N_BLOCKS];  // for intermediate arrays, from call to call
  size_t record_bytes;         // from one record to the next
  unsigned char* record_memory;
} fg_opencl;

//! fg_run
// One call.
typedef struct fg_run {
  const fg_caller* call;
  fg_opencl* opencl;
  const fg_site* sites;
  cl_command_queue queue;
  fg_block* blocks;  // FG_N_BLOCKS: the program's, or those of the caller's memory
  fg_block* free;
  fg_block of_caller[FG_N_BLOCKS];
  i32 n_records;  // of launches since the last look
} fg_run;

//! fg_refused
// What OpenCL did not do.
static fg_status fg_refused(fg_error* error, cl_int code, const char* what) {
  const int is_memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
  const fg_status status = is_memory ? FG_MEMORY : FG_DEVICE;
  if (error == 0) return status;
  error->status = status;
  error->line = 0;
  error->file = "";
  size_t end = 0;
  fg_put(error, &end, what, strlen(what));
  fg_put(error, &end, ": error ", 8);
  fg_put_number(error, &end, code < 0 ? 0 - (u64)code : (u64)code, code < 0);
  fg_put(error, &end, " of OpenCL", 10);
  return status;
}

//! fg_asked
static fg_status fg_asked(const fg_run* run, cl_int code, const char* what) {
  return code == CL_SUCCESS ? FG_OK : fg_refused(run->call != 0 ? run->call->error : 0, code, what);
}

//! fg_give_back
static void fg_give_back(const fg_caller* call, cl_mem memory) {
  if (call != 0 && call->allocate != 0)
    call->release(call->memory, memory);
  else
    clReleaseMemObject(memory);
}

//! fg_trim
// Gives back what is free, and is in no kernel's hands any more; 0: there was nothing.
static int fg_trim(fg_run* run) {
  if (run->free == 0) return 0;
  clFinish(run->queue);
  while (run->free != 0) {
    fg_block* const block = run->free;
    run->free = block->next;
    fg_give_back(run->call, block->memory);
    block->memory = 0;
  }
  return 1;
}

//! fg_create_buffer
static cl_mem fg_create_buffer(const fg_run* run, i64 bytes, cl_int* code) {
  const fg_caller* const call = run->call;
  *code = CL_SUCCESS;
  if (call != 0 && call->allocate != 0) return call->allocate(call->memory, (size_t)bytes);
  return clCreateBuffer(run->opencl->context, CL_MEM_READ_WRITE, (size_t)bytes, 0, code);
}

//! fg_take
// Memory that is free, or new. NULL: there is none. What is released is still read by kernels before, and written only by those behind, as
// the queue keeps their order.
static fg_block* fg_take(fg_run* run, i64 bytes) {
  fg_block** best = 0;
  for (fg_block** b = &run->free; *b != 0; b = &(*b)->next)
    if ((*b)->bytes >= bytes && (*b)->bytes / 2 <= bytes && (best == 0 || (*b)->bytes < (*best)->bytes)) best = b;
  fg_block* block = 0;
  if (best != 0) {
    block = *best;
    *best = block->next;
  } else {
    for (i32 k = 0; k < FG_N_BLOCKS && block == 0; ++k)
      if (run->blocks[k].memory == 0) block = &run->blocks[k];
    if (block == 0) {  // as there are more blocks than arrays, some are free
      fg_trim(run);
      return fg_take(run, bytes);
    }
    cl_int code;
    cl_mem memory = fg_create_buffer(run, bytes, &code);
    if (memory == 0 && fg_trim(run)) memory = fg_create_buffer(run, bytes, &code);
    if (memory == 0) return 0;
    block->memory = memory;
    block->bytes = bytes;
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
  block->next = run->free;
  run->free = block;
}

//! fg_allocate
// An array of this size, its elements uninitialised: in the caller's memory for a result, where that is large enough.
static fg_status fg_allocate(fg_run* run, fg_array* array, i64 element_bytes, i32 rank, const i64* size, cl_mem place, i64 capacity) {
  const i64 bytes = fg_bytes(element_bytes, rank, size);
  if (bytes == -1) return FG_SHAPE;
  if (bytes < 0) return FG_MEMORY;
  fg_release(run, array);
  for (i32 k = 0; k < rank; ++k) array->size[k] = size[k];
  array->bytes = bytes;
  if (bytes == 0) return FG_OK;
  if (place != 0 && bytes <= capacity * element_bytes) {
    array->data = place;
    return FG_OK;
  }
  array->block = fg_take(run, bytes);
  if (array->block == 0) return FG_MEMORY;
  array->data = array->block->memory;
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

//! fg_copy
static fg_status fg_copy(fg_run* run, cl_mem to, cl_mem from, i64 bytes) {
  if (bytes <= 0) return FG_OK;
  return fg_asked(run, clEnqueueCopyBuffer(run->queue, from, to, 0, 0, (size_t)bytes, 0, 0, 0), "copying an array");
}

//! fg_collect
// Waits for all launches so far: the failure of the first that failed.
static fg_status fg_collect(fg_run* run) {
  const fg_opencl* const opencl = run->opencl;
  const i32 n = run->n_records;
  run->n_records = 0;
  if (n == 0) return fg_asked(run, clFinish(run->queue), "waiting for kernels");
  const size_t bytes = (size_t)n * opencl->record_bytes;
  FG_TRY(fg_asked(run, clEnqueueReadBuffer(run->queue, opencl->all_records, CL_TRUE, 0, bytes, opencl->record_memory, 0, 0, 0),
                  "waiting for kernels"));
  for (i32 k = 0; k < n; ++k) {
    fg_failure f;
    memcpy(&f, opencl->record_memory + (size_t)k * opencl->record_bytes, sizeof f);
    if (f.site == 0) continue;
    const cl_int zero = 0;
    FG_TRY(fg_asked(run, clEnqueueFillBuffer(run->queue, opencl->all_records, &zero, sizeof zero, 0, bytes, 0, 0, 0),
                    "clearing records of failures"));
    FG_TRY(fg_asked(run, clFinish(run->queue), "clearing records of failures"));
    i64 values[16] = {f.value, f.bound};
    for (int i = 0; i < 14; ++i) values[2 + i] = f.more[i];
    const fg_site* const site = &run->sites[f.site - 1];
    return fg_fail(run->call, site, f.group > 1 ? f.element / f.group : f.element, site->status == FG_SHAPE ? 16 : 2, values);
  }
  return FG_OK;
}

//! fg_finish
// Waits for all launches so far, none of which can fail.
static fg_status fg_finish(fg_run* run) { return fg_asked(run, clFinish(run->queue), "waiting for kernels"); }

//! fg_fetch
// The first bytes of an array, after the launches so far.
static fg_status fg_fetch(fg_run* run, cl_mem from, void* to, size_t bytes) {
  FG_TRY(fg_asked(run, clEnqueueReadBuffer(run->queue, from, CL_FALSE, 0, bytes, to, 0, 0, 0), "reading an element"));
  return fg_wait(run);
}

//! fg_set_flags
static fg_status fg_set_flags(fg_run* run, fg_array* flags) {
  const cl_int begin[2] = {1, 0};
  return fg_asked(run, clEnqueueWriteBuffer(run->queue, flags->data, CL_TRUE, 0, sizeof begin, begin, 0, 0, 0),
                  "writing a condition");
}

//! fg_record
// For the next launch that can fail.
static fg_status fg_record(fg_run* run, cl_mem* record) {
  if (run->n_records == fg_n_records) FG_TRY(fg_collect(run));
  *record = run->opencl->records[run->n_records++];
  return FG_OK;
}

//! fg_launch
static fg_status fg_launch(fg_run* run, i32 number, const cl_mem* buffers, const i64* scalars, const cl_mem* record, i64 n_groups) {
  if (n_groups <= 0) return FG_OK;
  const cl_kernel kernel = run->opencl->kernels[number];
  const fg_phase* const phase = &run->opencl->phases[number];
  for (cl_uint k = 0; phase->arguments[k] != 0; ++k) {
    const char what = phase->arguments[k];
    cl_int code;
    if (what == 'a' || what == 'f') {
      code = clSetKernelArg(kernel, k, sizeof(cl_mem), what == 'a' ? buffers++ : record);
    } else {
      const i64 bits = *scalars++;
      const cl_uchar byte = (cl_uchar)bits;
      const cl_ushort two = (cl_ushort)bits;
      const cl_uint four = (cl_uint)bits;
      code = clSetKernelArg(kernel, k, (size_t)(what - '0'),
                            what == '1' ? (const void*)&byte : what == '2' ? (const void*)&two : what == '4' ? (const void*)&four : &bits);
    }
    FG_TRY(fg_asked(run, code, phase->name));
  }
  const size_t n_items = (size_t)n_groups * phase->group;
  cl_int code = clEnqueueNDRangeKernel(run->queue, kernel, 1, 0, &n_items, &phase->group, 0, 0, 0);
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE && fg_trim(run))
    code = clEnqueueNDRangeKernel(run->queue, kernel, 1, 0, &n_items, &phase->group, 0, 0, 0);
  return fg_asked(run, code, phase->name);
}

//! fg_deliver
// The elements of a result to the caller, if they are not there yet.
static fg_status fg_deliver(fg_run* run, const fg_array* array, i64 element_bytes, i32 rank, cl_mem to, i64 capacity, i64* size) {
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
  return to == array->data ? FG_OK : fg_copy(run, to, array->data, n * element_bytes);
}

//! fg_begin
static fg_status fg_begin(fg_run* run, const fg_caller* call, fg_opencl* opencl, const fg_site* sites, cl_command_queue queue) {
  run->call = call;
  run->sites = sites;
  run->opencl = opencl;
  run->queue = queue;
  run->free = 0;
  memset(run->of_caller, 0, sizeof run->of_caller);
  run->blocks = call != 0 && call->allocate != 0 ? run->of_caller : opencl->kept;
  for (i32 k = 0; k < FG_N_BLOCKS; ++k)
    if (run->blocks[k].memory != 0) {
      run->blocks[k].next = run->free;
      run->free = &run->blocks[k];
    }
  run->n_records = 0;
  cl_command_queue_properties properties = 0;
  FG_TRY(fg_asked(run, clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, 0), "asking for the queue"));
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0) return FG_OK;
  const fg_site site = {FG_ARGUMENT, 0, "", "the queue may run what it is given in any order: make one that runs it in order"};
  return fg_fail(call, &site, 0, 0, 0);
}

//! fg_has_room
// Whether the caller's buffer is as large as its extents say.
static fg_status fg_has_room(const fg_run* run, cl_mem buffer, i64 element_bytes, i32 rank, const i64* size) {
  const i64 bytes = fg_bytes(element_bytes, rank, size);
  if (bytes == 0) return FG_OK;
  size_t there = 0;
  if (buffer != 0)
    FG_TRY(fg_asked(run, clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof there, &there, 0), "asking for the size of an argument"));
  if (bytes > 0 && (u64)bytes <= there) return FG_OK;
  const i64 values[2] = {(i64)there, bytes};
  const fg_site site = {FG_ARGUMENT, 0, "", "a buffer of {0} bytes is given for an array of {1}: give a larger one, or its own size"};
  return fg_fail(run->call, &site, 0, 2, values);
}

//! fg_end
// Waits; a kernel that failed comes before what failed behind it.
static fg_status fg_end(fg_run* run, fg_array* arrays, i32 n_arrays, fg_status status) {
  const fg_status of_kernels = fg_wait(run);
  for (i32 k = 0; k < n_arrays; ++k) fg_release(run, &arrays[k]);
  if (run->blocks == run->of_caller) fg_trim(run);
  return of_kernels != FG_OK ? of_kernels : status;
}

//! fg_destroy
static void fg_destroy(fg_opencl* opencl) {
  for (int k = 0; k < FG_N_KERNELS; ++k)
    if (opencl->kernels[k] != 0) clReleaseKernel(opencl->kernels[k]);
  for (int k = 0; k < FG_N_CAPTURED; ++k)
    if (opencl->captured[k] != 0) clReleaseMemObject(opencl->captured[k]);
  for (int k = 0; k < fg_n_records; ++k)
    if (opencl->records[k] != 0) clReleaseMemObject(opencl->records[k]);
  if (opencl->all_records != 0) clReleaseMemObject(opencl->all_records);
  if (opencl->program != 0) clReleaseProgram(opencl->program);
  if (opencl->context != 0) clReleaseContext(opencl->context);
  for (int k = 0; k < FG_N_BLOCKS; ++k)
    if (opencl->kept[k].memory != 0) clReleaseMemObject(opencl->kept[k].memory);
  free(opencl->record_memory);
}

//! fg_too_small
static fg_status fg_too_small(fg_error* error, const char* message, size_t wanted, size_t there) {
  const i64 values[2] = {(i64)wanted, (i64)there};
  const fg_site site = {FG_DEVICE, 0, "", message};
  const fg_caller caller = {.error = error};
  return fg_fail(&caller, &site, 0, 2, values);
}

//! fg_make_kernels
static fg_status fg_make_kernels(fg_opencl* opencl, cl_device_id device, fg_error* error) {
  const fg_phase* const phases = opencl->phases;
  cl_ulong local_bytes = 0;
  clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes, 0);
  for (int k = 0; phases[k].name != 0; ++k) {
    cl_int code = CL_SUCCESS;
    const cl_kernel kernel = clCreateKernel(opencl->program, phases[k].name, &code);
    opencl->kernels[k] = kernel;
    if (code != CL_SUCCESS) return fg_refused(error, code, phases[k].name);
    size_t most = 0;
    cl_ulong wanted = 0;
    code = clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, 0);
    if (code != CL_SUCCESS) return fg_refused(error, code, phases[k].name);
    if (phases[k].group > most)
      return fg_too_small(error, "a kernel needs groups of {0} work-items, and the device runs at most {1}: use another device",
                          phases[k].group, most);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof wanted, &wanted, 0);
    if (wanted > local_bytes)
      return fg_too_small(error, "a kernel needs {0} bytes of local memory, and the device has {1}: use another device",
                          (size_t)wanted, (size_t)local_bytes);
  }
  return FG_OK;
}

//! fg_make_records
static fg_status fg_make_records(fg_opencl* opencl, cl_device_id device, fg_error* error) {
  cl_uint bits = 0;
  cl_int code = clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, 0);
  const size_t unit = bits / 8 > 8 ? bits / 8 : 8;
  opencl->record_bytes = (sizeof(fg_failure) + unit - 1) / unit * unit;
  const size_t bytes = fg_n_records * opencl->record_bytes;
  opencl->record_memory = (unsigned char*)calloc(bytes, 1);
  if (opencl->record_memory == 0) return fg_refused(error, CL_OUT_OF_HOST_MEMORY, "making records of failures");
  if (code == CL_SUCCESS)
    opencl->all_records =
      clCreateBuffer(opencl->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, opencl->record_memory, &code);
  for (size_t k = 0; k < fg_n_records && code == CL_SUCCESS; ++k) {
    const cl_buffer_region region = {k * opencl->record_bytes, sizeof(fg_failure)};
    opencl->records[k] = clCreateSubBuffer(opencl->all_records, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  }
  return code == CL_SUCCESS ? FG_OK : fg_refused(error, code, "making records of failures");
}

//! fg_hold
// A buffer with an array that the program captured.
static fg_status fg_hold(fg_opencl* opencl, int number, const void* elements, size_t bytes, fg_error* error) {
  cl_int code = CL_SUCCESS;
  opencl->captured[number] = clCreateBuffer(opencl->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, (void*)(uintptr_t)elements, &code);
  return code == CL_SUCCESS ? FG_OK : fg_refused(error, code, "making a captured array");
}

//! fg_said
// What the compiler says, as much as there is room for.
static void fg_said(cl_program program, cl_device_id device, fg_error* error) {
  size_t bytes = 0;
  if (error == 0 || clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, 0, &bytes) != CL_SUCCESS || bytes == 0) return;
  char* const log = (char*)calloc(bytes + 1, 1);
  if (log != 0 && clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, 0) == CL_SUCCESS) {
    size_t end = strlen(error->text);
    fg_put(error, &end, ": ", 2);
    fg_put(error, &end, log, strlen(log));
  }
  free(log);
}

//! fg_build
// Division and square root are correctly rounded where the device can do that.
static fg_status fg_build(fg_opencl* opencl, cl_context context, cl_device_id device, const char* text, const fg_phase* phases, fg_error* error) {
  cl_int code = clRetainContext(context);
  if (code != CL_SUCCESS) return fg_refused(error, code, "the context");
  opencl->context = context;
  opencl->phases = phases;
  opencl->program = clCreateProgramWithSource(context, 1, &text, 0, &code);
  if (code != CL_SUCCESS) return fg_refused(error, code, "taking the kernels' text");
  cl_device_fp_config floats = 0;
  clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof floats, &floats, 0);
  const char* const options = (floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0
                                ? "-cl-std=CL1.2 -w -cl-fp32-correctly-rounded-divide-sqrt"
                                : "-cl-std=CL1.2 -w";
  code = clBuildProgram(opencl->program, 1, &device, options, 0, 0);
  if (code != CL_SUCCESS) {
    const fg_status status = fg_refused(error, code, "the device refuses the kernels");
    fg_said(opencl->program, device, error);
    return status;
  }
  return fg_make_kernels(opencl, device, error);
}
