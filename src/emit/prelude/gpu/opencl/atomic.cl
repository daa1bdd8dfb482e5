// Atomic operations of OpenCL C 1.2 and later (rules: ../both/arithmetic.c), all relaxed. Those of 64 bits are extensions with names of their own.

//! extended u64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

//! fence b1
// Before OpenCL C 2.0 nothing orders what other groups see.
FG_INLINE void FN(fence, b1)(void) {
#if __OPENCL_C_VERSION__ >= 200
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
#else
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#endif
}

//! atomic_add atomic_add_shared i32 u32
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atomic_add(p, v); }

//! atomic_add atomic_add_shared i64 u64
//! needs extended u64
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atom_add(p, v); }

//! atomic_min atomic_min_shared i32 u32
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atomic_min(p, v); }

//! atomic_min atomic_min_shared i64 u64
//! needs extended u64
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atom_min(p, v); }

//! atomic_max atomic_max_shared i32 u32
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atomic_max(p, v); }

//! atomic_max atomic_max_shared i64 u64
//! needs extended u64
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atom_max(p, v); }

//! atomic_bit_and atomic_bit_and_shared i32 u32
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atomic_and(p, v); }

//! atomic_bit_and atomic_bit_and_shared i64 u64
//! needs extended u64
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atom_and(p, v); }

//! atomic_bit_or atomic_bit_or_shared i32 u32
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atomic_or(p, v); }

//! atomic_bit_or atomic_bit_or_shared i64 u64
//! needs extended u64
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atom_or(p, v); }

//! atomic_bit_xor atomic_bit_xor_shared i32 u32
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atomic_xor(p, v); }

//! atomic_bit_xor atomic_bit_xor_shared i64 u64
//! needs extended u64
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atom_xor(p, v); }

//! atomic_exchange atomic_exchange_shared i32 u32
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atomic_xchg(p, v); }

//! atomic_exchange atomic_exchange_shared i64 u64
//! needs extended u64
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) { return atom_xchg(p, v); }

//! atomic_compare_exchange atomic_compare_exchange_shared i32 u32
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v, KIND expected) { return atomic_cmpxchg(p, expected, v); }

//! atomic_compare_exchange atomic_compare_exchange_shared i64 u64
//! needs extended u64
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v, KIND expected) { return atom_cmpxchg(p, expected, v); }

//! exchange f32 f64
FG_INLINE KIND FN(exchange, KIND)(KIND a, KIND b) { return b; }

//! atomic_add atomic_add_shared atomic_exchange atomic_exchange_shared f32 f64
//! needs WHAT KIND, SWAP UNSIGNED, bitcast KIND>UNSIGNED, bitcast UNSIGNED>KIND
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) {
  for (UINT(KIND) seen = *(SPACE volatile UINT(KIND)*)p;;) {
    const KIND wanted = FN(WHAT, KIND)(FN2(bitcast, UINT(KIND), KIND)(seen), v);
    const UINT(KIND) before = FN(SWAP, UINT(KIND))((SPACE UINT(KIND)*)p, FN2(bitcast, KIND, UINT(KIND))(wanted), seen);
    if (before == seen) return FN2(bitcast, UINT(KIND), KIND)(before);
    seen = before;
  }
}
