#include "runtime/opencl/api.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include "runtime/dynamic_library.h"

namespace fulgurite::runtime::opencl {
namespace {

constexpr const char* icd_loader = "libOpenCL.so.1";

const char* status_name(Status status) {
  switch (status) {
    case -1: return "CL_DEVICE_NOT_FOUND";
    case -2: return "CL_DEVICE_NOT_AVAILABLE";
    case -3: return "CL_COMPILER_NOT_AVAILABLE";
    case -4: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case -5: return "CL_OUT_OF_RESOURCES";
    case -6: return "CL_OUT_OF_HOST_MEMORY";
    case -11: return "CL_BUILD_PROGRAM_FAILURE";
    case -14: return "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST";
    case -30: return "CL_INVALID_VALUE";
    case -33: return "CL_INVALID_DEVICE";
    case -34: return "CL_INVALID_CONTEXT";
    case -36: return "CL_INVALID_COMMAND_QUEUE";
    case -38: return "CL_INVALID_MEM_OBJECT";
    case -42: return "CL_INVALID_BINARY";
    case -43: return "CL_INVALID_BUILD_OPTIONS";
    case -45: return "CL_INVALID_PROGRAM_EXECUTABLE";
    case -46: return "CL_INVALID_KERNEL_NAME";
    case -48: return "CL_INVALID_KERNEL";
    case -49: return "CL_INVALID_ARG_INDEX";
    case -50: return "CL_INVALID_ARG_VALUE";
    case -51: return "CL_INVALID_ARG_SIZE";
    case -52: return "CL_INVALID_KERNEL_ARGS";
    case -54: return "CL_INVALID_WORK_GROUP_SIZE";
    case -55: return "CL_INVALID_WORK_ITEM_SIZE";
    case -61: return "CL_INVALID_BUFFER_SIZE";
    case -63: return "CL_INVALID_GLOBAL_WORK_SIZE";
    case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
    default: return "error";
  }
}

}  // namespace

std::string status_text(Status status) {
  return fmt::format("{} ({})", status_name(status), status);
}

void check(Status status, const std::string& what) {
  if (status == value::success) return;
  if (status == value::mem_object_allocation_failure || status == value::out_of_host_memory)
    throw OutOfMemory(
        fmt::format("{}: {}: the OpenCL device has no memory left for it", what, status_text(status)));
  throw DeviceError(
      fmt::format("{}: {}: the OpenCL device refused or was lost; start the program again, or set "
                  "FULGURITE_OPENCL_DEVICE to another device or the engine to cpu",
                  what, status_text(status)));
}

Api load_api(const std::string& library) {
  const DynamicLibrary l(
      library, {.name = "the OpenCL library",
                .if_missing = fmt::format("install an ICD loader, which brings {} (on Debian, "
                                          "ocl-icd-libopencl1), and the OpenCL driver of the device",
                                          icd_loader),
                .if_old = "install an ICD loader for OpenCL 1.2 or later"});
  Api api{};
  l.resolve(api.get_platform_ids, "clGetPlatformIDs");
  l.resolve(api.get_platform_info, "clGetPlatformInfo");
  l.resolve(api.get_device_ids, "clGetDeviceIDs");
  l.resolve(api.get_device_info, "clGetDeviceInfo");
  l.resolve(api.create_context, "clCreateContext");
  l.resolve(api.retain_context, "clRetainContext");
  l.resolve(api.release_context, "clReleaseContext");
  l.resolve(api.create_queue, "clCreateCommandQueue");
  l.resolve(api.retain_queue, "clRetainCommandQueue");
  l.resolve(api.release_queue, "clReleaseCommandQueue");
  l.resolve(api.get_queue_info, "clGetCommandQueueInfo");
  l.resolve(api.flush, "clFlush");
  l.resolve(api.finish, "clFinish");
  l.resolve(api.create_buffer, "clCreateBuffer");
  l.resolve(api.create_sub_buffer, "clCreateSubBuffer");
  l.resolve(api.retain_buffer, "clRetainMemObject");
  l.resolve(api.release_buffer, "clReleaseMemObject");
  l.resolve(api.get_buffer_info, "clGetMemObjectInfo");
  l.resolve(api.read_buffer, "clEnqueueReadBuffer");
  l.resolve(api.write_buffer, "clEnqueueWriteBuffer");
  l.resolve(api.copy_buffer, "clEnqueueCopyBuffer");
  l.resolve(api.fill_buffer, "clEnqueueFillBuffer");
  l.resolve(api.create_program_with_source, "clCreateProgramWithSource");
  l.resolve(api.create_program_with_binary, "clCreateProgramWithBinary");
  l.resolve(api.release_program, "clReleaseProgram");
  l.resolve(api.build_program, "clBuildProgram");
  l.resolve(api.get_program_info, "clGetProgramInfo");
  l.resolve(api.get_program_build_info, "clGetProgramBuildInfo");
  l.resolve(api.create_kernel, "clCreateKernel");
  l.resolve(api.release_kernel, "clReleaseKernel");
  l.resolve(api.set_kernel_arg, "clSetKernelArg");
  l.resolve(api.get_kernel_work_group_info, "clGetKernelWorkGroupInfo");
  l.resolve(api.enqueue_nd_range_kernel, "clEnqueueNDRangeKernel");
  return api;
}

const Api& api() {
  static const Api& loaded = *new Api(load_api(icd_loader));  // never destroyed: programs may run at exit
  return loaded;
}

}  // namespace fulgurite::runtime::opencl
