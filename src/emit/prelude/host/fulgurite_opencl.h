/* What all functions that Fulgurite emits for OpenCL have in common. Version 1. */
#ifndef FULGURITE_OPENCL_H
#define FULGURITE_OPENCL_H

#include "fulgurite_c.h"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#define FULGURITE_OPENCL_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* How a call runs. All zero (or no fg_cl_call at all): memory for intermediate arrays from clCreateBuffer, which the program
   keeps for later calls until it is destroyed. */
typedef struct fg_cl_call {
  fg_error* error; /* NULL: only the status is wanted */

  /* Memory for intermediate arrays: a buffer of the program's context, which kernels may read and write; NULL: there is none.
     All are released before the call returns. */
  cl_mem (*allocate)(void* memory, size_t bytes);
  void (*release)(void* memory, cl_mem buffer);
  void* memory;
} fg_cl_call;

#ifdef __cplusplus
}
#endif

#endif
