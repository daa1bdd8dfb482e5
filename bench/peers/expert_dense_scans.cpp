// Hand-written scans of variants: one pass over tiles that a chain of prefixes joins, as in expert_scan.cpp,
// for prefixes of any type.
#include "peers/dense_functions.h"
#include "peers/expert_lanes.h"
#include "peers/expert_matrix.h"

namespace bench {
namespace {

template <class State>
class Prefixes {
 public:
  explicit Prefixes() : call_(++calls_) {}
  State wait_before(std::int64_t tile, State unit) const {
    if (tile == 0) return unit;
    while (__atomic_load_n(&tiles_[tile - 1].call, __ATOMIC_ACQUIRE) != call_) _mm_pause();
    return tiles_[tile - 1].prefix;
  }
  void publish(std::int64_t tile, State prefix) const {
    tiles_[tile].prefix = prefix;
    __atomic_store_n(&tiles_[tile].call, call_, __ATOMIC_RELEASE);
  }

 private:
  struct alignas(64) Tile {
    State prefix;
    int call;
  };
  static inline Tile tiles_[4096] = {};
  static inline int calls_ = 0;
  int call_;
};

inline void prefetch(const void* from) {
  _mm_prefetch(static_cast<const char*>(from), _MM_HINT_T1);
}

// total(first, last) folds a tile, scan(first, last, prefix, ahead) writes its results and prefetches what
// lies so many elements ahead: the tile that its thread will work on next.
template <class State, class Total, class Join, class Scan>
void scan_tiles(std::int64_t n, State unit, Total total, Join join, Scan scan) {
  constexpr std::int64_t tile = 16384;
  if (n < 4 * tile) return scan(0, n, unit, 0);
  const Prefixes<State> prefixes;
  const std::int64_t tiles = (n + tile - 1) / tile;
#pragma omp parallel
  for (std::int64_t k = omp_get_thread_num(); k < tiles; k += omp_get_num_threads()) {
    const std::int64_t first = k * tile, last = std::min(n, first + tile);
    const State own = k + 1 < tiles ? total(first, last) : unit;
    const State before = prefixes.wait_before(k, unit);
    prefixes.publish(k, join(before, own));
    const std::int64_t ahead = omp_get_num_threads() * tile;
    scan(first, last, before, last + ahead <= n ? ahead : 0);
  }
}

// Lanes l-by.. of v, below them those of `fill`.
template <int by>
Floats moved_up(Floats v, Floats fill) {
  return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(v), _mm512_castps_si512(fill), 16 - by));
}
template <int by>
__m512d moved_up(__m512d v) {
  return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(v), _mm512_setzero_si512(), 8 - by));
}

__m512d scan_lanes(__m512d v) {
  v = _mm512_add_pd(v, moved_up<1>(v));
  v = _mm512_add_pd(v, moved_up<2>(v));
  return _mm512_add_pd(v, moved_up<4>(v));
}
template <bool non_temporal>
void scan_sums(const double* x, double* out, std::int64_t first, std::int64_t last, double before,
               std::int64_t ahead) {
  const Ints last_lane = _mm512_set1_epi64(7);
  __m512d sum = _mm512_set1_pd(before);
  std::int64_t i = first;
  for (; i + 32 <= last; i += 32) {
    for (int u = 0; ahead && u < 4; ++u) prefetch(x + i + ahead + 8 * u);
    __m512d v[4], upto = _mm512_setzero_pd();  // the four are independent of what comes before
    for (int u = 0; u < 4; ++u) v[u] = scan_lanes(_mm512_loadu_pd(x + i + 8 * u));
    for (int u = 0; u < 4; ++u) {
      const __m512d total = _mm512_permutexvar_pd(last_lane, v[u]);
      store<non_temporal>(out + i + 8 * u, _mm512_add_pd(_mm512_add_pd(v[u], upto), sum));
      upto = _mm512_add_pd(upto, total);
    }
    sum = _mm512_add_pd(sum, upto);
  }
  double so_far = sum[0];
  for (; i < last; ++i) out[i] = so_far += x[i];
  if (non_temporal) _mm_sfence();
}
template <bool non_temporal>
void scan_f64(Data& d) {
  scan_tiles(
      d.n, 0.,
      [&](std::int64_t first, std::int64_t last) {
        double all = 0;
#pragma omp simd reduction(+ : all)
        for (std::int64_t i = first; i < last; ++i) all += d.x_f64[i];
        return all;
      },
      [](double a, double b) { return a + b; },
      [&](std::int64_t first, std::int64_t last, double before, std::int64_t ahead) {
        scan_sums<non_temporal>(d.x_f64, d.out_f64, first, last, before, ahead);
      });
}

// a y + b, the left one applied first; of 16 lanes too.
struct Line {
  float a, b;
};
struct LineLanes {
  Floats a, b;
};
LineLanes composed(LineLanes f, LineLanes g) {
  return {_mm512_mul_ps(f.a, g.a), _mm512_fmadd_ps(f.b, g.a, g.b)};
}
template <int by>
LineLanes after_lanes_below(LineLanes f) {
  return composed({moved_up<by>(f.a, all_lanes(1)), moved_up<by>(f.b, _mm512_setzero_ps())}, f);
}
LineLanes scan_lanes(LineLanes f) {
  return after_lanes_below<8>(after_lanes_below<4>(after_lanes_below<2>(after_lanes_below<1>(f))));
}
LineLanes load_lines(const Data& d, std::int64_t i) {
  return {_mm512_fnmadd_ps(_mm512_loadu_ps(d.x + i), all_lanes(1e-3f), all_lanes(1)),
          _mm512_loadu_ps(d.y + i)};
}
LineLanes composed_neighbours(LineLanes low, LineLanes high) {
  const Ints even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const Ints odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  return composed({_mm512_permutex2var_ps(low.a, even, high.a), _mm512_permutex2var_ps(low.b, even, high.b)},
                  {_mm512_permutex2var_ps(low.a, odd, high.a), _mm512_permutex2var_ps(low.b, odd, high.b)});
}
Line fold_lines(const Data& d, std::int64_t first, std::int64_t last) {
  Line all{1, 0};
  std::int64_t i = first;
  for (; i + 256 <= last; i += 256) {
    LineLanes f[16];
    for (int u = 0; u < 16; ++u) f[u] = load_lines(d, i + 16 * u);
    for (int width = 8; width; width /= 2)
      for (int u = 0; u < width; ++u) f[u] = composed_neighbours(f[2 * u], f[2 * u + 1]);
    const LineLanes upto = scan_lanes(f[0]);
    all = {all.a * upto.a[15], all.b * upto.a[15] + upto.b[15]};
  }
  for (; i < last; ++i) {
    const float a = recurrence_factor(d.x[i]);
    all = {all.a * a, all.b * a + d.y[i]};
  }
  return all;
}
template <bool non_temporal>
void follow_lines(Data& d, std::int64_t first, std::int64_t last, float before, std::int64_t ahead) {
  const Ints last_lane = _mm512_set1_epi32(15);
  Floats y = all_lanes(before);
  std::int64_t i = first;
  for (; i + 16 <= last; i += 16) {
    if (ahead) prefetch(d.x + i + ahead), prefetch(d.y + i + ahead);
    const LineLanes f = scan_lanes(load_lines(d, i));
    store<non_temporal>(d.out + i, _mm512_fmadd_ps(f.a, y, f.b));
    y = _mm512_fmadd_ps(_mm512_permutexvar_ps(last_lane, f.a), y, _mm512_permutexvar_ps(last_lane, f.b));
  }
  float so_far = y[0];
  for (; i < last; ++i) d.out[i] = so_far = recurrence_factor(d.x[i]) * so_far + d.y[i];
  if (non_temporal) _mm_sfence();
}
template <bool non_temporal>
void recurrence(Data& d) {
  scan_tiles(
      d.n, Line{1, 0}, [&](std::int64_t first, std::int64_t last) { return fold_lines(d, first, last); },
      [](Line f, Line g) { return Line{f.a * g.a, f.b * g.a + g.b}; },
      [&](std::int64_t first, std::int64_t last, Line before, std::int64_t ahead) {
        follow_lines<non_temporal>(d, first, last, before.b, ahead);
      });
}

// Lane l of a block owns elements 16 l .. 16 l + 15: prefixes within it, then the products of the lanes
// below.
template <int by>
Ints after_lanes_below(Ints v) {
  return multiply_lanes(_mm512_alignr_epi32(v, _mm512_set1_epi32(identity_2x2), 16 - by), v);
}
template <bool non_temporal>
void scan_matrices(Data& d, std::int64_t first, std::int64_t last, std::uint32_t before, std::int64_t ahead) {
  const Ints clear = _mm512_set1_epi32(static_cast<int>(0xFFFFFEFF)), set = _mm512_set1_epi32(identity_2x2);
  const Ints last_lane = _mm512_set1_epi32(15);
  Ints product = _mm512_set1_epi32(static_cast<int>(before));
  std::int64_t i = first;
  for (; i + 256 <= last; i += 256) {
    Ints q[16];
    for (int l = 0; ahead && l < 16; ++l) prefetch(d.small + i + ahead + 16 * l);
    for (int l = 0; l < 16; ++l)
      q[l] = _mm512_or_si512(_mm512_and_si512(_mm512_loadu_si512(d.small + i + 16 * l), clear), set);
    transpose(q);
    for (int k = 1; k < 16; ++k) q[k] = multiply_lanes(q[k - 1], q[k]);
    const Ints upto =
        after_lanes_below<8>(after_lanes_below<4>(after_lanes_below<2>(after_lanes_below<1>(q[15]))));
    const Ints below = multiply_lanes(product, _mm512_alignr_epi32(upto, set, 15));
    product = multiply_lanes(product, _mm512_permutexvar_epi32(last_lane, upto));
    for (Ints& v : q) v = multiply_lanes(below, v);
    transpose(q);
    for (int l = 0; l < 16; ++l)
      store<non_temporal>(d.out_ints + i + 16 * l, reinterpret_cast<Lanes<std::int32_t>>(q[l]));
  }
  auto so_far = static_cast<std::uint32_t>(_mm512_cvtsi512_si32(product));
  for (; i < last; ++i) {
    so_far = multiply_2x2(so_far, lift_2x2(d.small[i], 0));
    d.out_ints[i] = static_cast<std::int32_t>(so_far);
  }
  if (non_temporal) _mm_sfence();
}
template <bool non_temporal>
void scan_2x2(Data& d) {
  scan_tiles(
      d.n, identity_2x2,
      [&](std::int64_t first, std::int64_t last) { return product(d.small, first, last, 0); }, multiply_2x2,
      [&](std::int64_t first, std::int64_t last, std::uint32_t before, std::int64_t ahead) {
        scan_matrices<non_temporal>(d, first, last, before, ahead);
      });
}

}  // namespace

void add_expert_dense_scans(Peers& peers) {
  peers.add("ScanPlus-f64", "omp-expert", scan_f64<false>);
  peers.add("ScanPlus-f64", "omp-expert-nt", scan_f64<true>);
  peers.add("ScanPlus-recurrence", "omp-expert", recurrence<false>);
  peers.add("ScanPlus-recurrence", "omp-expert-nt", recurrence<true>);
  peers.add("Scan2x2MM", "omp-expert", scan_2x2<false>);
  peers.add("Scan2x2MM", "omp-expert-nt", scan_2x2<true>);
}

}  // namespace bench
