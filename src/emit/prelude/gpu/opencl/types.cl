// The prelude of OpenCL C 1.2 (rules: ../both/arithmetic.c).

//! types
#pragma OPENCL FP_CONTRACT OFF
typedef bool b1;
typedef char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef float f32;
#define FG_INLINE static inline
#define FG_GLOBAL global
#define FG_SHARED local

//! f64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;

//! fg_failure
// The lowest element that failed, and how: site 0 while none has.
typedef struct fg_failure {
  i32 lock, site;
  i64 element, value, bound, group;  // group: 0, or of how many elements each counts as one
  i64 more[14];                      // values besides value and bound
} fg_failure;

//! fail b1
// Work-items that run in step take turns within one loop: who holds the lock goes on in the same round. Elements only sink, so that what is no lower now
// never will be; the site is written last.
static void FN(fail, b1)(global fg_failure* failure, i32 site, i64 element, i64 value, i64 bound) {
  volatile global fg_failure* f = failure;
  for (bool done = false; !done;) {
    const bool is_known = f->site != 0;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (is_known && f->element < element) return;
    if (atomic_cmpxchg(&f->lock, 0, 1) == 0) {
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      if (f->site == 0 || element < f->element || (element == f->element && site < f->site)) {
        f->element = element;
        f->value = value;
        f->bound = bound;
        f->group = 0;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        f->site = site;
      }
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      atomic_xchg(&f->lock, 0);
      done = true;
    }
  }
}

//! fail_more b1
// As fail, with n further values, and a group of elements that count as one.
static void FN(fail_more, b1)(global fg_failure* failure, i32 site, i64 element, i64 value, i64 bound, i64 group, i32 n, const i64* more) {
  volatile global fg_failure* f = failure;
  for (bool done = false; !done;) {
    const bool is_known = f->site != 0;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (is_known && f->element < element) return;
    if (atomic_cmpxchg(&f->lock, 0, 1) == 0) {
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      if (f->site == 0 || element < f->element || (element == f->element && site < f->site)) {
        f->element = element;
        f->value = value;
        f->bound = bound;
        f->group = group;
        for (i32 k = 0; k < n; ++k) f->more[k] = more[k];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        f->site = site;
      }
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      atomic_xchg(&f->lock, 0);
      done = true;
    }
  }
}

//! end
