// What a kernel is called with, and how it reports a failure (rules: types.c).

//! context
struct fg_failure;
typedef struct fg_context {
  void* const* buffers;
  const i64* scalars;
  struct fg_failure* failure;
  void (*report)(struct fg_failure*, i32 site, i64 element, i64 value, i64 bound);
  void (*yield)(void);  // offers the core to other threads
  i64 at_once;          // threads that share the tasks
  void (*report_more)(struct fg_failure*, i32 site, i64 element, i64 value, i64 bound, i64 group, i32 n, const i64* more);
} fg_context;

//! fail b1
// Out of line: kernels that do not fail carry none of it but a test. Lane l fails as element + l * stride.
static __attribute__((noinline, cold, unused)) void FN(fail, b1)(const fg_context* c, i32 site, V(b1) when, i64 element, i64 stride,
                                                                 V(i64) value, V(i64) bound) {
#if LANES == 1
  (void)stride;
  if (when) c->report(c->failure, site, element, value, bound);
#else
  V(i8) failed = __builtin_convertvector(when, V(i8));
  for (i64 l = 0; l < LANES; ++l)
    if (failed[l]) c->report(c->failure, site, element + l * stride, value[l], bound[l]);
#endif
}

//! fail_more b1
// With n further values, and a group of elements that count as one.
static __attribute__((noinline, cold, unused)) void FN(fail_more, b1)(const fg_context* c, i32 site, V(b1) when, i64 element, i64 stride,
                                                                      V(i64) value, V(i64) bound, i64 group, i32 n, const V(i64)* more) {
  i64 values[14];
#if LANES == 1
  (void)stride;
  for (i32 k = 0; k < n; ++k) values[k] = more[k];
  if (when) c->report_more(c->failure, site, element, value, bound, group, n, values);
#else
  V(i8) failed = __builtin_convertvector(when, V(i8));
  for (i64 l = 0; l < LANES; ++l) {
    if (!failed[l]) continue;
    for (i32 k = 0; k < n; ++k) values[k] = more[k][l];
    c->report_more(c->failure, site, element + l * stride, value[l], bound[l], group, n, values);
  }
#endif
}
