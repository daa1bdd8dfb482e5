// What the hand-written peers share: "omp-expert" is OpenMP and AVX-512 as an expert would write them by
// hand, the level that a compiler should reach; variants carry a suffix: "-nt" stores past the caches,
// "-poly" has exp and log inlined as polynomials (the others call libmvec, 8 lanes at a time). Compiled by
// Clang 19 with -ffast-math.
#pragma once

#include <immintrin.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace bench {

using Ints = __m512i;
using Floats = __m512;

constexpr std::int64_t serial_below = 16384;  // elements of a cheap loop that are not worth a second thread

// f(thread, first, last) on each thread's contiguous piece of 0..n-1.
template <class F>
[[gnu::always_inline]] inline void parallel(std::int64_t n, std::int64_t serial_below_n, F f) {
  if (n < serial_below_n) {
    f(0, std::int64_t{0}, n);
    return;
  }
#pragma omp parallel
  {
    const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    const std::int64_t piece = ((n + threads - 1) / threads + 63) & ~std::int64_t{63};
    const std::int64_t first = std::min(n, thread * piece), last = std::min(n, first + piece);
    f(thread, first, last);
  }
}

// A thread's partial results, on cache lines of their own.
struct alignas(128) Slot {
  std::int64_t value[4];
  double real[4];
};
constexpr int most_threads = 64;

inline int threads() {
  static const int n = std::min(omp_get_max_threads(), most_threads);
  return n;
}

inline __mmask16 first_lanes(std::int64_t count) {
  return count >= 16 ? 0xFFFF : static_cast<__mmask16>((1u << count) - 1);
}

inline Floats all_lanes(float f) {
  return _mm512_set1_ps(f);
}
inline Ints lane_numbers() {
  return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// Prefixes of tiles that threads work on in turn: each waits for the one before it.
class Chain {
 public:
  explicit Chain(int call) : call_(call) {}
  std::int32_t wait_for_prefix(std::int64_t tile) const {
    if (tile == 0) return 0;
    std::int64_t state;
    while (static_cast<std::int32_t>((state = __atomic_load_n(&tiles_[tile - 1].state, __ATOMIC_ACQUIRE)) >>
                                     32) != call_)
      _mm_pause();
    return static_cast<std::int32_t>(state);
  }
  void publish(std::int64_t tile, std::int32_t prefix) const {
    __atomic_store_n(&tiles_[tile].state, (std::int64_t{call_} << 32) | static_cast<std::uint32_t>(prefix),
                     __ATOMIC_RELEASE);
  }
  static Chain next() {
    static int calls = 0;
    return Chain(++calls);
  }

 private:
  struct alignas(64) Tile {
    std::int64_t state;  // number of the call, prefix
  };
  static inline Tile tiles_[4096] = {};
  int call_;
};

}  // namespace bench
