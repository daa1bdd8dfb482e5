// Loads and stores of vectors (rules: types.c, ../../cpu/memory.c).

//! load i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(KIND) FN(load, KIND)(const KIND* p) {
  typedef V(KIND) loose __attribute__((aligned(sizeof(KIND)), may_alias));
  return *(const loose*)p;
}

//! store i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE void FN(store, KIND)(KIND* p, V(KIND) v) {
  typedef V(KIND) loose __attribute__((aligned(sizeof(KIND)), may_alias));
  *(loose*)p = v;
}

//! store_stream i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// Past the caches where the processor can.
FG_INLINE void FN(store_stream, KIND)(KIND* p, V(KIND) v) { FN(store, KIND)(p, v); }

//! load_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// p[l] where the mask holds, else the lane of `other`.
FG_INLINE V(KIND) FN(load_masked, KIND)(const KIND* p, V(b1) m, V(KIND) other) {
#define FG_STEP(l) if (IS_ON(m, l)) other[l] = p[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return other;
}

//! store_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE void FN(store_masked, KIND)(KIND* p, V(KIND) v, V(b1) m) {
#define FG_STEP(l) if (IS_ON(m, l)) p[l] = v[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
}

//! reversed_ b1
#if defined FG_AVX512VL
FG_INLINE V(b1) FN(reversed_, b1)(V(b1) v) {
  u32 bits = 0;
#define FG_STEP(l) bits |= (u32)(v >> l & 1) << (LANES - 1 - l);
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return (V(b1))bits;
}
#else
FG_INLINE V(b1) FN(reversed_, b1)(V(b1) v) { return __builtin_shufflevector(v, v, LIST(LANES - 1, -1, LANES)); }
#endif

//! load_strided i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// p[0], p[stride], p[2 * stride] ...
FG_INLINE V(KIND) FN(load_strided, KIND)(const KIND* p, i64 stride) {
#define FG_STEP(l) p[l * stride],
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
}

//! load_strided_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// A lane that is off gives 0, here and below.
FG_INLINE V(KIND) FN(load_strided_masked, KIND)(const KIND* p, i64 stride, V(b1) m) {
#define FG_STEP(l) IS_ON(m, l) ? p[l * stride] : 0,
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
}

//! store_strided i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE void FN(store_strided, KIND)(KIND* p, i64 stride, V(KIND) v) {
#define FG_STEP(l) p[l * stride] = v[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
}

//! store_strided_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE void FN(store_strided_masked, KIND)(KIND* p, i64 stride, V(KIND) v, V(b1) m) {
#define FG_STEP(l) if (IS_ON(m, l)) p[l * stride] = v[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
}

//! gather i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// p[index] where the mask holds, else 0.
FG_INLINE V(KIND) FN(gather, KIND)(const KIND* p, V(i64) index, V(b1) m) {
#define FG_STEP(l) IS_ON(m, l) ? p[index[l]] : 0,
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
}

//! gather_near i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(KIND) FN(gather_near, KIND)(const KIND* p, V(i32) index, V(b1) m) {
#define FG_STEP(l) IS_ON(m, l) ? p[index[l]] : 0,
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
}

//! gather_near b1
FG_INLINE V(b1) FN(gather_near, b1)(const u8* p, V(i32) index, V(b1) m) { return TO_B1((V(i8))(FN(gather_near, u8)(p, index, m) != 0)); }

//! scatter i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// p[index] = v where the mask holds; of equal indices the highest lane wins.
FG_INLINE void FN(scatter, KIND)(KIND* p, V(i64) index, V(KIND) v, V(b1) m) {
#define FG_STEP(l) if (IS_ON(m, l)) p[index[l]] = v[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
}

//! pack i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// The lanes whose mask holds, in order and without gaps, to p; up to p[LANES - 1] anything may be written behind them. Gives the address
// behind the last one.
FG_INLINE KIND* FN(pack, KIND)(KIND* p, V(KIND) v, V(b1) m) {
#define FG_STEP(l) *p = v[l], p += IS_ON(m, l) & 1;
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return p;
}

//! pack b1
FG_INLINE u8* FN(pack, b1)(u8* p, V(b1) v, V(b1) m) { return FN(pack, u8)(p, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0)), m); }

//! fg_report_lanes
FG_OUT_OF_LINE void fg_report_lanes(const fg_context* c, i32 site, i64 n_lanes, const u8* failed, i64 element, i64 stride, const i64* values,
                                    const i64* bounds) {
  for (i64 l = 0; l < n_lanes; ++l)
    if (failed[l]) c->report(c->failure, site, element + l * stride, values[l], bounds[l]);
}

//! fg_report_lanes_and_more
// Further values: of lane l the k-th is more[k * n_lanes + l].
FG_OUT_OF_LINE void fg_report_lanes_and_more(const fg_context* c, i32 site, i64 n_lanes, const u8* failed, i64 element, i64 stride,
                                             const i64* values, const i64* bounds, i64 group, i32 n, const i64* more) {
  i64 of_lane[14];
  for (i64 l = 0; l < n_lanes; ++l) {
    if (!failed[l]) continue;
    for (i32 k = 0; k < n; ++k) of_lane[k] = more[k * n_lanes + l];
    c->report_more(c->failure, site, element + l * stride, values[l], bounds[l], group, n, of_lane);
  }
}

//! fail b1
// Lane l fails as element + l * stride.
FG_INLINE void FN(fail, b1)(const fg_context* c, i32 site, V(b1) when, i64 element, i64 stride, V(i64) value, V(i64) bound) {
  u8 failed[LANES];
  i64 values[LANES], bounds[LANES];
  FN(store, b1)(failed, when);
  FN(store, i64)(values, value);
  FN(store, i64)(bounds, bound);
  fg_report_lanes(c, site, LANES, failed, element, stride, values, bounds);
}

//! fail_more b1
// With n further values, and a group of elements that count as one.
FG_INLINE void FN(fail_more, b1)(const fg_context* c, i32 site, V(b1) when, i64 element, i64 stride, V(i64) value, V(i64) bound, i64 group,
                                 i32 n, const V(i64)* more) {
  u8 failed[LANES];
  i64 values[LANES], bounds[LANES];
  FN(store, b1)(failed, when);
  FN(store, i64)(values, value);
  FN(store, i64)(bounds, bound);
  fg_report_lanes_and_more(c, site, LANES, failed, element, stride, values, bounds, group, n, (const i64*)more);
}
