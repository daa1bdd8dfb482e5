// Streaming stores to addresses that need not be aligned (rules: types.c).

//! store_streaming i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs store KIND, store_stream KIND
// Streams where p is aligned to the vector's size, at most 64 bytes. The branch always goes one way: stores of one loop share their alignment.
FG_INLINE void FN(store_streaming, KIND)(KIND* p, V(KIND) v) {
  const u64 size = sizeof(V(KIND)) < 64 ? sizeof(V(KIND)) : 64;
  if (((u64)p & (size - 1)) == 0) FN(store_stream, KIND)(p, v);
  else FN(store, KIND)(p, v);
}

//! store_streaming b1
//! needs store_streaming u8
FG_INLINE void FN(store_streaming, b1)(u8* p, V(b1) v) { FN(store_streaming, u8)(p, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0))); }
