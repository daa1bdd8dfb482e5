// What our own peers share. Checks are on. Results are fresh arrays out of the pool, as every call returns
// them; those of the call before have gone back to the pool, so that ours, like the peers, write over what
// they wrote before. The harness's own output arrays are filled from them outside the timing.
#pragma once

#include <cstring>
#include <span>

#include "harness/data.h"
#include "programs.h"

namespace bench {

// Compiled once, at its first call, with the last result. Without fusion every operation is a kernel.
template <auto function, bool fuse = true>
struct Program {
  using Compiled = decltype(fg::compile(function));
  static const Compiled& compiled() {
    static const Compiled program = fg::compile(function, {.fuse = fuse});
    return program;
  }
  static inline typename Compiled::Result result{};
  template <class... Arguments>
  static void run(const Arguments&... arguments) {
    result = {};
    result = compiled()(arguments...);
  }
};

constexpr const char* name_of_ours(bool fuse) {
  return fuse ? our_name : unfused_name;
}

template <class T>
std::span<const T> view(const T* array, std::int64_t n) {
  return {array, static_cast<std::size_t>(n)};
}

template <class T, int N>
void copy(const fg::Array<T, N>& array, T* out) {
  std::memcpy(out, array.data(), static_cast<std::size_t>(array.size()) * sizeof(T));
}

void add_fulgurite_maps(Peers& peers);
void add_fulgurite_reductions(Peers& peers);
void add_fulgurite_irregular(Peers& peers);
void add_fulgurite_nested(Peers& peers);

}  // namespace bench
