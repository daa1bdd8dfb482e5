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

//! sections

}  // namespace fulgurite_run_1

#undef FG_INLINE

#endif
