// Atomic operations of CUDA (rules: ../both/arithmetic.c), all relaxed. Signed 64-bit numbers where CUDA has unsigned ones only: the bits are the same.

//! atomic_add i32 u32 u64 f32 f64
FG_INLINE KIND FN(atomic_add, KIND)(KIND* p, KIND v) { return atomicAdd(p, v); }

//! atomic_add i64
FG_INLINE i64 FN(atomic_add, i64)(i64* p, i64 v) { return (i64)atomicAdd((u64*)p, (u64)v); }

// Devices before Volta have no instruction that acquires.

//! load_acquire i32
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 700
FG_INLINE i32 FN(load_acquire, i32)(i32* p) {
  i32 value;
  asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
}
#else
FG_INLINE i32 FN(load_acquire, i32)(i32* p) {
  i32 value = atomicAdd(p, 0);
  __threadfence();
  return value;
}
#endif

//! atomic_min i32 i64 u32 u64
FG_INLINE KIND FN(atomic_min, KIND)(KIND* p, KIND v) { return atomicMin(p, v); }

//! atomic_max i32 i64 u32 u64
FG_INLINE KIND FN(atomic_max, KIND)(KIND* p, KIND v) { return atomicMax(p, v); }

//! atomic_bit_and i32 i64 u32 u64
FG_INLINE KIND FN(atomic_bit_and, KIND)(KIND* p, KIND v) { return (KIND)atomicAnd((UINT(KIND)*)p, (UINT(KIND))v); }

//! atomic_bit_or i32 i64 u32 u64
FG_INLINE KIND FN(atomic_bit_or, KIND)(KIND* p, KIND v) { return (KIND)atomicOr((UINT(KIND)*)p, (UINT(KIND))v); }

//! atomic_bit_xor i32 i64 u32 u64
FG_INLINE KIND FN(atomic_bit_xor, KIND)(KIND* p, KIND v) { return (KIND)atomicXor((UINT(KIND)*)p, (UINT(KIND))v); }

//! atomic_exchange i32 i64 u32 u64
FG_INLINE KIND FN(atomic_exchange, KIND)(KIND* p, KIND v) { return (KIND)atomicExch((UINT(KIND)*)p, (UINT(KIND))v); }

//! atomic_exchange f32
FG_INLINE f32 FN(atomic_exchange, f32)(f32* p, f32 v) { return atomicExch(p, v); }

//! atomic_exchange f64
FG_INLINE f64 FN(atomic_exchange, f64)(f64* p, f64 v) {
  return __longlong_as_double((i64)atomicExch((u64*)p, (u64)__double_as_longlong(v)));
}

//! atomic_compare_exchange i32 i64 u32 u64
FG_INLINE KIND FN(atomic_compare_exchange, KIND)(KIND* p, KIND v, KIND expected) {
  return (KIND)atomicCAS((UINT(KIND)*)p, (UINT(KIND))expected, (UINT(KIND))v);
}
