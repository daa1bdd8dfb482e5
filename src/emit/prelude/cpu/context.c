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
