// Hand-written maps and sums whose time is exp and log.
#include <immintrin.h>

#include "peers/expert.h"
#include "peers/expert_math.h"
#include "peers/functions.h"

namespace bench {
namespace {

// Instead of infinity, which -ffast-math takes for impossible.
constexpr float most = 3.0e38f;

inline void black_scholes_lanes(Floats S, Floats X, Floats T, Floats& c, Floats& p) {
  const float r = 0.08f, v = 0.3f;
  Floats sq = _mm512_sqrt_ps(T), rs = reciprocal(_mm512_mul_ps(all_lanes(v), sq));
  Floats d1 = _mm512_mul_ps(
             _mm512_fmadd_ps(all_lanes(r + .5f * v * v), T, log_lanes(_mm512_mul_ps(S, reciprocal(X)))), rs),
         d2 = _mm512_fnmadd_ps(all_lanes(v), sq, d1);
  Floats e = _mm512_mul_ps(X, exp_lanes(_mm512_mul_ps(all_lanes(-r), T))), n1 = normal_cdf_lanes(d1),
         n2 = normal_cdf_lanes(d2);
  c = _mm512_fmsub_ps(S, n1, _mm512_mul_ps(e, n2));
  p = _mm512_sub_ps(c, _mm512_sub_ps(S, e));
}

}  // namespace

void add_expert_function_peers(Peers& peers) {
  peers.add("RedomapNT", "omp-expert", [](Data& d) {
    Slot s[most_threads];
    const float a = 8.f / d.n, b = redomap_scale;
    int T = d.n < 1024 ? 1 : threads();
    parallel(d.n, 1024, [&](int t, std::int64_t first, std::int64_t last) {
      float sm = 0, mn = most, mx = -most;
      float *v = d.out, *w = d.out2;
      std::int32_t l = first, h = last;
#pragma omp simd reduction(+ : sm) reduction(min : mn) reduction(max : mx)
      for (std::int32_t i = l; i < h; i++) {
        float x = redomap_f(i * a), y = redomap_g(x * b);
        sm += x + y;
        mn = mn < x ? mn : x;
        mx = mx > y ? mx : y;
        v[i] = x * a;
        w[i] = y * b;
      }
      double* q = s[t].real;
      q[0] = sm;
      q[1] = mn;
      q[2] = mx;
    });
    double r = 0, mn = most, mx = -most;
    for (int t = 0; t < T; t++) {
      double* q = s[t].real;
      r += q[0];
      mn = std::min(mn, q[1]);
      mx = std::max(mx, q[2]);
    }
    d.results[0] = r;
    d.results[1] = mn;
    d.results[2] = mx;
  });

  peers.add("BlackScholesSum", "omp-expert", [](Data& d) {
    Slot s[most_threads];
    const float rn = 1.f / d.n;
    int T = d.n < 1024 ? 1 : threads();
    parallel(d.n, 1024, [&](int t, std::int64_t first, std::int64_t last) {
      float sm = 0;
      std::int32_t l = first, h = last;
#pragma omp simd reduction(+ : sm)
      for (std::int32_t i = l; i < h; i++) sm += black_scholes_day(i, rn);
      s[t].real[0] = sm;
    });
    double r = 0;
    for (int t = 0; t < T; t++) r += s[t].real[0];
    d.results[0] = r;
  });

  peers.add("BlackScholesMap", "omp-expert", [](Data& d) {
    parallel(d.n, 1024, [&](int, std::int64_t first, std::int64_t last) {
      const float *S = d.spot, *X = d.strike, *T = d.years;
      float *c = d.out, *p = d.out2;
#pragma omp simd
      for (std::int64_t i = first; i < last; i++) {
        float q, r;
        black_scholes(S[i], X[i], T[i], q, r);
        c[i] = q;
        p[i] = r;
      }
    });
  });

  peers.add("BlackScholesMap", "omp-expert-poly", [](Data& d) {
    parallel(d.n, 4096, [&](int, std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; i += 16) {
        Floats c, p;
        black_scholes_lanes(_mm512_loadu_ps(d.spot + i), _mm512_loadu_ps(d.strike + i),
                            _mm512_loadu_ps(d.years + i), c, p);
        __mmask16 m = first_lanes(last - i);
        _mm512_mask_storeu_ps(d.out + i, m, c);
        _mm512_mask_storeu_ps(d.out2 + i, m, p);
      }
    });
  });

  peers.add("BlackScholesSum", "omp-expert-poly", [](Data& d) {
    Slot s[most_threads];
    const float rn = 1.f / d.n;
    int T = d.n < 4096 ? 1 : threads();
    parallel(d.n, 4096, [&](int t, std::int64_t first, std::int64_t last) {
      Floats sm = _mm512_setzero_ps();
      for (std::int64_t i = first; i < last; i += 16) {
        Floats x = _mm512_mul_ps(
                   _mm512_cvtepi32_ps(_mm512_add_epi32(lane_numbers(), _mm512_set1_epi32((int)i + 1))),
                   all_lanes(rn)),
               c, p;
        black_scholes_lanes(_mm512_fmadd_ps(all_lanes(4.f), x, all_lanes(58.f)), all_lanes(65.f),
                            _mm512_mul_ps(all_lanes(10.f), x), c, p);
        sm = _mm512_mask_add_ps(sm, first_lanes(last - i), sm, c);
      }
      s[t].real[0] = _mm512_reduce_add_ps(sm);
    });
    double r = 0;
    for (int t = 0; t < T; t++) r += s[t].real[0];
    d.results[0] = r;
  });

  peers.add("RedomapNT", "omp-expert-poly", [](Data& d) {
    Slot s[most_threads];
    const float a = 8.f / d.n, b = redomap_scale;
    int T = d.n < 4096 ? 1 : threads();
    parallel(d.n, 4096, [&](int t, std::int64_t first, std::int64_t last) {
      Floats sm = _mm512_setzero_ps(), mn = all_lanes(most), mx = all_lanes(-most), one = all_lanes(1.f);
      for (std::int64_t i = first; i < last; i += 16) {
        __mmask16 m = first_lanes(last - i);
        Floats z = _mm512_mul_ps(
            _mm512_cvtepi32_ps(_mm512_add_epi32(lane_numbers(), _mm512_set1_epi32((int)i))), all_lanes(a));
        Floats x = _mm512_add_ps(_mm512_mul_ps(z, reciprocal(_mm512_add_ps(z, one))),
                                 exp_lanes(_mm512_sub_ps(_mm512_setzero_ps(), z))),
               u = _mm512_mul_ps(x, all_lanes(b));
        Floats y = _mm512_mul_ps(_mm512_add_ps(one, exp_lanes(_mm512_sub_ps(_mm512_setzero_ps(), u))),
                                 reciprocal(_mm512_fmadd_ps(u, u, one)));
        sm = _mm512_mask_add_ps(sm, m, sm, _mm512_add_ps(x, y));
        mn = _mm512_mask_min_ps(mn, m, mn, x);
        mx = _mm512_mask_max_ps(mx, m, mx, y);
        _mm512_mask_storeu_ps(d.out + i, m, _mm512_mul_ps(x, all_lanes(a)));
        _mm512_mask_storeu_ps(d.out2 + i, m, _mm512_mul_ps(y, all_lanes(b)));
      }
      double* q = s[t].real;
      q[0] = _mm512_reduce_add_ps(sm);
      q[1] = _mm512_reduce_min_ps(mn);
      q[2] = _mm512_reduce_max_ps(mx);
    });
    double r = 0, mn = most, mx = -most;
    for (int t = 0; t < T; t++) {
      double* q = s[t].real;
      r += q[0];
      mn = std::min(mn, q[1]);
      mx = std::max(mx, q[2]);
    }
    d.results[0] = r;
    d.results[1] = mn;
    d.results[2] = mx;
  });
}

}  // namespace bench
