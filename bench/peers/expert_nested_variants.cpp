// Hand-written loops and sums for each element, of other types and operators: the algorithms of
// expert_dense.cpp.
#include <immintrin.h>

#include <limits>
#include <type_traits>

#include "peers/expert.h"
#include "peers/variant_functions.h"

namespace bench {
namespace {

using Doubles = __m512d;

struct FloatLanes {
  using Real = float;
  using Lanes = Floats;
  using Mask = __mmask16;
  static constexpr int lanes = 16;
  static Lanes all(float x) { return all_lanes(x); }
  static Lanes numbers_from(std::int64_t j) {
    return _mm512_cvtepi32_ps(_mm512_add_epi32(lane_numbers(), _mm512_set1_epi32(static_cast<int>(j))));
  }
  static Mask at_most(Mask m, Lanes a, Lanes b) { return _mm512_mask_cmp_ps_mask(m, a, b, _CMP_LE_OQ); }
  static Ints count(Ints k, Mask m) { return _mm512_mask_sub_epi32(k, m, k, _mm512_set1_epi32(-1)); }
  static void store(std::int32_t* out, Ints k) { _mm512_storeu_si512(out, k); }
};
struct DoubleLanes {
  using Real = double;
  using Lanes = Doubles;
  using Mask = __mmask8;
  static constexpr int lanes = 8;
  static Lanes all(double x) { return _mm512_set1_pd(x); }
  static Lanes numbers_from(std::int64_t j) {
    return _mm512_cvtepi32_pd(
        _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(static_cast<int>(j))));
  }
  static Mask at_most(Mask m, Lanes a, Lanes b) { return _mm512_mask_cmp_pd_mask(m, a, b, _CMP_LE_OQ); }
  static Ints count(Ints k, Mask m) { return _mm512_mask_sub_epi64(k, m, k, _mm512_set1_epi64(-1)); }
  static void store(std::int32_t* out, Ints k) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi64_epi32(k));
  }
};

// Where z starts and what is added to it, of a point of the plane.
template <class L>
struct Orbits {
  typename L::Lanes x, y, re, im;
};

// Four vectors of points side by side; orbit(re, im) of the points. Sides are multiples of 64.
template <class L, class Orbit>
void escape_times(Data& d, typename L::Real left, typename L::Real top, Orbit orbit) {
  constexpr int side_by_side = 4;
  const std::int64_t n = d.side;
  const typename L::Real step = 3 / static_cast<typename L::Real>(n);
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t i = 0; i < n; i++)
    for (std::int64_t j = 0; j < n; j += side_by_side * L::lanes) {
      Orbits<L> z[side_by_side];
      Ints k[side_by_side];
      typename L::Mask inside[side_by_side];
      const auto im = L::all(top + i * step), four = L::all(4);
      for (int u = 0; u < side_by_side; u++) {
        z[u] = orbit(L::numbers_from(j + u * L::lanes) * L::all(step) + L::all(left), im);
        k[u] = _mm512_setzero_si512();
        inside[u] = static_cast<typename L::Mask>(-1);
      }
      for (int turn = 0; turn < mandelbrot_limit; turn++) {
        unsigned any = 0;
        for (int u = 0; u < side_by_side; u++) {
          const auto b = z[u].y * z[u].y, norm = z[u].x * z[u].x + b, x = z[u].x * z[u].x - b + z[u].re;
          any |= inside[u] = L::at_most(inside[u], norm, four);
          z[u].y = (z[u].x + z[u].x) * z[u].y + z[u].im;
          z[u].x = x;
          k[u] = L::count(k[u], inside[u]);
        }
        if (!any) break;
      }
      for (int u = 0; u < side_by_side; u++) L::store(d.out_ints + i * n + j + u * L::lanes, k[u]);
    }
}

// Lanes that have arrived at 1 go round 4, 2, 1 until the last one has, uncounted.
void collatz_steps(Data& d) {
  constexpr int side_by_side = 4;
  const Ints one = _mm512_set1_epi64(1);
  const std::int64_t whole = d.n / (8 * side_by_side) * (8 * side_by_side);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t i = 0; i < whole; i += 8 * side_by_side) {
    Ints x[side_by_side], k[side_by_side];
    __mmask8 more[side_by_side];
    for (int u = 0; u < side_by_side; u++) {
      x[u] = _mm512_add_epi64(_mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 8), _mm512_set1_epi64(i + 8 * u));
      k[u] = _mm512_setzero_si512();
      more[u] = 0xFF;
    }
    Ints turn = one;
    for (unsigned any = 1; any;) {
      any = 0;
      for (int u = 0; u < side_by_side; u++) {
        more[u] = _mm512_mask_cmpneq_epi64_mask(more[u], x[u], one);
        const Ints tripled = _mm512_add_epi64(_mm512_add_epi64(x[u], x[u]), _mm512_add_epi64(x[u], one));
        k[u] = _mm512_mask_mov_epi64(k[u], more[u], turn);
        x[u] = _mm512_mask_srli_epi64(tripled, _mm512_testn_epi64_mask(x[u], one), x[u], 1);
        any |= more[u];
      }
      turn = _mm512_add_epi64(turn, one);
    }
    for (int u = 0; u < side_by_side; u++) DoubleLanes::store(d.out_ints + i + 8 * u, k[u]);
  }
  for (std::int64_t i = whole; i < d.n; i++) d.out_ints[i] = collatz(i + 1);
}

// 1 / sqrt(q): the 14 bits of the instruction, then four terms of the series in what is left.
inline Doubles reciprocal_root(Doubles q) {
  const Doubles r = _mm512_rsqrt14_pd(q), e = 1 - q * r * r;
  return r + r * e * (.5 + e * (.375 + e * .3125));
}
inline Floats reciprocal_root(Floats q) {
  const Floats r = _mm512_rsqrt14_ps(q);
  return r * (1.5f - .5f * q * (r * r));
}

// Four points against a vector of others at a time.
constexpr int points = 4;

void n_body_of_doubles(Data& d) {
  const double *X = d.x_f64, *Y = d.y_f64, *Z = d.z_f64, *M = d.mass_f64;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < d.n; i += points) {
    Doubles ax[points], ay[points], az[points];
    for (int u = 0; u < points; u++) ax[u] = ay[u] = az[u] = _mm512_setzero_pd();
    for (std::int64_t j = 0; j < d.n; j += 8) {
      const Doubles x = _mm512_loadu_pd(X + j), y = _mm512_loadu_pd(Y + j), z = _mm512_loadu_pd(Z + j),
                    m = _mm512_loadu_pd(M + j);
      for (int u = 0; u < points; u++) {
        const Doubles dx = x - X[i + u], dy = y - Y[i + u], dz = z - Z[i + u];
        const Doubles r = reciprocal_root(dx * dx + (dy * dy + (dz * dz + double{softening}))),
                      w = m * r * (r * r);
        ax[u] += w * dx;
        ay[u] += w * dy;
        az[u] += w * dz;
      }
    }
    for (int u = 0; u < points; u++) {
      d.out_f64[i + u] = _mm512_reduce_add_pd(ax[u]);
      d.out2_f64[i + u] = _mm512_reduce_add_pd(ay[u]);
      d.out3_f64[i + u] = _mm512_reduce_add_pd(az[u]);
    }
  }
}

void potentials_and_forces(Data& d) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < d.n; i += points) {
    Floats potential[points], force[points];
    for (int u = 0; u < points; u++) potential[u] = force[u] = _mm512_setzero_ps();
    for (std::int64_t j = 0; j < d.n; j += 16) {
      const Floats x = _mm512_loadu_ps(d.x + j), y = _mm512_loadu_ps(d.y + j), z = _mm512_loadu_ps(d.z + j),
                   m = _mm512_loadu_ps(d.mass + j);
      for (int u = 0; u < points; u++) {
        const Floats dx = x - d.x[i + u], dy = y - d.y[i + u], dz = z - d.z[i + u];
        const Floats r = reciprocal_root(dx * dx + (dy * dy + (dz * dz + softening))), w = m * r;
        potential[u] += w;
        force[u] += w * r;
      }
    }
    for (int u = 0; u < points; u++) {
      d.out[i + u] = _mm512_reduce_add_ps(potential[u]);
      d.out2[i + u] = _mm512_reduce_add_ps(force[u]);
    }
  }
}

// The points themselves are all in one vector of others, which alone has a mask.
void nearest_neighbours(Data& d) {
  const float far = std::numeric_limits<float>::max();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < d.n; i += points) {
    Floats least[points];
    Ints nearest[points];
    for (int u = 0; u < points; u++) {
      least[u] = all_lanes(far);
      nearest[u] = _mm512_set1_epi32(std::numeric_limits<int>::max());
    }
    const auto compare = [&](std::int64_t j, auto has_self) {
      const Floats x = _mm512_loadu_ps(d.x + j), y = _mm512_loadu_ps(d.y + j), z = _mm512_loadu_ps(d.z + j);
      const Ints index = _mm512_add_epi32(lane_numbers(), _mm512_set1_epi32(static_cast<int>(j)));
      for (int u = 0; u < points; u++) {
        const Floats dx = x - d.x[i + u], dy = y - d.y[i + u], dz = z - d.z[i + u],
                     distance = dx * dx + dy * dy + dz * dz;
        __mmask16 nearer = _mm512_cmp_ps_mask(distance, least[u], _CMP_LT_OQ);
        if (has_self) nearer &= ~(1u << (i + u - j));
        least[u] = _mm512_mask_mov_ps(least[u], nearer, distance);
        nearest[u] = _mm512_mask_mov_epi32(nearest[u], nearer, index);
      }
    };
    const std::int64_t own = i / 16 * 16;
    for (std::int64_t j = 0; j < own; j += 16) compare(j, std::false_type());
    compare(own, std::true_type());
    for (std::int64_t j = own + 16; j < d.n; j += 16) compare(j, std::false_type());
    for (int u = 0; u < points; u++) {
      const __mmask16 tied =
          _mm512_cmp_ps_mask(least[u], all_lanes(_mm512_reduce_min_ps(least[u])), _CMP_EQ_OQ);
      d.out_ints[i + u] = _mm512_mask_reduce_min_epi32(tied, nearest[u]);
    }
  }
}

}  // namespace

void add_expert_nested_variants_peers(Peers& peers) {
  peers.add("Mandelbrot-f64", "omp-expert", [](Data& d) {
    escape_times<DoubleLanes>(d, -2.25, -1.5, [](Doubles re, Doubles im) {
      return Orbits<DoubleLanes>{_mm512_setzero_pd(), _mm512_setzero_pd(), re, im};
    });
  });
  peers.add("Mandelbrot-julia", "omp-expert", [](Data& d) {
    escape_times<FloatLanes>(d, -1.5f, -1.5f, [](Floats re, Floats im) {
      return Orbits<FloatLanes>{re, im, all_lanes(julia_re), all_lanes(julia_im)};
    });
  });
  peers.add("Mandelbrot-collatz", "omp-expert", collatz_steps);
  peers.add("NBody-f64", "omp-expert", n_body_of_doubles);
  peers.add("NBody-potential", "omp-expert", potentials_and_forces);
  peers.add("NBody-nearest", "omp-expert", nearest_neighbours);
}

}  // namespace bench
