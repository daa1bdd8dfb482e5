// Tasks of a phase that take turns (rules: types.c).

//! await_turn i64
// Until *turn is `task`. What the tasks before stored until they passed theirs on is seen from here on.
FG_INLINE void FN(await_turn, i64)(const fg_context* c, const i64* turn, i64 task) {
  for (i32 looks = 0; __atomic_load_n(turn, __ATOMIC_ACQUIRE) != task; ++looks) {
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
    if (looks >= 1024) c->yield();
  }
}

//! pass_turn i64
FG_INLINE void FN(pass_turn, i64)(i64* turn, i64 task) { __atomic_store_n(turn, task + 1, __ATOMIC_RELEASE); }
