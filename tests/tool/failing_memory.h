// Memory that can be made to run out: operator new, aligned_alloc and mmap of a program, each of whose calls
// by the library or the program itself counts. Those of compilers and drivers do not. To be included by one
// file of a program that exports its symbols.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace failing_memory {

/// What is refused: no allocation, the n-th from now on, or that one and all after it.
enum class Refused { none, one, all };

inline std::atomic<Refused> refused{Refused::none};
inline std::atomic<std::int64_t> n_left{0};   // allocations until the first that is refused
inline std::atomic<std::int64_t> n_alive{0};  // allocations of operator new that were not given back

inline void refuse(Refused which, std::int64_t n) {
  n_left = n;
  refused = which;
}
/// Ends refusing; whether anything was refused.
inline bool stop_refusing() {
  return refused.exchange(Refused::none) != Refused::none && n_left < 0;
}

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool has(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return begin <= at && at < end;
  }
};
/// The code of the program, of the library, and of C++'s own library, whose strings allocate for both.
inline std::array<Range, 3> code;

inline void find_code() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void*) {
        const bool is_program = info->dlpi_name[0] == 0,
                   is_cpp = strstr(info->dlpi_name, "libstdc++") != nullptr;
        if (!is_program && !is_cpp && strstr(info->dlpi_name, "libfulgurite.so") == nullptr) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
          Range& range = code[is_program ? 0 : is_cpp ? 2 : 1];
          if (range.begin == 0) range.begin = info->dlpi_addr + part.p_vaddr;
          range.end = info->dlpi_addr + part.p_vaddr + part.p_memsz;
        }
        return 0;
      },
      nullptr);
}

inline bool everybody_counts = false;

/// Whether the program or the library asked, maybe through C++'s library.
inline bool is_ours(const void* caller) {
  if (everybody_counts) return true;
  if (code[0].has(caller) || code[1].has(caller)) return true;
  if (!code[2].has(caller)) return false;
  const void* asker = nullptr;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* found) {
        const void* const at = reinterpret_cast<const void*>(_Unwind_GetIP(context));
        static thread_local bool in_cpp;
        if (code[2].has(at)) {
          in_cpp = true;
          return _URC_NO_REASON;
        }
        if (!in_cpp) return _URC_NO_REASON;  // this file
        in_cpp = false;
        *static_cast<const void**>(found) = at;
        return _URC_END_OF_STACK;
      },
      &asker);
  return code[0].has(asker) || code[1].has(asker);
}

/// Whether an allocation is to fail.
inline bool is_refused(const void* caller) {
  if (refused.load(std::memory_order_relaxed) == Refused::none || !is_ours(caller)) return false;
  const std::int64_t left = n_left.fetch_sub(1);
  return left == 0 || (left < 0 && refused == Refused::all);
}

inline void* allocate(std::size_t bytes, std::size_t alignment, const void* caller) noexcept {
  if (is_refused(caller)) return nullptr;
  void* memory = nullptr;
  if (alignment <= alignof(std::max_align_t))
    memory = std::malloc(bytes == 0 ? 1 : bytes);
  else if (posix_memalign(&memory, alignment, bytes) != 0)
    memory = nullptr;
  if (memory != nullptr) n_alive.fetch_add(1, std::memory_order_relaxed);
  return memory;
}
inline void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
inline void give_back(void* memory) noexcept {
  if (memory != nullptr) n_alive.fetch_sub(1, std::memory_order_relaxed);
  std::free(memory);
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace failing_memory

// clang-format off
#define FAILING_MEMORY_CALLER __builtin_return_address(0)
void* operator new(std::size_t n) { return failing_memory::or_throw(failing_memory::allocate(n, failing_memory::usual, FAILING_MEMORY_CALLER)); }
void* operator new[](std::size_t n) { return failing_memory::or_throw(failing_memory::allocate(n, failing_memory::usual, FAILING_MEMORY_CALLER)); }
void* operator new(std::size_t n, std::align_val_t a) { return failing_memory::or_throw(failing_memory::allocate(n, std::size_t(a), FAILING_MEMORY_CALLER)); }
void* operator new[](std::size_t n, std::align_val_t a) { return failing_memory::or_throw(failing_memory::allocate(n, std::size_t(a), FAILING_MEMORY_CALLER)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return failing_memory::allocate(n, failing_memory::usual, FAILING_MEMORY_CALLER); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return failing_memory::allocate(n, failing_memory::usual, FAILING_MEMORY_CALLER); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return failing_memory::allocate(n, std::size_t(a), FAILING_MEMORY_CALLER); }
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return failing_memory::allocate(n, std::size_t(a), FAILING_MEMORY_CALLER); }
void operator delete(void* p) noexcept { failing_memory::give_back(p); }
void operator delete[](void* p) noexcept { failing_memory::give_back(p); }
void operator delete(void* p, std::size_t) noexcept { failing_memory::give_back(p); }
void operator delete[](void* p, std::size_t) noexcept { failing_memory::give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { failing_memory::give_back(p); }
void operator delete[](void* p, std::align_val_t) noexcept { failing_memory::give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { failing_memory::give_back(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { failing_memory::give_back(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { failing_memory::give_back(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { failing_memory::give_back(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { failing_memory::give_back(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { failing_memory::give_back(p); }
#undef FAILING_MEMORY_CALLER
// clang-format on

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  void* memory = nullptr;
  if (failing_memory::is_refused(__builtin_return_address(0)) ||
      posix_memalign(&memory, alignment, bytes) != 0)
    return nullptr;
  return memory;
}

#ifndef FULGURITE_SANITIZED  // whose run time maps memory before it can be asked
extern "C" void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t from) noexcept {
  if (failing_memory::is_refused(__builtin_return_address(0))) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, bytes, protection, flags, file, from));
}
#endif
