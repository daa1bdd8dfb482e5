// What the main file of a consumer of emitted OpenCL has besides its calls (emitted_opencl_slow_test.cpp
// writes those): a device, its queue, buffers, and how many of them emitted functions make.
#pragma once

#include "files.h"
#include "fulgurite_opencl.h"

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static void open_device(void) {
  cl_platform_id platform;
  cl_int code = clGetPlatformIDs(1, &platform, NULL);
  if (code == CL_SUCCESS) code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  if (code == CL_SUCCESS) context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  if (code == CL_SUCCESS) queue = clCreateCommandQueue(context, device, 0, &code);
  expect(code == CL_SUCCESS, "OpenCL", "there is no device");
}
static void close_device(void) {
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

// Emitted sources call this one: they are compiled with its name for clCreateBuffer.
static int n_buffers, n_buffers_of_all;
cl_mem counted_buffer(cl_context in, cl_mem_flags flags, size_t bytes, void* from, cl_int* code);
cl_mem counted_buffer(cl_context in, cl_mem_flags flags, size_t bytes, void* from, cl_int* code) {
  ++n_buffers;
  ++n_buffers_of_all;
  return clCreateBuffer(in, flags, bytes, from, code);
}

// NULL: of no bytes.
static cl_mem buffer_of(int64_t elements, size_t size) {
  cl_int code = CL_SUCCESS;
  if (elements <= 0) return NULL;
  cl_mem const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, (size_t)elements * size, NULL, &code);
  expect(code == CL_SUCCESS, "OpenCL", "no memory");
  return buffer;
}
static void release(cl_mem buffer) {
  if (buffer != NULL) clReleaseMemObject(buffer);
}
static cl_mem take_buffer(int64_t* extents, int rank, size_t size) {
  void* const elements = take_array(extents, rank, size);
  const int64_t n = product(extents, rank);
  cl_mem const buffer = buffer_of(n, size);
  if (n > 0) clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, (size_t)n * size, elements, 0, NULL, NULL);
  free(elements);
  return buffer;
}
// Both buffers have these elements, which are written.
static void give_buffers(cl_mem one, cl_mem other, const int64_t* extents, int rank, size_t size,
                         const char* program) {
  const int64_t n = product(extents, rank);
  const size_t bytes = (size_t)n * size;
  void *const elements = memory_of(n, size), *const others = memory_of(n, size);
  if (n > 0) {
    clEnqueueReadBuffer(queue, one, CL_TRUE, 0, bytes, elements, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, other, CL_TRUE, 0, bytes, others, 0, NULL, NULL);
  }
  expect(memcmp(elements, others, bytes) == 0, program, "differs in its second call");
  give_array(elements, extents, rank, size);
  free(elements);
  free(others);
}
