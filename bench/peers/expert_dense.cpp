// Hand-written kernels whose time is arithmetic.
#include <immintrin.h>

#include <cstdlib>

#include "peers/expert.h"
#include "peers/functions.h"

namespace bench {
void add_expert_dense_peers(Peers& peers) {
  peers.add("Mandelbrot", "omp-expert", [](Data& d) {
    const std::int64_t N = d.side;
    const float s = 3.f / N;
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int64_t i = 0; i < N; i++) {
      Floats ci = all_lanes(-1.5f + i * s), four = all_lanes(4.f);
      for (std::int64_t j = 0; j < N; j += 64) {
        const int U = 4;
        Floats cr[U], zr[U], zi[U];
        Ints k[U];
        __mmask16 m[U];
        for (int u = 0; u < U; u++) {
          cr[u] = _mm512_fmadd_ps(
              _mm512_cvtepi32_ps(_mm512_add_epi32(lane_numbers(), _mm512_set1_epi32((int)j + 16 * u))),
              all_lanes(s), all_lanes(-2.25f));
          zr[u] = zi[u] = _mm512_setzero_ps();
          k[u] = _mm512_setzero_si512();
          m[u] = 0xFFFF;
        }
        for (int it = 0; it < mandelbrot_limit; it++) {
          unsigned any = 0;
          for (int u = 0; u < U; u++) {
            Floats b = _mm512_mul_ps(zi[u], zi[u]), q = _mm512_fmadd_ps(zr[u], zr[u], b),
                   a = _mm512_fmsub_ps(zr[u], zr[u], b);
            m[u] = _mm512_mask_cmp_ps_mask(m[u], q, four, _CMP_LE_OQ);
            any |= m[u];
            zi[u] = _mm512_fmadd_ps(_mm512_add_ps(zr[u], zr[u]), zi[u], ci);
            zr[u] = _mm512_add_ps(a, cr[u]);
            k[u] = _mm512_mask_sub_epi32(k[u], m[u], k[u], _mm512_set1_epi32(-1));
          }
          if (!any) break;
        }
        for (int u = 0; u < U; u++) _mm512_storeu_si512(d.out_ints + i * N + j + 16 * u, k[u]);
      }
    }
  });

  peers.add("NBody", "omp-expert", [](Data& d) {
    const std::int64_t n = d.n;
    const float *X = d.x, *Y = d.y, *Z = d.z, *M = d.mass;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; i += 4) {
      Floats x[4], y[4], z[4], ax[4], ay[4], az[4];
      for (int u = 0; u < 4; u++) {
        x[u] = all_lanes(X[i + u]);
        y[u] = all_lanes(Y[i + u]);
        z[u] = all_lanes(Z[i + u]);
        ax[u] = ay[u] = az[u] = _mm512_setzero_ps();
      }
      Floats eps = all_lanes(softening), half = all_lanes(-0.5f), c3 = all_lanes(1.5f);
      for (std::int64_t j = 0; j < n; j += 16) {
        Floats a = _mm512_loadu_ps(X + j), b = _mm512_loadu_ps(Y + j), c = _mm512_loadu_ps(Z + j),
               m = _mm512_loadu_ps(M + j);
        for (int u = 0; u < 4; u++) {
          Floats dx = _mm512_sub_ps(a, x[u]), dy = _mm512_sub_ps(b, y[u]), dz = _mm512_sub_ps(c, z[u]),
                 q = _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_fmadd_ps(dz, dz, eps)));
          Floats r = _mm512_rsqrt14_ps(q), r2 = _mm512_mul_ps(r, r);
          r = _mm512_mul_ps(r, _mm512_fmadd_ps(_mm512_mul_ps(q, half), r2, c3));
          Floats w = _mm512_mul_ps(_mm512_mul_ps(m, r), _mm512_mul_ps(r, r));
          ax[u] = _mm512_fmadd_ps(w, dx, ax[u]);
          ay[u] = _mm512_fmadd_ps(w, dy, ay[u]);
          az[u] = _mm512_fmadd_ps(w, dz, az[u]);
        }
      }
      for (int u = 0; u < 4; u++) {
        d.out[i + u] = _mm512_reduce_add_ps(ax[u]);
        d.out2[i + u] = _mm512_reduce_add_ps(ay[u]);
        d.out3[i + u] = _mm512_reduce_add_ps(az[u]);
      }
    }
  });

  peers.add("MatMul", "omp-expert", [](Data& d) {
    const std::int64_t N = d.side;
    const float *A = d.left, *B = d.right;
    float* C = d.out;
#pragma omp parallel
    {
      auto* bp = static_cast<float*>(std::aligned_alloc(64, N * 32 * 4));
#pragma omp for schedule(dynamic, 2)
      for (std::int64_t jb = 0; jb < N; jb += 32) {
        for (std::int64_t k = 0; k < N; k++) {
          _mm512_store_ps(bp + k * 32, _mm512_loadu_ps(B + k * N + jb));
          _mm512_store_ps(bp + k * 32 + 16, _mm512_loadu_ps(B + k * N + jb + 16));
        }
        for (std::int64_t i = 0; i < N; i += 8) {
          Floats c[8][2];
          for (auto& r : c) r[0] = r[1] = _mm512_setzero_ps();
          for (std::int64_t k = 0; k < N; k++) {
            Floats b0 = _mm512_load_ps(bp + k * 32), b1 = _mm512_load_ps(bp + k * 32 + 16);
#pragma unroll
            for (int u = 0; u < 8; u++) {
              Floats a = all_lanes(A[(i + u) * N + k]);
              c[u][0] = _mm512_fmadd_ps(a, b0, c[u][0]);
              c[u][1] = _mm512_fmadd_ps(a, b1, c[u][1]);
            }
          }
          for (int u = 0; u < 8; u++) {
            _mm512_storeu_ps(C + (i + u) * N + jb, c[u][0]);
            _mm512_storeu_ps(C + (i + u) * N + jb + 16, c[u][1]);
          }
        }
      }
      std::free(bp);
    }
  });

  // What the compiler makes of the plain loops.
  peers.add("NBody", "omp-auto", [](Data& d) {
    const std::int64_t n = d.n;
    const float *X = d.x, *Y = d.y, *Z = d.z, *M = d.mass;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; i++) {
      float ax = 0, ay = 0, az = 0, x = X[i], y = Y[i], z = Z[i];
#pragma omp simd reduction(+ : ax, ay, az)
      for (std::int64_t j = 0; j < n; j++) {
        float dx = X[j] - x, dy = Y[j] - y, dz = Z[j] - z, q = dx * dx + dy * dy + dz * dz + softening,
              r = 1.f / std::sqrt(q), w = M[j] * r * r * r;
        ax += w * dx;
        ay += w * dy;
        az += w * dz;
      }
      d.out[i] = ax;
      d.out2[i] = ay;
      d.out3[i] = az;
    }
  });
}

}  // namespace bench
