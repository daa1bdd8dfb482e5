// What a kernel's text sees of CUDA, compiled by Clang in front of it.
#pragma once

#include <math.h>
#include <string.h>

#include "kernel_host.h"

#define FG_UNSEEN __attribute__((no_sanitize("thread")))

extern "C" __attribute__((visibility("default"))) const fulgurite::runtime::test::KernelHost* fg_host;

// A thread gets the same answer each time that it asks, so a compiler may ask once.
#define FG_CONSTANT __attribute__((const, noinline)) FG_UNSEEN
static FG_CONSTANT fulgurite::runtime::test::KernelIndex fg_thread_index() {
  return fg_host->thread();
}
static FG_CONSTANT fulgurite::runtime::test::KernelIndex fg_block_index() {
  return fg_host->block();
}
static FG_CONSTANT unsigned char* fg_shared(unsigned offset) {
  return fg_host->shared(offset);
}
static FG_CONSTANT unsigned char* fg_shared_at_launch() {
  return fg_host->shared_at_launch();
}
static FG_UNSEEN void fg_block_barrier(int line) {
  fg_host->block_barrier(line);
}
static inline unsigned fg_mask(unsigned mask = 0xffffffffu) {
  return mask;
}
static FG_UNSEEN void fg_warp_barrier(unsigned mask, int line) {
  fg_host->warp_barrier(mask, line);
}
static FG_UNSEEN void __threadfence() {
  fg_host->fence();
}

#define threadIdx (fg_thread_index())
#define blockIdx (fg_block_index())
#define __global__ __attribute__((visibility("hidden")))
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __syncthreads() fg_block_barrier(__LINE__)
#define __syncwarp(...) fg_warp_barrier(fg_mask(__VA_ARGS__), __LINE__)

// Atomic operations of the kinds of numbers that CUDA has them of. Nobody comes between the call of the host
// and the operation.
#define FG_ATOMIC(T, name, result)            \
  static FG_UNSEEN inline T name(T* p, T v) { \
    fg_host->atomic(p, sizeof(T));            \
    const T old = *p;                         \
    *p = result;                              \
    return old;                               \
  }
typedef unsigned long long fg_ull;
FG_ATOMIC(int, atomicAdd, (int)((unsigned)old + (unsigned)v))
FG_ATOMIC(unsigned, atomicAdd, old + v)
FG_ATOMIC(fg_ull, atomicAdd, old + v)
FG_ATOMIC(float, atomicAdd, old + v)
FG_ATOMIC(double, atomicAdd, old + v)
#define FG_ORDERED(T)                        \
  FG_ATOMIC(T, atomicMin, v < old ? v : old) \
  FG_ATOMIC(T, atomicMax, old < v ? v : old)
FG_ORDERED(int)
FG_ORDERED(unsigned)
FG_ORDERED(long long)
FG_ORDERED(fg_ull)
#define FG_BITS(T)                                             \
  FG_ATOMIC(T, atomicAnd, old& v)                              \
  FG_ATOMIC(T, atomicOr, old | v)                              \
  FG_ATOMIC(T, atomicXor, old ^ v)                             \
  FG_ATOMIC(T, atomicExch, v)                                  \
  static FG_UNSEEN inline T atomicCAS(T* p, T expected, T v) { \
    fg_host->atomic(p, sizeof(T));                             \
    const T old = *p;                                          \
    if (old == expected) *p = v;                               \
    return old;                                                \
  }
FG_BITS(int)
FG_BITS(unsigned)
FG_BITS(fg_ull)
FG_ATOMIC(float, atomicExch, v)

template <class T>
static FG_UNSEEN inline T fg_shuffle(unsigned mask, T v, int from, int width, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "CUDA shuffles 4 or 8 bytes");
  fg_ull bits = 0;
  __builtin_memcpy(&bits, &v, sizeof v);
  bits = fg_host->shuffle(mask, bits, from, width, line);
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}
#define __shfl_sync(mask, v, from, width) fg_shuffle(mask, v, from, width, __LINE__)

template <class To, class From>
static FG_UNSEEN inline To fg_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
// Products are not contracted: how the text is compiled says so.
static inline float __fmul_rn(float a, float b) {
  return a * b;
}
static inline double __dmul_rn(double a, double b) {
  return a * b;
}
static FG_UNSEEN inline float __int_as_float(int x) {
  return fg_as<float>(x);
}
static FG_UNSEEN inline double __longlong_as_double(long long x) {
  return fg_as<double>(x);
}
static FG_UNSEEN inline long long __double_as_longlong(double x) {
  return fg_as<long long>(x);
}
static inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
static inline int __popcll(fg_ull x) {
  return __builtin_popcountll(x);
}
static inline int __clz(unsigned x) {
  return x == 0 ? 32 : __builtin_clz(x);
}
static inline int __clzll(fg_ull x) {
  return x == 0 ? 64 : __builtin_clzll(x);
}
static inline float rsqrtf(float x) {
  return (float)(1.0 / sqrt((double)x));
}
static inline double rsqrt(double x) {
  return 1.0 / sqrt(x);
}

// What the declarations of a block's shared memory take.
constexpr unsigned fg_room(unsigned long bytes) {
  return (bytes + 15) / 16 * 16;
}

// What a parameter of a kernel is.
template <class T>
struct fg_parameter {
  static constexpr fulgurite::runtime::test::KernelParameter of{
      fulgurite::runtime::test::KernelParameterKind::number, sizeof(T)};
};
template <class T>
struct fg_parameter<T*> {
  static constexpr fulgurite::runtime::test::KernelParameter of{
      fulgurite::runtime::test::KernelParameterKind::pointer, sizeof(T*)};
};
template <>
struct fg_parameter<bool> {
  static constexpr fulgurite::runtime::test::KernelParameter of{
      fulgurite::runtime::test::KernelParameterKind::boolean, sizeof(bool)};
};
