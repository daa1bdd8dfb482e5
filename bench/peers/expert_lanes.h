// What the hand-written versions of variants share, over element types: a vector of as many lanes as fit into
// 64 bytes, loops that store vectors, folds of threads' parts.
#pragma once

#include <array>
#include <cstring>

#include "peers/expert.h"

namespace bench {

template <class T>
using Lanes [[gnu::vector_size(64)]] = T;
template <class T>
constexpr std::int64_t n_lanes = 64 / sizeof(T);

template <class T>
[[gnu::always_inline]] inline Lanes<T> load(const T* from) {
  Lanes<T> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <bool non_temporal, class T>
[[gnu::always_inline]] inline void store(T* to, Lanes<T> v) {
  if constexpr (non_temporal) {
    __builtin_nontemporal_store(v, reinterpret_cast<Lanes<T>*>(to));
  } else {
    std::memcpy(to, &v, sizeof v);
  }
}
template <class T>
[[gnu::always_inline]] inline void store_first(T* to, std::int64_t count, Lanes<T> v) {
  const auto bits = reinterpret_cast<Ints>(v);
  if constexpr (sizeof(T) == 8) {
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(first_lanes(std::min<std::int64_t>(count, 8))), bits);
  } else {
    static_assert(sizeof(T) == 4);
    _mm512_mask_storeu_epi32(to, first_lanes(count), bits);
  }
}
template <class T>
[[gnu::always_inline]] inline Lanes<T> all_lanes_of(T x) {
  return x - Lanes<T>{};
}

// f(i) gives, for each output, the elements from i on, a vector; inputs are padded, so it may read past the
// end.
template <bool non_temporal, class T, std::size_t n_outputs, class F>
[[gnu::always_inline]] inline void store_lanes(const std::array<T*, n_outputs>& to, std::int64_t first,
                                               std::int64_t last, F f) {
  constexpr std::int64_t step = n_lanes<T>;
  std::int64_t i = first;
  for (; i + 2 * step <= last; i += 2 * step) {
    const std::array<Lanes<T>, n_outputs> a = f(i), b = f(i + step);
    for (std::size_t k = 0; k < n_outputs; ++k) {
      store<non_temporal>(to[k] + i, a[k]);
      store<non_temporal>(to[k] + i + step, b[k]);
    }
  }
  for (; i < last; i += step) {
    const std::array<Lanes<T>, n_outputs> a = f(i);
    for (std::size_t k = 0; k < n_outputs; ++k) store_first(to[k] + i, last - i, a[k]);
  }
  if (non_temporal) _mm_sfence();
}

template <bool non_temporal, class T, std::size_t n_outputs, class F>
void map_lanes(std::int64_t n, const std::array<T*, n_outputs>& to, F f, std::int64_t alone = serial_below) {
  parallel(n, alone, [&](int, std::int64_t first, std::int64_t last) {
    store_lanes<non_temporal>(to, first, last, f);
  });
}

// The threads' parts, joined in order; piece(first, last) gives one.
template <class State, class Piece, class Join>
State fold_parts(std::int64_t n, State unit, Piece piece, Join join, std::int64_t alone = serial_below) {
  struct alignas(128) Own {
    State state;
  } own[most_threads];
  for (int t = 0; t < threads(); ++t) own[t].state = unit;
  parallel(n, alone,
           [&](int t, std::int64_t first, std::int64_t last) { own[t].state = piece(first, last); });
  State all = unit;
  for (int t = 0; t < threads(); ++t) all = join(all, own[t].state);
  return all;
}

}  // namespace bench
