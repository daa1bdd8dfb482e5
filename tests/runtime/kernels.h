// Texts of small kernels, written by hand in the calling convention of runtime/cpu/kernel.h.
#pragma once

#include <string>

#include "runtime/device.h"

namespace fulgurite::runtime::test {

inline const std::string convention = R"(
typedef int int32_t; typedef long int64_t;
typedef float f32x8 __attribute__((ext_vector_type(8), aligned(4)));
struct fg_failure;
typedef struct fg_context {
  void* const* buffers; const int64_t* scalars; struct fg_failure* failure;
  void (*report)(struct fg_failure*, int32_t, int64_t, int64_t, int64_t);
  void (*yield)(void);
  int64_t at_once;
} fg_context;
)";

// y[i] = a * x[i] + y[i] of n elements, 4096 to a task; scalars a, n.
inline KernelSource saxpy() {
  return {.name = "saxpy", .text = convention + R"(
void saxpy_p0(const fg_context* c, int64_t first, int64_t last) {
  const float* x = c->buffers[0]; float* y = c->buffers[1];
  float a = *(const float*)&c->scalars[0];
  int64_t i = first * 4096, end = last * 4096 < c->scalars[1] ? last * 4096 : c->scalars[1];
  for (; i + 8 <= end; i += 8) *(f32x8*)(y + i) = a * *(const f32x8*)(x + i) + *(const f32x8*)(y + i);
  for (; i < end; ++i) y[i] = a * x[i] + y[i];
}
)"};
}

// Two phases: sums of 1000 elements each, then the sum of these; buffers x, partial sums, result; scalar n.
inline KernelSource sum() {
  return {.name = "sum",
          .text = convention + R"(
void sum_p0(const fg_context* c, int64_t first, int64_t last) {
  const int64_t* x = c->buffers[0]; int64_t* partial = c->buffers[1];
  for (int64_t task = first; task < last; ++task) {
    int64_t s = 0;
    for (int64_t i = task * 1000; i < (task + 1) * 1000 && i < c->scalars[0]; ++i) s += x[i];
    partial[task] = s;
  }
}
void sum_p1(const fg_context* c, int64_t first, int64_t last) {
  const int64_t* partial = c->buffers[1]; int64_t* result = c->buffers[2];
  int64_t s = 0;
  for (int64_t i = 0; i < (c->scalars[0] + 999) / 1000; ++i) s += partial[i];
  *result = s;
}
)",
          .n_phases = 2};
}

// to[task] = from[index[task]] of n elements, with a check; the second phase sets the flag.
inline KernelSource gather() {
  return {.name = "gather",
          .text = convention + R"(
void gather_p0(const fg_context* c, int64_t first, int64_t last) {
  const int64_t* from = c->buffers[0]; const int64_t* index = c->buffers[1]; int64_t* to = c->buffers[2];
  for (int64_t task = first; task < last; ++task) {
    int64_t i = index[task], n = c->scalars[0];
    if ((unsigned long)i < (unsigned long)n) to[task] = from[i];
    else c->report(c->failure, 7, task, i, n);
  }
}
void gather_p1(const fg_context* c, int64_t first, int64_t last) { *(int64_t*)c->buffers[3] = 1; }
)",
          .n_phases = 2};
}

}  // namespace fulgurite::runtime::test
