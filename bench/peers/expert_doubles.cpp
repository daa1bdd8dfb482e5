// Hand-written variants in doubles whose time is exp and log: by libmvec, and by series.
#include "peers/dense_functions.h"
#include "peers/expert_math_f64.h"

namespace bench {
namespace {

constexpr std::int64_t alone = 1024;  // elements of costly loops that are not worth a second thread

void redomap_f64(Data& d) {
  Slot slots[most_threads];
  const double a = 8. / static_cast<double>(d.n), b = redomap_scale,
               huge = std::numeric_limits<double>::max();
  const int team = d.n < alone ? 1 : threads();
  parallel(d.n, alone, [&](int t, std::int64_t first, std::int64_t last) {
    double sum = 0, least = huge, most = -huge;
    double *out = d.out_f64, *out2 = d.out2_f64;
    const auto begin = static_cast<std::int32_t>(first), end = static_cast<std::int32_t>(last);
#pragma omp simd reduction(+ : sum) reduction(min : least) reduction(max : most)
    for (std::int32_t i = begin; i < end; ++i) {
      const double x = redomap_f(i * a), y = redomap_g(x * b);
      sum += x + y;
      least = std::min(least, x);
      most = std::max(most, y);
      out[i] = x * a;
      out2[i] = y * b;
    }
    slots[t].real[0] = sum;
    slots[t].real[1] = least;
    slots[t].real[2] = most;
  });
  double sum = 0, least = huge, most = -huge;
  for (int t = 0; t < team; ++t) {
    sum += slots[t].real[0];
    least = std::min(least, slots[t].real[1]);
    most = std::max(most, slots[t].real[2]);
  }
  d.results[0] = sum;
  d.results[1] = least;
  d.results[2] = most;
}

void black_scholes_f64(Data& d) {
  parallel(d.n, alone, [&](int, std::int64_t first, std::int64_t last) {
#pragma omp simd
    for (std::int64_t i = first; i < last; ++i) {
      double call, put;
      black_scholes(static_cast<double>(d.spot[i]), static_cast<double>(d.strike[i]),
                    static_cast<double>(d.years[i]), call, put);
      d.out_f64[i] = call;
      d.out2_f64[i] = put;
    }
  });
}

// Lanes beyond the end count for nothing.
template <bool non_temporal>
void redomap_of_lanes(Data& d) {
  struct Folds {
    double sum, least, most;
  };
  constexpr double huge = std::numeric_limits<double>::max();
  const double a = 8. / static_cast<double>(d.n), b = redomap_scale;
  const Folds all = fold_parts(
      d.n, Folds{0, huge, -huge},
      [&](std::int64_t first, std::int64_t last) {
        const Doubles8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
        Doubles8 sum{}, least = all_lanes_of(huge), most = all_lanes_of(-huge);
        store_lanes<non_temporal>(std::array{d.out_f64, d.out2_f64}, first, last, [&](std::int64_t i) {
          const Doubles8 z = (static_cast<double>(i) + lanes) * a;
          const Doubles8 x = z / (1 + z) + exp_lanes(-z), w = x * b;
          const Doubles8 y = (1 + exp_lanes(-w)) / (1 + w * w);
          const auto within = static_cast<__mmask8>(first_lanes(std::min<std::int64_t>(last - i, 8)));
          sum = _mm512_mask_add_pd(sum, within, sum, x + y);
          least = _mm512_mask_min_pd(least, within, least, x);
          most = _mm512_mask_max_pd(most, within, most, y);
          return std::array{x * a, y * b};
        });
        return Folds{_mm512_reduce_add_pd(sum), _mm512_reduce_min_pd(least), _mm512_reduce_max_pd(most)};
      },
      [](Folds x, Folds y) {
        return Folds{x.sum + y.sum, std::min(x.least, y.least), std::max(x.most, y.most)};
      },
      alone);
  d.results[0] = all.sum;
  d.results[1] = all.least;
  d.results[2] = all.most;
}

template <bool non_temporal>
void black_scholes_of_lanes(Data& d) {
  auto widened = [](const float* from) { return Doubles8(_mm512_cvtps_pd(_mm256_loadu_ps(from))); };
  map_lanes<non_temporal>(
      d.n, std::array{d.out_f64, d.out2_f64},
      [&](std::int64_t i) {
        const Doubles8 spot = widened(d.spot + i), strike = widened(d.strike + i),
                       years = widened(d.years + i);
        const double rate = 0.08, volatility = 0.3;
        const Doubles8 root = _mm512_sqrt_pd(years), spread = volatility * root;
        const Doubles8 d1 =
            (log_lanes(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
        const Doubles8 discounted = strike * exp_lanes(-rate * years);
        const Doubles8 call = spot * normal_cdf_lanes(d1) - discounted * normal_cdf_lanes(d1 - spread);
        return std::array{call, call - (spot - discounted)};
      },
      alone);
}

}  // namespace

void add_expert_doubles(Peers& peers) {
  peers.add("RedomapNT-f64", "omp-expert", redomap_f64);
  peers.add("RedomapNT-f64", "omp-expert-poly", redomap_of_lanes<false>);
  peers.add("RedomapNT-f64", "omp-expert-poly-nt", redomap_of_lanes<true>);
  peers.add("BlackScholesMap-f64", "omp-expert", black_scholes_f64);
  peers.add("BlackScholesMap-f64", "omp-expert-poly", black_scholes_of_lanes<false>);
  peers.add("BlackScholesMap-f64", "omp-expert-poly-nt", black_scholes_of_lanes<true>);
}

}  // namespace bench
