// What our own peers share. The harness's own output arrays are filled from results outside the timing.
#pragma once

#include <cstring>
#include <span>

#include "compiled.h"
#include "harness/data.h"
#include "programs.h"

namespace bench {

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
void add_fulgurite_dense_variants(Peers& peers);
void add_fulgurite_reductions(Peers& peers);
void add_fulgurite_irregular(Peers& peers);
void add_fulgurite_nested(Peers& peers);
void add_fulgurite_irregular_variants(Peers& peers);

}  // namespace bench
