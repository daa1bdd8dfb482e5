// Hand-written prefix sum and filter: one pass over tiles that a chain of prefixes joins, scans within
// registers.
#include <immintrin.h>

#include <bit>
#include <type_traits>

#include "peers/expert.h"
#include "peers/functions.h"

namespace bench {
namespace {

// The inclusive prefix sums of 16 lanes.
inline Ints scan_lanes(Ints v) {
  const Ints z = _mm512_setzero_si512();
  v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, z, 15));
  v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, z, 14));
  v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, z, 12));
  return _mm512_add_epi32(v, _mm512_alignr_epi32(v, z, 8));
}
template <bool non_temporal>
std::int32_t scan_piece(const std::int32_t* p, std::int32_t* o, std::int64_t first, std::int64_t last,
                        std::int32_t c, std::int64_t pf = 0) {
  Ints cv = _mm512_set1_epi32(c), lane15 = _mm512_set1_epi32(15);
  std::int64_t i = first;
  for (; i + 64 <= last; i += 64) {
    if (pf)
      for (int u = 0; u < 64; u += 16) _mm_prefetch((const char*)(p + i + pf + u), _MM_HINT_T1);
    Ints a = scan_lanes(_mm512_loadu_si512(p + i)), b = scan_lanes(_mm512_loadu_si512(p + i + 16)),
         e = scan_lanes(_mm512_loadu_si512(p + i + 32)), f = scan_lanes(_mm512_loadu_si512(p + i + 48));
    Ints ta = _mm512_permutexvar_epi32(lane15, a), tb = _mm512_permutexvar_epi32(lane15, b),
         te = _mm512_permutexvar_epi32(lane15, e), tf = _mm512_permutexvar_epi32(lane15, f);
    Ints ab = _mm512_add_epi32(ta, tb), abe = _mm512_add_epi32(ab, te), all = _mm512_add_epi32(abe, tf);
    Ints o0 = _mm512_add_epi32(a, cv), o1 = _mm512_add_epi32(_mm512_add_epi32(b, ta), cv),
         o2 = _mm512_add_epi32(_mm512_add_epi32(e, ab), cv),
         o3 = _mm512_add_epi32(_mm512_add_epi32(f, abe), cv);
    cv = _mm512_add_epi32(cv, all);
    if (non_temporal) {
      _mm512_stream_si512((Ints*)(o + i), o0);
      _mm512_stream_si512((Ints*)(o + i + 16), o1);
      _mm512_stream_si512((Ints*)(o + i + 32), o2);
      _mm512_stream_si512((Ints*)(o + i + 48), o3);
    } else {
      _mm512_storeu_si512(o + i, o0);
      _mm512_storeu_si512(o + i + 16, o1);
      _mm512_storeu_si512(o + i + 32, o2);
      _mm512_storeu_si512(o + i + 48, o3);
    }
  }
  c = _mm512_cvtsi512_si32(cv);
  for (; i < last; i++) {
    c += p[i];
    o[i] = c;
  }
  return c;
}
inline std::int32_t sum(const std::int32_t* p, std::int64_t first, std::int64_t last) {
  std::int32_t r = 0;
#pragma omp simd reduction(+ : r)
  for (std::int64_t i = first; i < last; i++) r += p[i];
  return r;
}

template <bool non_temporal, std::int64_t tile = 32768, bool prefetch = false>
void scan(Data& d) {
  const std::int64_t n = d.n;
  if (n < 65536) {
    scan_piece<non_temporal>(d.small, d.out_ints, 0, n, 0);
    return;
  }
  const Chain chain = Chain::next();
  const std::int64_t tiles = (n + tile - 1) / tile;
#pragma omp parallel
  {
    const int team = omp_get_num_threads();
    for (std::int64_t k = omp_get_thread_num(); k < tiles; k += team) {
      const std::int64_t first = k * tile, last = std::min(n, first + tile);
      const std::int32_t total = k + 1 < tiles ? sum(d.small, first, last) : 0;
      const std::int32_t prefix = chain.wait_for_prefix(k);
      chain.publish(k, prefix + total);
      const bool more = prefetch && last + team * tile <= n;
      scan_piece<non_temporal>(d.small, d.out_ints, first, last, prefix, more ? team * tile : 0);
    }
  }
}

// Compressed in registers, then stored whole: vpcompressd to memory is slow on Zen.
inline std::int64_t filter_piece(const std::int32_t* p, std::int32_t* o, std::int64_t first,
                                 std::int64_t last) {
  std::int64_t k = 0, i = first;
  const Ints one = _mm512_set1_epi32(1);
  for (; i + 16 <= last; i += 16) {
    Ints v = _mm512_loadu_si512(p + i);
    __mmask16 m = _mm512_testn_epi32_mask(v, one);
    _mm512_mask_storeu_epi32(o + k, first_lanes(__builtin_popcount(m)), _mm512_maskz_compress_epi32(m, v));
    k += __builtin_popcount(m);
  }
  for (; i < last; i++)
    if (!(p[i] & 1)) o[k++] = p[i];
  return k;
}
inline std::int64_t count_even(const std::int32_t* p, std::int64_t first, std::int64_t last) {
  std::int32_t c = 0;
#pragma omp simd reduction(+ : c)
  for (std::int64_t i = first; i < last; i++) c += p[i] & 1;
  return last - first - c;
}

std::int64_t filter(Data& d) {
  const std::int64_t n = d.n, tile = 32768;
  if (n < tile) return filter_piece(d.small, d.out_ints, 0, n);
  const Chain chain = Chain::next();
  const std::int64_t tiles = (n + tile - 1) / tile;
#pragma omp parallel
  for (std::int64_t k = omp_get_thread_num(); k < tiles; k += omp_get_num_threads()) {
    const std::int64_t first = k * tile, last = std::min(n, first + tile);
    const std::int64_t count = count_even(d.small, first, last);
    const std::int32_t prefix = chain.wait_for_prefix(k);
    chain.publish(k, prefix + static_cast<std::int32_t>(count));
    filter_piece(d.small, d.out_ints + prefix, first, last);
  }
  return chain.wait_for_prefix(tiles);
}

inline std::int64_t filter_fields_piece(Data& d, std::int64_t k, std::int64_t first, std::int64_t last) {
  const Floats half = all_lanes(.5f);
  std::int64_t i = first;
  for (; i + 16 <= last; i += 16) {
    const Floats x = _mm512_loadu_ps(d.x + i);
    const __mmask16 m = _mm512_cmp_ps_mask(x, half, _CMP_LT_OQ);
    const std::int64_t n = __builtin_popcount(m);
    _mm512_mask_storeu_ps(d.out + k, first_lanes(n), _mm512_maskz_compress_ps(m, x));
    _mm512_mask_storeu_ps(d.out2 + k, first_lanes(n), _mm512_maskz_compress_ps(m, _mm512_loadu_ps(d.y + i)));
    _mm512_mask_storeu_ps(d.out3 + k, first_lanes(n), _mm512_maskz_compress_ps(m, _mm512_loadu_ps(d.z + i)));
    k += n;
  }
  for (; i < last; i++)
    if (d.x[i] < .5f) {
      d.out[k] = d.x[i];
      d.out2[k] = d.y[i];
      d.out3[k++] = d.z[i];
    }
  return k;
}

void filter_fields(Data& d) {
  const std::int64_t n = d.n, tile = 16384;
  if (n < tile) {
    d.results[0] = static_cast<double>(filter_fields_piece(d, 0, 0, n));
    return;
  }
  const Chain chain = Chain::next();
  const std::int64_t tiles = (n + tile - 1) / tile;
#pragma omp parallel
  for (std::int64_t k = omp_get_thread_num(); k < tiles; k += omp_get_num_threads()) {
    const std::int64_t first = k * tile, last = std::min(n, first + tile);
    std::int32_t count = 0;
#pragma omp simd reduction(+ : count)
    for (std::int64_t i = first; i < last; i++) count += d.x[i] < .5f;
    const std::int32_t prefix = chain.wait_for_prefix(k);
    chain.publish(k, prefix + count);
    filter_fields_piece(d, prefix, first, last);
  }
  d.results[0] = chain.wait_for_prefix(tiles);
}

// The prefix maxima of the tiles are bits of floats in the chain.
void scan_max(Data& d) {
  const std::int64_t n = d.n, tile = n < 65536 ? n : 16384, tiles = (n + tile - 1) / tile;
  const auto shifted = [](Floats v, auto by) {
    return _mm512_castsi512_ps(
        _mm512_alignr_epi32(_mm512_castps_si512(v), _mm512_setzero_si512(), 16 - decltype(by)::value));
  };
  const auto piece = [&](std::int64_t first, std::int64_t last, float before) {
    Floats most = all_lanes(before);
    const Ints lane15 = _mm512_set1_epi32(15);
    std::int64_t i = first;
    for (; i + 16 <= last; i += 16) {
      Floats v = _mm512_loadu_ps(d.x + i);
      v = _mm512_max_ps(v, shifted(v, std::integral_constant<int, 1>()));
      v = _mm512_max_ps(v, shifted(v, std::integral_constant<int, 2>()));
      v = _mm512_max_ps(v, shifted(v, std::integral_constant<int, 4>()));
      v = _mm512_max_ps(v, shifted(v, std::integral_constant<int, 8>()));
      const Floats upto = _mm512_max_ps(v, most);
      most = _mm512_max_ps(most, _mm512_permutexvar_ps(lane15, v));
      if (n > 4 << 20)
        _mm512_stream_ps(d.out + i, upto);
      else
        _mm512_storeu_ps(d.out + i, upto);
    }
    float so_far = _mm512_cvtss_f32(most);
    for (; i < last; i++) d.out[i] = so_far = std::max(so_far, d.x[i]);
  };
  if (tiles == 1) return piece(0, n, 0);
  const Chain chain = Chain::next();
#pragma omp parallel
  for (std::int64_t k = omp_get_thread_num(); k < tiles; k += omp_get_num_threads()) {
    const std::int64_t first = k * tile, last = std::min(n, first + tile);
    float total = 0;
#pragma omp simd reduction(max : total)
    for (std::int64_t i = first; i < last; i++) total = std::max(total, d.x[i]);
    const float prefix = std::bit_cast<float>(chain.wait_for_prefix(k));
    chain.publish(k, std::bit_cast<std::int32_t>(std::max(prefix, total)));
    piece(first, last, prefix);
  }
}

}  // namespace

void add_expert_scan_peers(Peers& peers) {
  peers.add("ScanPlus", "omp-expert", [](Data& d) { scan<false>(d); });
  peers.add("ScanPlus", "omp-expert-nt", [](Data& d) { scan<true>(d); });
  peers.add("ScanPlus", "omp-expert-pf", [](Data& d) { scan<false, 16384, true>(d); });
  peers.add("ScanPlus", "omp-expert-nt-pf", [](Data& d) { scan<true, 16384, true>(d); });
  peers.add("ScanMax", "omp-expert", scan_max);
  peers.add("FilterFields", "omp-expert", filter_fields);
  peers.add("FilterEven", "omp-expert", [](Data& d) { d.results[0] = static_cast<double>(filter(d)); });
}

}  // namespace bench
