// Hand-written variants whose time is exp and log, and redomaps; the list of all variants by hand.
#include "peers/dense_functions.h"
#include "peers/expert_lanes.h"
#include "peers/expert_math.h"

namespace bench {

void add_expert_dense_reductions(Peers& peers);
void add_expert_dense_runs(Peers& peers);
void add_expert_dense_scans(Peers& peers);
void add_expert_dense_maps(Peers& peers);
void add_expert_doubles(Peers& peers);

namespace {

constexpr std::int64_t alone = 1024;  // elements of costly loops that are not worth a second thread

template <bool non_temporal>
void redomap_i32(Data& d) {
  struct Folds {
    std::int32_t sum, most, parity;
  };
  const Folds all = fold_parts(
      d.n, Folds{0, INT32_MIN, 0},
      [&](std::int64_t first, std::int64_t last) {
        using I = Lanes<std::int32_t>;
        I sum{}, most = all_lanes_of(INT32_MIN), parity{};
        auto mapped = [&](I v) { return std::array{3 * v + 1, (3 * v + 1) * (3 * v + 1) - v}; };
        const std::int64_t whole = last / 16 * 16;  // pieces begin at multiples of 64
        store_lanes<non_temporal>(std::array{d.out_ints, d.out_ints2}, first, whole, [&](std::int64_t i) {
          const auto both = mapped(load(d.small + i));
          sum += both[0];
          most = __builtin_elementwise_max(most, both[1]);
          parity ^= both[0];
          return both;
        });
        Folds own{__builtin_reduce_add(sum), __builtin_reduce_max(most), __builtin_reduce_xor(parity)};
        for (std::int64_t i = whole; i < last; ++i) {
          const std::int32_t x = 3 * d.small[i] + 1, y = x * x - d.small[i];
          own = {own.sum + x, std::max(own.most, y), own.parity ^ x};
          d.out_ints[i] = x;
          d.out_ints2[i] = y;
        }
        return own;
      },
      [](Folds a, Folds b) { return Folds{a.sum + b.sum, std::max(a.most, b.most), a.parity ^ b.parity}; });
  d.results[0] = all.sum;
  d.results[1] = all.most;
  d.results[2] = all.parity;
}

void greeks_map(Data& d) {
  parallel(d.n, alone, [&](int, std::int64_t first, std::int64_t last) {
#pragma omp simd
    for (std::int64_t i = first; i < last; ++i) {
      const Greeks g = greeks(d.spot[i], d.strike[i], d.years[i]);
      d.out[i] = g.delta;
      d.out2[i] = g.gamma;
      d.out3[i] = g.vega;
    }
  });
}

struct Prices {  // of 16 options, and what their derivatives need besides
  Floats root, reciprocal_spread, d1;
};
Prices of_options(Floats spot_by_strike, Floats years) {
  const Floats root = _mm512_sqrt_ps(years);
  const Floats reciprocal_spread = reciprocal(_mm512_mul_ps(all_lanes(0.3f), root));
  const Floats growth =
      _mm512_fmadd_ps(all_lanes(0.08f + 0.5f * 0.3f * 0.3f), years, log_lanes(spot_by_strike));
  return {root, reciprocal_spread, _mm512_mul_ps(growth, reciprocal_spread)};
}
template <bool non_temporal>
void greeks_of_lanes(Data& d) {
  map_lanes<non_temporal>(
      d.n, std::array{d.out, d.out2, d.out3},
      [&](std::int64_t i) {
        const Floats spot = _mm512_loadu_ps(d.spot + i);
        const Floats by_strike = _mm512_mul_ps(spot, reciprocal(_mm512_loadu_ps(d.strike + i)));
        const Prices p = of_options(by_strike, _mm512_loadu_ps(d.years + i));
        const Floats square = _mm512_mul_ps(p.d1, p.d1);
        const Floats density =
            _mm512_mul_ps(all_lanes(0.39894228f), exp_lanes(_mm512_mul_ps(all_lanes(-0.5f), square)));
        const Floats gamma = _mm512_mul_ps(density, _mm512_mul_ps(reciprocal(spot), p.reciprocal_spread));
        return std::array<Lanes<float>, 3>{normal_cdf_lanes(p.d1), gamma,
                                           _mm512_mul_ps(_mm512_mul_ps(spot, density), p.root)};
      },
      alone);
}

void black_scholes_pair(Data& d) {
  const Floats per_day = all_lanes(1.f / static_cast<float>(d.n)), strike = all_lanes(65.f);
  Slot slots[most_threads];
  const int team = d.n < alone ? 1 : threads();
  parallel(d.n, alone, [&](int thread, std::int64_t first, std::int64_t last) {
    Floats calls = _mm512_setzero_ps(), puts = calls;
    for (std::int64_t i = first; i < last; i += 16) {
      const Ints day = _mm512_add_epi32(lane_numbers(), _mm512_set1_epi32(static_cast<int>(i + 1)));
      const Floats t = _mm512_mul_ps(_mm512_cvtepi32_ps(day), per_day),
                   years = _mm512_mul_ps(t, all_lanes(10));
      const Floats spot = _mm512_fmadd_ps(all_lanes(4), t, all_lanes(58));
      const Prices p = of_options(_mm512_mul_ps(spot, all_lanes(1.f / 65)), years);
      const Floats d2 = _mm512_fnmadd_ps(all_lanes(0.3f), p.root, p.d1);
      const Floats discounted = _mm512_mul_ps(strike, exp_lanes(_mm512_mul_ps(all_lanes(-0.08f), years)));
      const Floats call =
          _mm512_fmsub_ps(spot, normal_cdf_lanes(p.d1), _mm512_mul_ps(discounted, normal_cdf_lanes(d2)));
      const __mmask16 lanes = first_lanes(last - i);
      calls = _mm512_mask_add_ps(calls, lanes, calls, call);
      puts = _mm512_mask_add_ps(puts, lanes, puts, _mm512_sub_ps(call, _mm512_sub_ps(spot, discounted)));
    }
    slots[thread].real[0] = _mm512_reduce_add_ps(calls);
    slots[thread].real[1] = _mm512_reduce_add_ps(puts);
  });
  d.results[0] = d.results[1] = 0;
  for (int t = 0; t < team; ++t) {
    d.results[0] += slots[t].real[0];
    d.results[1] += slots[t].real[1];
  }
}

}  // namespace

void add_expert_dense_variants_peers(Peers& peers) {
  add_expert_dense_reductions(peers);
  add_expert_dense_runs(peers);
  add_expert_dense_scans(peers);
  add_expert_dense_maps(peers);
  add_expert_doubles(peers);
  peers.add("RedomapNT-i32", "omp-expert", redomap_i32<false>);
  peers.add("RedomapNT-i32", "omp-expert-nt", redomap_i32<true>);
  peers.add("BlackScholesMap-greeks", "omp-expert", greeks_map);
  peers.add("BlackScholesMap-greeks", "omp-expert-poly", greeks_of_lanes<false>);
  peers.add("BlackScholesMap-greeks", "omp-expert-poly-nt", greeks_of_lanes<true>);
  peers.add("BlackScholesSum-pair", "omp-expert-poly", black_scholes_pair);
}

}  // namespace bench
