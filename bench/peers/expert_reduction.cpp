// Hand-written reductions. Non-commutative operators keep their order: products in a tree of neighbouring
// lanes, segments in lanes that own contiguous runs (an in-register transpose).
#include <immintrin.h>

#include <cstring>

#include "peers/expert.h"
#include "peers/expert_matrix.h"
#include "peers/functions.h"

namespace bench {
namespace {

Indexed index_of_max(const std::int32_t* p, std::int64_t first,
                     std::int64_t last) {  // strict > keeps the first index in each lane
  const int U = 4;
  Ints best[U], idx[U];
  Ints lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int u = 0; u < U; u++) {
    best[u] = _mm512_set1_epi32(INT32_MIN);
    idx[u] = _mm512_set1_epi32(INT32_MAX);
  }
  Ints cur[U];
  for (int u = 0; u < U; u++) cur[u] = _mm512_add_epi32(lane, _mm512_set1_epi32((int)first + 16 * u));
  Ints step = _mm512_set1_epi32(16 * U);
  std::int64_t i = first;
  for (; i + 16 * U <= last; i += 16 * U)
    for (int u = 0; u < U; u++) {
      Ints v = _mm512_loadu_si512(p + i + 16 * u);
      __mmask16 m = _mm512_cmpgt_epi32_mask(v, best[u]);
      best[u] = _mm512_max_epi32(v, best[u]);
      idx[u] = _mm512_mask_mov_epi32(idx[u], m, cur[u]);
      cur[u] = _mm512_add_epi32(cur[u], step);
    }
  Indexed r{INT32_MIN, INT32_MAX};
  std::int32_t bv[16], bi[16];
  for (int u = 0; u < U; u++) {
    _mm512_storeu_si512(bv, best[u]);
    _mm512_storeu_si512(bi, idx[u]);
    for (int k = 0; k < 16; k++) r = larger_then_first(r, Indexed{bv[k], bi[k]});
  }
  for (; i < last; i++) r = larger_then_first(r, Indexed{p[i], (std::int32_t)i});
  return r;
}

template <bool prefetch>
Segment segment(const std::int32_t* p, std::int64_t first,
                std::int64_t last) {  // lane l runs over its own contiguous piece of each block
  Segment r{0, 0, 0, 0};
  std::int64_t i = first;
  const int K = 64;
  Ints z = _mm512_setzero_si512();
  for (; i + 16 * K <= last; i += 16 * K) {
    Ints ms = z, mi = z, mc = z, ts = z;
    for (int k = 0; k < K; k += 16) {
      Ints q[16];
      for (int l = 0; l < 16; l++) {
        if (prefetch) _mm_prefetch((const char*)(p + i + 2 * 16 * K + (k + l) * 16), _MM_HINT_T0);
        q[l] = _mm512_loadu_si512(p + i + l * K + k);
      }
      transpose(q);
      for (int l = 0; l < 16; l++) {
        mc = _mm512_max_epi32(_mm512_add_epi32(mc, q[l]), z);
        ms = _mm512_max_epi32(ms, mc);
        ts = _mm512_add_epi32(ts, q[l]);
        mi = _mm512_max_epi32(mi, ts);
      }
    }
    std::int32_t a[16], b[16], c[16], e[16];
    _mm512_storeu_si512(a, ms);
    _mm512_storeu_si512(b, mi);
    _mm512_storeu_si512(c, mc);
    _mm512_storeu_si512(e, ts);
    for (int l = 0; l < 16; l++) r = join(r, Segment{a[l], b[l], c[l], e[l]});
  }
  for (; i < last; i++) r = join(r, lift(p[i]));
  return r;
}
template <bool prefetch>
void maximum_segment_sum(Data& d) {
  Slot s[most_threads] = {};
  parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
    Segment r = segment<prefetch>(d.small, first, last);
    s[t].value[0] = r.best;
    s[t].value[1] = r.prefix;
    s[t].value[2] = r.suffix;
    s[t].value[3] = r.total;
  });
  Segment r{0, 0, 0, 0};
  for (int t = 0; t < threads(); t++)
    r = join(r, Segment{(std::int32_t)s[t].value[0], (std::int32_t)s[t].value[1], (std::int32_t)s[t].value[2],
                        (std::int32_t)s[t].value[3]});
  d.results[0] = r.best;
  d.results[1] = r.prefix;
  d.results[2] = r.suffix;
  d.results[3] = r.total;
}

// States of doubles in two vectors: the lower lanes' and the upper ones'.
using Doubles = __m512d;
struct FactorLanes {
  Doubles best, prefix, suffix, total;
  explicit FactorLanes() { best = prefix = suffix = total = _mm512_set1_pd(1); }
  void step(Doubles x) {
    const Doubles f =
        _mm512_fmadd_pd(_mm512_sub_pd(x, _mm512_set1_pd(0.5)), _mm512_set1_pd(1e-3), _mm512_set1_pd(1));
    suffix = _mm512_max_pd(_mm512_mul_pd(suffix, f), _mm512_set1_pd(1));
    best = _mm512_max_pd(best, suffix);
    total = _mm512_mul_pd(total, f);
    prefix = _mm512_max_pd(prefix, total);
  }
  Factors lane(int l) const { return {best[l], prefix[l], suffix[l], total[l]}; }
  static Factors joined(Factors x, Factors y) { return join(x, y); }
  static Factors of(float x) { return single(factor(x)); }
};
struct MatrixLanes {
  Doubles a = _mm512_set1_pd(1), b = _mm512_setzero_pd(), c = b, d = a;
  void step(Doubles x) {
    const Doubles e = _mm512_mul_pd(_mm512_sub_pd(x, _mm512_set1_pd(0.5)), _mm512_set1_pd(1e-3));
    const Doubles r = _mm512_mul_pd(e, _mm512_set1_pd(-0.5)), s = _mm512_fmadd_pd(r, e, _mm512_set1_pd(1));
    const Doubles a0 = a, c0 = c;
    a = _mm512_fmadd_pd(b, r, a0);
    c = _mm512_fmadd_pd(d, r, c0);
    b = _mm512_fmadd_pd(a0, e, _mm512_mul_pd(b, s));
    d = _mm512_fmadd_pd(c0, e, _mm512_mul_pd(d, s));
  }
  Doubles2x2 lane(int l) const { return {a[l], b[l], c[l], d[l]}; }
  static Doubles2x2 joined(Doubles2x2 x, Doubles2x2 y) { return multiply(x, y); }
  static Doubles2x2 of(float x) { return near_unit(x); }
};
template <class Lanes, class State>
void fold_runs(Data& d, State unit) {
  struct alignas(64) Own {
    State state;
  } own[most_threads];
  for (int t = 0; t < threads(); t++) own[t].state = unit;
  parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
    const int K = 256;
    State r = unit;
    std::int64_t i = first;
    for (; i + 16 * K <= last; i += 16 * K) {
      Lanes low, high;
      for (int k = 0; k < K; k += 16) {
        Ints q[16];
        for (int l = 0; l < 16; l++) {
          _mm_prefetch((const char*)(d.x + i + 16 * K + (k + l) * 16), _MM_HINT_T0);
          q[l] = _mm512_loadu_si512(d.x + i + l * K + k);
        }
        transpose(q);
        for (int l = 0; l < 16; l++) {
          const Floats v = _mm512_castsi512_ps(q[l]);
          low.step(_mm512_cvtps_pd(_mm512_castps512_ps256(v)));
          high.step(_mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)));
        }
      }
      for (int l = 0; l < 8; l++) r = Lanes::joined(r, low.lane(l));
      for (int l = 0; l < 8; l++) r = Lanes::joined(r, high.lane(l));
    }
    for (; i < last; i++) r = Lanes::joined(r, Lanes::of(d.x[i]));
    own[t].state = r;
  });
  State r = unit;
  for (int t = 0; t < threads(); t++) r = Lanes::joined(r, own[t].state);
  std::memcpy(d.results, &r, sizeof r);
}

}  // namespace

void add_expert_reduction_peers(Peers& peers) {
  peers.add("ReducePlus", "omp-expert", [](Data& d) {
    Slot s[most_threads];
    for (int t = 0; t < threads(); t++) s[t].value[0] = 0;
    parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
      const std::int32_t* p = d.small;
      std::int32_t r = 0;
#pragma omp simd reduction(+ : r)
      for (std::int64_t i = first; i < last; i++) r += p[i];
      s[t].value[0] = r;
    });
    std::int32_t r = 0;
    for (int t = 0; t < threads(); t++) r += (std::int32_t)s[t].value[0];
    d.results[0] = r;
  });

  peers.add("ReduceMax", "omp-expert", [](Data& d) {
    Slot s[most_threads];
    for (int t = 0; t < threads(); t++) s[t].value[0] = INT32_MIN;
    parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
      const std::int32_t* p = d.tied;
      std::int32_t r = INT32_MIN;
#pragma omp simd reduction(max : r)
      for (std::int64_t i = first; i < last; i++) r = std::max(r, p[i]);
      s[t].value[0] = r;
    });
    std::int32_t r = INT32_MIN;
    for (int t = 0; t < threads(); t++) r = std::max(r, (std::int32_t)s[t].value[0]);
    d.results[0] = r;
  });

  peers.add("IndexOfMax", "omp-expert", [](Data& d) {
    Slot s[most_threads];
    for (int t = 0; t < threads(); t++) s[t].value[0] = INT32_MIN, s[t].value[1] = INT32_MAX;
    parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
      Indexed r = index_of_max(d.tied, first, last);
      s[t].value[0] = r.value;
      s[t].value[1] = r.index;
    });
    Indexed r{INT32_MIN, INT32_MAX};
    for (int t = 0; t < threads(); t++)
      r = larger_then_first(r, Indexed{(std::int32_t)s[t].value[0], (std::int32_t)s[t].value[1]});
    d.results[0] = r.value;
    d.results[1] = r.index;
  });

  peers.add("IndexOfMaxPack", "omp-expert", [](Data& d) {
    Slot s[most_threads];
    for (int t = 0; t < threads(); t++) s[t].value[0] = INT64_MIN;
    parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
      const std::int32_t* p = d.tied;
      std::int64_t r = INT64_MIN;
#pragma omp simd reduction(max : r)
      for (std::int64_t i = first; i < last; i++)
        r = std::max(r, ((std::int64_t)p[i] << 32) | (std::int64_t)(std::uint32_t)~(std::uint32_t)i);
      s[t].value[0] = r;
    });
    std::int64_t r = INT64_MIN;
    for (int t = 0; t < threads(); t++) r = std::max(r, s[t].value[0]);
    d.results[0] = (std::int32_t)(r >> 32);
    d.results[1] = (std::int32_t)~(std::uint32_t)r;
  });

  peers.add("Reduce2x2MM", "omp-expert", [](Data& d) {
    std::uint32_t s = seed_2x2;
    for (int k = 0; k < products_2x2; k++) {
      Slot q[most_threads];
      for (int t = 0; t < threads(); t++) q[t].value[0] = identity_2x2;
      parallel(d.n, 8192, [&](int t, std::int64_t first, std::int64_t last) {
        q[t].value[0] = product(d.small, first, last, s);
      });
      std::uint32_t r = identity_2x2;
      for (int t = 0; t < threads(); t++) r = multiply_2x2(r, (std::uint32_t)q[t].value[0]);
      s = r;
    }
    d.results[0] = s;
  });

  peers.add("MSSP", "omp-expert", [](Data& d) { maximum_segment_sum<true>(d); });

  peers.add("MSPP", "omp-expert", [](Data& d) { fold_runs<FactorLanes>(d, Factors{1, 1, 1, 1}); });

  peers.add("Product2x2", "omp-expert", [](Data& d) { fold_runs<MatrixLanes>(d, Doubles2x2{1, 0, 0, 1}); });

  peers.add("MSSP", "omp-expert-nopf", [](Data& d) { maximum_segment_sum<false>(d); });
}

}  // namespace bench
