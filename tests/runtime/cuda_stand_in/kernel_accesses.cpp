// A part of every compiled kernel: the functions __tsan_*, which Clang has it call ahead of each load and
// store of memory that threads may share (-fsanitize=thread, of which nothing else is used), and the way to
// the stand-in.
#include "kernel_host.h"

#define FG_EXPORTED extern "C" __attribute__((visibility("default")))

FG_EXPORTED const fulgurite::runtime::test::KernelHost* fg_host;
const fulgurite::runtime::test::KernelHost* fg_host = nullptr;

extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[], _end[];
FG_EXPORTED const char* const fg_image[];
const char* const fg_image[] = {__ehdr_start, _end};

#define FG_ACCESSES(bytes)                               \
  void __tsan_read##bytes(void* p) {                     \
    fg_host->load(p, bytes, false);                      \
  }                                                      \
  void __tsan_write##bytes(void* p) {                    \
    fg_host->store(p, bytes, false);                     \
  }                                                      \
  void __tsan_unaligned_read##bytes(void* p) {           \
    fg_host->load(p, bytes, false);                      \
  }                                                      \
  void __tsan_unaligned_write##bytes(void* p) {          \
    fg_host->store(p, bytes, false);                     \
  }                                                      \
  void __tsan_volatile_read##bytes(void* p) {            \
    fg_host->load(p, bytes, true);                       \
  }                                                      \
  void __tsan_volatile_write##bytes(void* p) {           \
    fg_host->store(p, bytes, true);                      \
  }                                                      \
  void __tsan_unaligned_volatile_read##bytes(void* p) {  \
    fg_host->load(p, bytes, true);                       \
  }                                                      \
  void __tsan_unaligned_volatile_write##bytes(void* p) { \
    fg_host->store(p, bytes, true);                      \
  }
extern "C" {
FG_ACCESSES(1)
FG_ACCESSES(2)
FG_ACCESSES(4)
FG_ACCESSES(8)
FG_ACCESSES(16)
void* __tsan_memcpy(void* to, const void* from, unsigned long n) {
  fg_host->load(from, n, false);
  fg_host->store(to, n, false);
  return __builtin_memcpy(to, from, n);
}
void* __tsan_memmove(void* to, const void* from, unsigned long n) {
  fg_host->load(from, n, false);
  fg_host->store(to, n, false);
  return __builtin_memmove(to, from, n);
}
void* __tsan_memset(void* to, int byte, unsigned long n) {
  fg_host->store(to, n, false);
  return __builtin_memset(to, byte, n);
}
void __tsan_init() {}
}
