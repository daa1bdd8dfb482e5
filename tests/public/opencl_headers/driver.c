// What an application does around emitted OpenCL functions: a device, a queue, buffers.
#include "fulgurite_opencl.h"

#include <stdlib.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue, unordered;

int drive_open(void) {
  cl_platform_id platform;
  cl_int code;
  if (clGetPlatformIDs(1, &platform, 0) != CL_SUCCESS) return 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0) != CL_SUCCESS) return 0;
  context = clCreateContext(0, 1, &device, 0, 0, &code);
  queue = clCreateCommandQueue(context, device, 0, &code);
  unordered = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  return queue != 0;
}
void drive_close(void) {
  clReleaseCommandQueue(queue);
  if (unordered != 0) clReleaseCommandQueue(unordered);
  clReleaseContext(context);
}
cl_context drive_context(void) { return context; }
cl_device_id drive_device(void) { return device; }
cl_command_queue drive_queue(int is_ordered) { return is_ordered ? queue : unordered; }

// NULL: no bytes.
cl_mem drive_buffer(const void* from, size_t bytes) {
  cl_int code;
  return bytes == 0 ? 0 : clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, (void*)from, &code);
}
int drive_read(cl_mem from, void* to, size_t bytes) {
  return bytes == 0 || clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, to, 0, 0, 0) == CL_SUCCESS;
}
void drive_release(cl_mem buffer) {
  if (buffer != 0) clReleaseMemObject(buffer);
}
