// Levels of this machine's instruction set, for which code is compiled ahead of time: named as FULGURITE_CPU
// and bundles name them, lower ones first. A processor that reaches a level also runs the code of all lower
// ones. Needs nothing of a library's, since the static run time asks too.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace fulgurite::runtime::cpu {

#if defined(__x86_64__)

inline constexpr std::array<std::string_view, 3> levels = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
inline constexpr std::string_view instruction_set = "x86-64";

// How many of the levels this processor reaches.
inline std::size_t n_levels_reached() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return 3;
  if (__builtin_cpu_supports("x86-64-v3")) return 2;
  return __builtin_cpu_supports("x86-64-v2") ? 1 : 0;
}

#elif defined(__aarch64__)

// Every processor of AArch64 has vectors of 16 bytes.
inline constexpr std::array<std::string_view, 1> levels = {"armv8-a"};
inline constexpr std::string_view instruction_set = "AArch64";

inline std::size_t n_levels_reached() {
  return 1;
}

// How many bytes a register of the Scalable Vector Extension has in this process; 0 where there is none.
inline std::size_t scalable_vector_bytes() {
  if ((getauxval(AT_HWCAP) & HWCAP_SVE) == 0) return 0;
  const int length = prctl(PR_SVE_GET_VL);
  return length < 0 ? 0 : static_cast<std::size_t>(length & PR_SVE_VL_LEN_MASK);
}

#else
#error "Fulgurite runs on x86-64 and on AArch64: add this machine's relocations and levels"
#endif

}  // namespace fulgurite::runtime::cpu
