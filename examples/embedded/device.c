/* The same on a device of OpenCL: arrays are in buffers of the application, and nothing of the library is linked. */
#include <stdint.h>
#include <stdio.h>

#include "corrected.h"
#include "mean.h"

enum { n = 6, n_sensors = 3 };

static cl_mem buffer(cl_context context, size_t bytes, const void* from) {
  cl_mem_flags flags = CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0);
  return clCreateBuffer(context, flags, bytes, (void*)from, NULL);
}

static int failed(const fg_error* error) {
  printf("%s:%d: %s\n", error->file, error->line, error->text);
  return 1;
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    puts("there is no device of OpenCL");
    return 1;
  }
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  fg_error error = {FG_OK, 0, NULL, ""};
  fg_cl_call call = {0};
  call.error = &error;

  /* Kernels are compiled once. */
  corrected_opencl* corrects = corrected_create(context, device, &error);
  mean_opencl* averages = mean_create(context, device, &error);
  if (corrects == NULL || averages == NULL) return failed(&error);

  const float measured[n] = {21.0f, 12.5f, 20.5f, 13.0f, 12.0f, 18.0f}, errors[n_sensors] = {0.5f, -1.0f, 0.25f};
  int32_t sensors[n] = {0, 1, 0, 2, 1, 2};
  cl_mem temperature = buffer(context, sizeof measured, measured), sensor = buffer(context, sizeof sensors, sensors),
         of_sensor = buffer(context, sizeof errors, errors), result = buffer(context, sizeof measured, NULL);
  int64_t n_result = 0;
  float average = 0;

  /* The second function reads what the first has left on the device. */
  if (corrected(corrects, queue, temperature, n, sensor, n, of_sensor, n_sensors, result, n, &n_result, &call) != FG_OK ||
      mean(averages, queue, result, n_result, &average, &call) != FG_OK)
    return failed(&error);
  printf("mean of %d: %.2f degrees\n", (int)n_result, (double)average);

  /* A sensor that is not in the table. */
  sensors[4] = 7;
  if (clEnqueueWriteBuffer(queue, sensor, CL_TRUE, 0, sizeof sensors, sensors, 0, NULL, NULL) != CL_SUCCESS) return 1;
  if (corrected(corrects, queue, temperature, n, sensor, n, of_sensor, n_sensors, result, n, &n_result, &call) != FG_INDEX) return 1;
  failed(&error);

  corrected_destroy(corrects);
  mean_destroy(averages);
  clReleaseMemObject(temperature);
  clReleaseMemObject(sensor);
  clReleaseMemObject(of_sensor);
  clReleaseMemObject(result);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
