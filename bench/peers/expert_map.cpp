// Hand-written maps and sums at the speed of memory.
#include <immintrin.h>

#include <cstring>
#include <utility>

#include "peers/expert.h"
#include "peers/functions.h"

namespace bench {
namespace {

// f(i) gives elements i..i+15; inputs are padded, so it may read past the end.
template <bool non_temporal, class F>
[[gnu::always_inline]] inline void store_all(float* o, std::int64_t first, std::int64_t last, F f) {
  std::int64_t i = first;
  for (; i + 32 <= last; i += 32) {
    Floats a = f(i), b = f(i + 16);
    if (non_temporal) {
      _mm512_stream_ps(o + i, a);
      _mm512_stream_ps(o + i + 16, b);
    } else {
      _mm512_storeu_ps(o + i, a);
      _mm512_storeu_ps(o + i + 16, b);
    }
  }
  for (; i < last; i += 16) _mm512_mask_storeu_ps(o + i, first_lanes(last - i), f(i));
}
template <bool non_temporal>
void saxpy(Data& d) {
  const float *x = d.x, *y = d.y;
  Floats a = _mm512_set1_ps(saxpy_alpha);
  parallel(d.n, serial_below, [&](int, std::int64_t first, std::int64_t last) {
    store_all<non_temporal>(d.out, first, last, [&](std::int64_t i) {
      return _mm512_fmadd_ps(a, _mm512_loadu_ps(x + i), _mm512_loadu_ps(y + i));
    });
  });
}

template <bool non_temporal>
void forward_difference(Data& d) {
  const float* x = d.x;
  parallel(d.n - 1, serial_below, [&](int, std::int64_t first, std::int64_t last) {
    store_all<non_temporal>(d.out, first, last, [&](std::int64_t i) {
      return _mm512_sub_ps(_mm512_loadu_ps(x + i + 1), _mm512_loadu_ps(x + i));
    });
  });
}

template <bool non_temporal>
void moving_average(Data& d) {
  const float* x = d.x;
  Floats w[15];
  for (int k = 0; k < 15; k++) w[k] = _mm512_set1_ps(d.weights[k]);
  parallel(d.n - 14, serial_below, [&](int, std::int64_t first, std::int64_t last) {
    store_all<non_temporal>(d.out, first, last, [&](std::int64_t i) {
      Floats s = _mm512_mul_ps(w[0], _mm512_loadu_ps(x + i)),
             q = _mm512_mul_ps(w[1], _mm512_loadu_ps(x + i + 1));
      for (int k = 2; k < 14; k += 2) {
        s = _mm512_fmadd_ps(w[k], _mm512_loadu_ps(x + i + k), s);
        q = _mm512_fmadd_ps(w[k + 1], _mm512_loadu_ps(x + i + k + 1), q);
      }
      s = _mm512_fmadd_ps(w[14], _mm512_loadu_ps(x + i + 14), s);
      return _mm512_add_ps(s, q);
    });
  });
}

// Shifts two loaded vectors instead of loading 15 unaligned ones.
template <bool non_temporal>
void moving_average_aligned(Data& d) {
  const float* x = d.x;
  Floats w[15];
  for (int k = 0; k < 15; k++) w[k] = _mm512_set1_ps(d.weights[k]);
  parallel(d.n - 14, serial_below, [&](int, std::int64_t first, std::int64_t last) {
    store_all<non_temporal>(d.out, first, last, [&](std::int64_t i) {
      const Ints a = _mm512_loadu_si512(x + i), b = _mm512_loadu_si512(x + i + 16);
      Floats even = _mm512_mul_ps(w[0], _mm512_castsi512_ps(a)), odd = _mm512_setzero_ps();
      auto tap = [&]<int k>(std::integral_constant<int, k>) {
        Floats& sum = k % 2 ? odd : even;
        sum = _mm512_fmadd_ps(w[k], _mm512_castsi512_ps(_mm512_alignr_epi32(b, a, k)), sum);
      };
      [&]<int... k>(std::integer_sequence<int, k...>) {
        (tap(std::integral_constant<int, k + 1>{}), ...);
      }(std::make_integer_sequence<int, 14>{});
      return _mm512_add_ps(even, odd);
    });
  });
}

template <bool non_temporal>
void jacobi(Data& d) {
  const std::int64_t N = d.side;
  const float* x = d.x;
  Floats k = _mm512_set1_ps(0.2f);
  auto rows = [&](int, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; i++) {
      const float* p = x + i * N;
      float* o = d.out + i * N;
      if (i == 0 || i == N - 1) {
        std::memcpy(o, p, N * 4);
        continue;
      }
      o[0] = p[0];
      std::int64_t j = 1;
      auto f = [&](std::int64_t j) {
        return _mm512_mul_ps(
            k, _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(_mm512_loadu_ps(p + j), _mm512_loadu_ps(p + j - N)),
                                           _mm512_loadu_ps(p + j + N)),
                             _mm512_add_ps(_mm512_loadu_ps(p + j - 1), _mm512_loadu_ps(p + j + 1))));
      };
      if (non_temporal) {
        while (j < N - 1 && ((uintptr_t)(o + j) & 63)) {
          o[j] = 0.2f * (p[j] + p[j - N] + p[j + N] + p[j - 1] + p[j + 1]);
          j++;
        }
        for (; j + 16 <= N - 1; j += 16) _mm512_stream_ps(o + j, f(j));
      } else
        for (; j + 16 <= N - 1; j += 16) _mm512_storeu_ps(o + j, f(j));
      if (j < N - 1) _mm512_mask_storeu_ps(o + j, first_lanes(N - 1 - j), f(j));
      o[N - 1] = p[N - 1];
    }
  };
  if (N * N < serial_below) {
    rows(0, 0, N);
    return;
  }
#pragma omp parallel
  {
    int t = omp_get_thread_num(), T = omp_get_num_threads();
    rows(t, N * t / T, N * (t + 1) / T);
  }
}

}  // namespace

void add_expert_map_peers(Peers& peers) {
  peers.add("SAXPY", "omp-expert", [](Data& d) { saxpy<false>(d); });

  peers.add("SAXPY", "omp-expert-nt", [](Data& d) { saxpy<true>(d); });

  peers.add("ForwardDiff", "omp-expert", [](Data& d) { forward_difference<false>(d); });

  peers.add("ForwardDiff", "omp-expert-nt", [](Data& d) { forward_difference<true>(d); });

  peers.add("WMA15", "omp-expert", [](Data& d) { moving_average<false>(d); });

  peers.add("WMA15", "omp-expert-nt", [](Data& d) { moving_average<true>(d); });

  peers.add("WMA15", "omp-expert-align", [](Data& d) { moving_average_aligned<false>(d); });

  peers.add("Jacobi2D", "omp-expert", [](Data& d) { jacobi<false>(d); });

  peers.add("Jacobi2D", "omp-expert-nt", [](Data& d) { jacobi<true>(d); });

  peers.add("SDOT", "omp-expert", [](Data& d) {
    Slot s[most_threads];
    for (int t = 0; t < threads(); t++) s[t].real[0] = 0;
    parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
      const float *x = d.x, *y = d.y;
      float r = 0;
#pragma omp simd reduction(+ : r)
      for (std::int64_t i = first; i < last; i++) r += x[i] * y[i];
      s[t].real[0] = r;
    });
    double r = 0;
    for (int t = 0; t < threads(); t++) r += s[t].real[0];
    d.results[0] = r;
  });

  peers.add("RMSE", "omp-expert", [](Data& d) {
    Slot s[most_threads];
    for (int t = 0; t < threads(); t++) s[t].real[0] = 0;
    parallel(d.n, serial_below, [&](int t, std::int64_t first, std::int64_t last) {
      const float *x = d.x, *y = d.y;
      float r = 0;
#pragma omp simd reduction(+ : r)
      for (std::int64_t i = first; i < last; i++) {
        float e = x[i] - y[i];
        r += e * e;
      }
      s[t].real[0] = r;
    });
    double r = 0;
    for (int t = 0; t < threads(); t++) r += s[t].real[0];
    d.results[0] = std::sqrt(r / d.n);
  });
}

}  // namespace bench
