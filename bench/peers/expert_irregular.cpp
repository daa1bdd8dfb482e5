// Hand-written sparse product and histograms.
#include <immintrin.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "peers/expert.h"
#include "peers/functions.h"

namespace bench {
namespace {

template <bool gathers>
void multiply_rows(Data& d) {
  auto rows = [&](std::int64_t first, std::int64_t last) {
    const float *v = d.values, *x = d.vector;
    const std::int32_t *c = d.columns, *rp = d.row_starts;
    for (std::int64_t r = first; r < last; r++) {
      std::int32_t b = rp[r], e = rp[r + 1];
      if (!gathers) {
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        std::int32_t k = b;
        for (; k + 4 <= e; k += 4) {
          s0 += v[k] * x[c[k]];
          s1 += v[k + 1] * x[c[k + 1]];
          s2 += v[k + 2] * x[c[k + 2]];
          s3 += v[k + 3] * x[c[k + 3]];
        }
        for (; k < e; k++) s0 += v[k] * x[c[k]];
        d.out[r] = (s0 + s1) + (s2 + s3);
      } else {
        Floats s = _mm512_setzero_ps();
        for (std::int32_t k = b; k < e; k += 16) {
          __mmask16 m = first_lanes(e - k);
          s = _mm512_fmadd_ps(
              _mm512_maskz_loadu_ps(m, v + k),
              _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, _mm512_maskz_loadu_epi32(m, c + k), x, 4), s);
        }
        d.out[r] = _mm512_reduce_add_ps(s);
      }
    }
  };
  if (d.n < 8192) {
    rows(0, d.rows);
    return;
  }
#pragma omp parallel
  {
    int t = omp_get_thread_num(), T = omp_get_num_threads();
    auto at = [&](int t) {
      return t == 0   ? 0
             : t == T ? d.rows
                      : std::lower_bound(d.row_starts, d.row_starts + d.rows, (std::int32_t)(d.n * t / T)) -
                            d.row_starts;
    };
    rows(at(t), at(t + 1));
  }
}

template <int copies>
void private_histograms(Data& d) {
  const int bins = d.bins;
  static std::vector<std::int32_t> buf[most_threads];
  auto count = [&](std::int64_t first, std::int64_t last, std::int32_t* h) {
    std::memset(h, 0, copies * 256 * 4);
    const std::int32_t* k = d.keys;
    std::int64_t i = first;
    for (; i + copies <= last; i += copies)
      for (int u = 0; u < copies; u++) h[u * 256 + k[i + u]]++;
    for (; i < last; i++) h[k[i]]++;
  };
  if (d.n < serial_below) {
    alignas(64) std::int32_t h[copies * 256];
    if (d.n < 1024) {
      std::memset(d.histogram, 0, bins * 4);
      for (std::int64_t i = 0; i < d.n; i++) d.histogram[d.keys[i]]++;
      return;
    }
    count(0, d.n, h);
    for (int b = 0; b < bins; b++) {
      int s = 0;
      for (int u = 0; u < copies; u++) s += h[u * 256 + b];
      d.histogram[b] = s;
    }
    return;
  }
  int T = threads();
  for (int t = 0; t < T; t++) buf[t].resize(copies * 256 + 64);
  parallel(d.n, 0, [&](int t, std::int64_t first, std::int64_t last) { count(first, last, buf[t].data()); });
  for (int b = 0; b < bins; b++) {
    int s = 0;
    for (int t = 0; t < T; t++)
      for (int u = 0; u < copies; u++) s += buf[t][u * 256 + b];
    d.histogram[b] = s;
  }
}

// Value and index in one integer, so that the least of them is the first of the least; copies as above.
void private_least(Data& d) {
  constexpr int copies = 4, most_bins = 256;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  static std::vector<std::int64_t> least[most_threads];
  const int used = d.n < serial_below ? 1 : threads();
  for (int t = 0; t < used; t++) least[t].assign(copies * most_bins + 8, none);
  parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
    std::int64_t* h = least[t].data();
    for (std::int64_t i = first; i < last; i++) {
      std::int64_t& so_far = h[(i % copies) * most_bins + d.keys[i]];
      so_far = std::min(so_far, std::int64_t{d.tied[i]} << 32 | i);
    }
  });
  for (std::int64_t b = 0; b < d.bins; b++) {
    std::int64_t all = none;
    for (int t = 0; t < used; t++)
      for (int u = 0; u < copies; u++) all = std::min(all, least[t][u * most_bins + b]);
    d.histogram[b] = static_cast<std::int32_t>(all == none ? std::numeric_limits<std::int32_t>::max() : all);
  }
}

}  // namespace

void add_expert_irregular_peers(Peers& peers) {
  peers.add("SMVM", "omp-expert", [](Data& d) { multiply_rows<false>(d); });

  peers.add("SMVM", "omp-expert-gather", [](Data& d) { multiply_rows<true>(d); });

  peers.add("Hist10", "omp-expert", [](Data& d) { private_histograms<8>(d); });

  peers.add("Hist256", "omp-expert", [](Data& d) { private_histograms<4>(d); });

  peers.add("HistLeast256", "omp-expert", private_least);

  peers.add("Hist1M", "omp-expert", [](Data& d) {
    const std::int64_t bins = d.bins;
    if (d.n < 20000) {
      std::memset(d.histogram, 0, bins * 4);
      for (std::int64_t i = 0; i < d.n; i++) d.histogram[d.keys[i]]++;
      return;
    }
    static auto* priv = static_cast<std::int32_t*>(std::aligned_alloc(2 << 20, 8 << 20));
#pragma omp parallel num_threads(2)
    {
      int t = omp_get_thread_num(), T = omp_get_num_threads();
      std::int32_t* h = t ? priv : d.histogram;
      std::memset(h, 0, bins * 4);
      std::int64_t first = d.n * t / T, last = d.n * (t + 1) / T;
      for (std::int64_t i = first; i < last; i++) h[d.keys[i]]++;
#pragma omp barrier
      if (T == 2) {
        std::int64_t l = bins * t / T, e = bins * (t + 1) / T;
        for (std::int64_t b = l; b < e; b++) d.histogram[b] += priv[b];
      }
    }
  });

  peers.add("Hist1M", "omp-expert-atomic", [](Data& d) {
    const std::int64_t bins = d.bins;
#pragma omp parallel if (d.n > 20000)
    {
      int t = omp_get_thread_num(), T = omp_get_num_threads();
      std::int64_t l = bins * t / T, e = bins * (t + 1) / T;
      std::memset(d.histogram + l, 0, (e - l) * 4);
#pragma omp barrier
      std::int64_t first = d.n * t / T, last = d.n * (t + 1) / T;
      for (std::int64_t i = first; i < last; i++)
        __atomic_fetch_add(&d.histogram[d.keys[i]], 1, __ATOMIC_RELAXED);
    }
  });
}

}  // namespace bench
