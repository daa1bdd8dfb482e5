// Hand-written versions of two programs as the redomap paper defines them. Compiled without -ffast-math,
// which would take (beg + step) - beg for step.
#include <immintrin.h>

#include "peers/expert_math.h"
#include "peers/functions.h"

namespace bench {
namespace {

inline Floats numbers_from(std::int64_t first) {
  return _mm512_cvtepi32_ps(_mm512_add_epi32(lane_numbers(), _mm512_set1_epi32(static_cast<int>(first))));
}

struct Sums {
  Floats levels = _mm512_setzero_ps(), least = all_lanes(3.0e38f), most = all_lanes(-3.0e38f);
};

template <bool non_temporal>
void redomap(Data& d) {
  Slot slots[most_threads];
  const float freq = 6144.f / static_cast<float>(d.n);
  const Floats freqs = all_lanes(freq), months = all_lanes(month), rate = all_lanes(0.03f / year);
  const std::int64_t alone = 4096;
  const int team = d.n < alone ? 1 : threads();
  parallel(d.n, alone, [&](int thread, std::int64_t first, std::int64_t last) {
    auto step = [&](std::int64_t i, Sums& sums, __mmask16 lanes, auto store) {
      const Floats beg = _mm512_fmadd_ps(_mm512_mul_ps(freqs, numbers_from(i)), months, all_lanes(maturity));
      const Floats end = _mm512_fmadd_ps(freqs, months, beg);
      const Floats zc_beg = exp_lanes(_mm512_mul_ps(rate, _mm512_sub_ps(beg, all_lanes(today))));
      const Floats zc_end = exp_lanes(_mm512_mul_ps(rate, _mm512_sub_ps(end, all_lanes(today))));
      sums.levels = _mm512_mask3_fmadd_ps(zc_end, _mm512_sub_ps(beg, end), sums.levels, lanes);
      sums.least = _mm512_mask_min_ps(sums.least, lanes, sums.least, beg);
      sums.most = _mm512_mask_max_ps(sums.most, lanes, sums.most, end);
      store(i, zc_beg, zc_end);
    };
    auto whole = [&](std::int64_t i, Floats beg, Floats end) {
      if (non_temporal) {
        _mm512_stream_ps(d.out + i, beg);
        _mm512_stream_ps(d.out2 + i, end);
      } else {
        _mm512_store_ps(d.out + i, beg);
        _mm512_store_ps(d.out2 + i, end);
      }
    };
    Sums even, odd;
    std::int64_t i = first;
    for (; i + 32 <= last; i += 32) {  // two vectors hide each other's latency
      step(i, even, 0xFFFF, whole);
      step(i + 16, odd, 0xFFFF, whole);
    }
    for (; i < last; i += 16) {
      const __mmask16 lanes = first_lanes(last - i);
      step(i, even, lanes, [&](std::int64_t, Floats beg, Floats end) {
        _mm512_mask_storeu_ps(d.out + i, lanes, beg);
        _mm512_mask_storeu_ps(d.out2 + i, lanes, end);
      });
    }
    if (non_temporal) _mm_sfence();
    double* out = slots[thread].real;
    out[0] = _mm512_reduce_add_ps(_mm512_add_ps(even.levels, odd.levels));
    out[1] = _mm512_reduce_min_ps(_mm512_min_ps(even.least, odd.least));
    out[2] = _mm512_reduce_max_ps(_mm512_max_ps(even.most, odd.most));
  });
  double levels = 0, least = 3.0e38, most = -3.0e38;
  for (int t = 0; t < team; ++t) {
    levels += slots[t].real[0];
    least = std::min(least, slots[t].real[1]);
    most = std::max(most, slots[t].real[2]);
  }
  put_dates(d, levels / year, static_cast<float>(least), static_cast<float>(most));
}

void black_scholes_sum(Data& d) {
  Slot slots[most_threads];
  const std::int64_t alone = 4096;
  const int team = d.n < alone ? 1 : threads();
  const Floats per_day = all_lanes(4.f / static_cast<float>(d.n)), strike = all_lanes(65.f);
  parallel(d.n, alone, [&](int thread, std::int64_t first, std::int64_t last) {
    auto price = [&](std::int64_t i) {  // day i + 1 is in lane 0: even lanes are puts
      const Floats day = numbers_from(i + 1), years = _mm512_mul_ps(day, all_lanes(1.f / 365.f));
      const Floats spot = _mm512_fmadd_ps(per_day, day, all_lanes(58.f));
      const Floats spread = _mm512_mul_ps(all_lanes(0.3f), _mm512_sqrt_ps(years));
      const Floats growth = _mm512_fmadd_ps(all_lanes(0.08f + 0.5f * 0.3f * 0.3f), years,
                                            log_lanes(_mm512_mul_ps(spot, all_lanes(1.f / 65.f))));
      const Floats d1 = _mm512_mul_ps(growth, reciprocal(spread)), d2 = _mm512_sub_ps(d1, spread);
      const Floats discounted = _mm512_mul_ps(strike, exp_lanes(_mm512_mul_ps(all_lanes(-0.08f), years)));
      const Floats call =
          _mm512_fmsub_ps(spot, normal_cdf_lanes(d1), _mm512_mul_ps(discounted, normal_cdf_lanes(d2)));
      return _mm512_mask_sub_ps(call, 0x5555, call, _mm512_sub_ps(spot, discounted));
    };
    Floats even = _mm512_setzero_ps(), odd = even;
    std::int64_t i = first;
    for (; i + 32 <= last; i += 32) {
      even = _mm512_add_ps(even, price(i));
      odd = _mm512_add_ps(odd, price(i + 16));
    }
    for (; i < last; i += 16) even = _mm512_mask_add_ps(even, first_lanes(last - i), even, price(i));
    slots[thread].real[0] = _mm512_reduce_add_ps(_mm512_add_ps(even, odd));
  });
  double sum = 0;
  for (int t = 0; t < team; ++t) sum += slots[t].real[0];
  d.results[0] = sum;
}

}  // namespace

void add_expert_paper_peers(Peers& peers) {
  peers.add("RedomapNT-paper", "omp-expert-poly", redomap<false>);
  peers.add("RedomapNT-paper", "omp-expert-poly-nt", redomap<true>);
  peers.add("BlackScholes-paper", "omp-expert-poly", black_scholes_sum);
}

}  // namespace bench
