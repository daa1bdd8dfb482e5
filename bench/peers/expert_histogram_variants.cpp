// Hand-written histograms of other types, operators and tuples: the algorithms of expert_irregular.cpp, once
// for all, and bins in registers.
#include <immintrin.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "peers/expert.h"
#include "peers/variant_functions.h"

namespace bench {
namespace {

// Bins of each thread, several copies in turn, so that an element rarely waits for the one before it.
// put(bins, i) folds element i into its bin, join(a, b) two bins, store(b, bin) the result.
template <int copies, int most_bins, class Bin, class Put, class JoinBins, class Store>
void fold_in_private_bins(const Data& d, Bin none, Put put, JoinBins join, Store store) {
  static std::vector<Bin> bins_of[most_threads];
  const int used = d.n < serial_below ? 1 : threads();
  for (int t = 0; t < used; t++) bins_of[t].assign(copies * most_bins + 128 / sizeof(Bin), none);
  parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
    Bin* bins = bins_of[t].data();
    std::int64_t i = first;
    for (; i + copies <= last; i += copies)
      for (int u = 0; u < copies; u++) put(bins + u * most_bins, i + u);
    for (; i < last; i++) put(bins, i);
  });
  for (std::int64_t b = 0; b < d.bins; b++) {
    Bin all = none;
    for (int t = 0; t < used; t++)
      for (int u = 0; u < copies; u++) all = join(all, bins_of[t][u * most_bins + b]);
    store(b, all);
  }
}

template <int copies, int most_bins>
void float_sums(Data& d) {
  const float* x = d.x;
  const std::int32_t* keys = d.keys;
  fold_in_private_bins<copies, most_bins>(
      d, 0.f, [=](float* bins, std::int64_t i) { bins[keys[i]] += x[i]; },
      [](float a, float b) { return a + b; }, [&](std::int64_t b, float sum) { d.histogram_f32[b] = sum; });
}
void maxima(Data& d) {
  const std::int32_t *x = d.tied, *keys = d.keys;
  fold_in_private_bins<8, 16>(
      d, std::numeric_limits<std::int32_t>::min(),
      [=](std::int32_t* bins, std::int64_t i) { bins[keys[i]] = std::max(bins[keys[i]], x[i]); },
      [](std::int32_t a, std::int32_t b) { return std::max(a, b); },
      [&](std::int64_t b, std::int32_t most) { d.histogram[b] = most; });
}
struct CountAndSum {
  std::int32_t count;
  float sum;
};
void counts_and_sums(Data& d) {
  const float* x = d.x;
  const std::int32_t* keys = d.keys;
  fold_in_private_bins<8, 16>(
      d, CountAndSum{0, 0},
      [=](CountAndSum* bins, std::int64_t i) {
        CountAndSum& bin = bins[keys[i]];
        bin.count++;
        bin.sum += x[i];
      },
      [](CountAndSum a, CountAndSum b) { return CountAndSum{a.count + b.count, a.sum + b.sum}; },
      [&](std::int64_t b, CountAndSum bin) {
        d.histogram[b] = bin.count;
        d.histogram_f32[b] = bin.sum;
      });
}
void byte_counts(Data& d) {
  const std::uint8_t* keys = d.small_u8;
  fold_in_private_bins<8, 256>(
      d, std::int32_t{0}, [=](std::int32_t* bins, std::int64_t i) { bins[keys[i]]++; },
      [](std::int32_t a, std::int32_t b) { return a + b; },
      [&](std::int64_t b, std::int32_t count) { d.histogram[b] = count; });
}
void long_sums(Data& d) {
  const std::int32_t *x = d.small, *keys = d.keys;
  fold_in_private_bins<4, 256>(
      d, std::int64_t{0}, [=](std::int64_t* bins, std::int64_t i) { bins[keys[i]] += x[i]; },
      [](std::int64_t a, std::int64_t b) { return a + b; },
      [&](std::int64_t b, std::int64_t sum) { d.histogram_i64[b] = sum; });
}

// Ten bins fit registers: each vector of elements is folded into all bins, under the masks of its keys.
template <class Bins>
void ten_bins_in_registers(Data& d, Bins* result) {
  const int used = d.n < serial_below ? 1 : threads();
  parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
    Bins bins[10];
    for (std::int64_t i = first; i < last; i += 16) {
      const __mmask16 valid = first_lanes(last - i);
      const Ints keys = _mm512_loadu_si512(d.keys + i);
      const auto x = Bins::load(d, i);
#pragma unroll
      for (int b = 0; b < 10; b++)
        bins[b].fold(_mm512_mask_cmpeq_epi32_mask(valid, keys, _mm512_set1_epi32(b)), x);
    }
    for (int b = 0; b < 10; b++) result[t * 10 + b] = bins[b];
  });
  for (int t = 1; t < used; t++)
    for (int b = 0; b < 10; b++) result[b].join(result[t * 10 + b]);
}
struct SumLanes {
  Floats sum = _mm512_setzero_ps();
  static Floats load(const Data& d, std::int64_t i) { return _mm512_loadu_ps(d.x + i); }
  void fold(__mmask16 m, Floats x) { sum = _mm512_mask_add_ps(sum, m, sum, x); }
  void join(SumLanes other) { sum = _mm512_add_ps(sum, other.sum); }
};
struct MostLanes {
  Ints most = _mm512_set1_epi32(std::numeric_limits<std::int32_t>::min());
  static Ints load(const Data& d, std::int64_t i) { return _mm512_loadu_si512(d.tied + i); }
  void fold(__mmask16 m, Ints x) { most = _mm512_mask_max_epi32(most, m, most, x); }
  void join(MostLanes other) { most = _mm512_max_epi32(most, other.most); }
};
struct CountAndSumLanes {
  std::int64_t count = 0;
  SumLanes sum;
  static Floats load(const Data& d, std::int64_t i) { return SumLanes::load(d, i); }
  void fold(__mmask16 m, Floats x) {
    count += __builtin_popcount(m);
    sum.fold(m, x);
  }
  void join(CountAndSumLanes other) {
    count += other.count;
    sum.join(other.sum);
  }
};

// More bins than a core's cache holds: the first thread folds into the result, each other one into bins of
// its own; then each joins a piece of all.
template <class Bin, class Put, class JoinBins>
void fold_in_large_bins(const Data& d, Bin* out, Bin none, Put put, JoinBins join) {
  const std::int64_t bins = d.bins, n = d.n;
  if (n < 20000) {
    std::fill_n(out, bins, none);
    for (std::int64_t i = 0; i < n; i++) put(out, i);
    return;
  }
  static auto* others = static_cast<Bin*>(
      std::aligned_alloc(2 << 20, static_cast<std::size_t>(threads()) * (2 << 20) * sizeof(Bin)));
#pragma omp parallel num_threads(threads())
  {
    const int t = omp_get_thread_num(), team = omp_get_num_threads();
    Bin* own = t ? others + (t - 1) * bins : out;
    std::fill_n(own, bins, none);
    for (std::int64_t i = n * t / team, last = n * (t + 1) / team; i < last; i++) put(own, i);
#pragma omp barrier
    const std::int64_t first = bins * t / team, last = bins * (t + 1) / team;
    for (int other = 1; other < team; other++) {
      const Bin* from = others + (other - 1) * bins;
#pragma omp simd
      for (std::int64_t b = first; b < last; b++) out[b] = join(out[b], from[b]);
    }
  }
}

}  // namespace

void add_expert_histogram_variants_peers(Peers& peers) {
  peers.add("Hist10-f32", "omp-expert", float_sums<8, 16>);
  peers.add("Hist256-f32", "omp-expert", float_sums<4, 256>);
  peers.add("Hist10-max", "omp-expert", maxima);
  peers.add("Hist10-count-sum", "omp-expert", counts_and_sums);
  peers.add("Hist256-u8", "omp-expert", byte_counts);
  peers.add("Hist256-i64", "omp-expert", long_sums);
  peers.add("Hist10-f32", "omp-ten-bins", [](Data& d) {
    static SumLanes lanes[most_threads * 10];
    ten_bins_in_registers(d, lanes);
    for (int b = 0; b < 10; b++) d.histogram_f32[b] = _mm512_reduce_add_ps(lanes[b].sum);
  });
  peers.add("Hist10-max", "omp-ten-bins", [](Data& d) {
    static MostLanes lanes[most_threads * 10];
    ten_bins_in_registers(d, lanes);
    for (int b = 0; b < 10; b++) d.histogram[b] = _mm512_reduce_max_epi32(lanes[b].most);
  });
  peers.add("Hist10-count-sum", "omp-ten-bins", [](Data& d) {
    static CountAndSumLanes lanes[most_threads * 10];
    ten_bins_in_registers(d, lanes);
    for (int b = 0; b < 10; b++) {
      d.histogram[b] = static_cast<std::int32_t>(lanes[b].count);
      d.histogram_f32[b] = _mm512_reduce_add_ps(lanes[b].sum.sum);
    }
  });
  peers.add("Hist1M-f32", "omp-expert", [](Data& d) {
    fold_in_large_bins(
        d, d.histogram_f32, 0.f, [&](float* bins, std::int64_t i) { bins[d.keys[i]] += d.x[i]; },
        [](float a, float b) { return a + b; });
  });
  peers.add("Hist1M-max", "omp-expert", [](Data& d) {
    fold_in_large_bins(
        d, d.histogram, std::numeric_limits<std::int32_t>::min(),
        [&](std::int32_t* bins, std::int64_t i) { bins[d.keys[i]] = std::max(bins[d.keys[i]], d.tied[i]); },
        [](std::int32_t a, std::int32_t b) { return std::max(a, b); });
  });
  peers.add("Hist1M-or", "omp-expert", [](Data& d) {
    fold_in_large_bins(
        d, d.histogram, std::int32_t{0},
        [&](std::int32_t* bins, std::int64_t i) { bins[d.keys[i]] |= d.small[i]; },
        [](std::int32_t a, std::int32_t b) { return a | b; });
  });
}

}  // namespace bench
