// The prelude of CUDA C++ (rules: ../both/arithmetic.c). Compiled by NVRTC, without headers.

//! types
typedef bool b1;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
#define FG_INLINE static __device__ __forceinline__
#define FG_GLOBAL
#define FG_SHARED

//! f64
typedef double f64;

//! fg_wide
// Neighbouring elements that one access moves.
template <class T, int n>
struct alignas(sizeof(T) * n) fg_wide {
  T at[n];
};

//! fg_failure
// The lowest element that failed, and how: site 0 while none has.
struct fg_failure {
  i32 lock, site;
  i64 element, value, bound, group;  // group: 0, or of how many elements each counts as one
  i64 more[14];                      // values besides value and bound
};

//! fail b1
// Threads of a warp take turns within one loop: who holds the lock goes on in the same round. Elements only sink, so that what is no lower now never
// will be; the site is written last.
static __device__ __noinline__ void FN(fail, b1)(fg_failure* failure, i32 site, i64 element, i64 value, i64 bound) {
  volatile fg_failure* f = failure;
  for (bool done = false; !done;) {
    const bool is_known = f->site != 0;
    __threadfence();
    if (is_known && f->element < element) return;
    if (atomicCAS(&failure->lock, 0, 1) == 0) {
      __threadfence();
      if (f->site == 0 || element < f->element || (element == f->element && site < f->site)) {
        f->element = element;
        f->value = value;
        f->bound = bound;
        f->group = 0;
        __threadfence();
        f->site = site;
      }
      __threadfence();
      atomicExch(&failure->lock, 0);
      done = true;
    }
  }
}

//! fail_more b1
// As fail, with n further values, and a group of elements that count as one.
static __device__ __noinline__ void FN(fail_more, b1)(fg_failure* failure, i32 site, i64 element, i64 value, i64 bound, i64 group, i32 n, const i64* more) {
  volatile fg_failure* f = failure;
  for (bool done = false; !done;) {
    const bool is_known = f->site != 0;
    __threadfence();
    if (is_known && f->element < element) return;
    if (atomicCAS(&failure->lock, 0, 1) == 0) {
      __threadfence();
      if (f->site == 0 || element < f->element || (element == f->element && site < f->site)) {
        f->element = element;
        f->value = value;
        f->bound = bound;
        f->group = group;
        for (i32 k = 0; k < n; ++k) f->more[k] = more[k];
        __threadfence();
        f->site = site;
      }
      __threadfence();
      atomicExch(&failure->lock, 0);
      done = true;
    }
  }
}

//! end
