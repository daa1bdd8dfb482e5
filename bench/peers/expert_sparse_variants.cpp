// Hand-written sparse products of other types, operators and tuples: the algorithms of expert_irregular.cpp,
// once for all.
#include <immintrin.h>

#include <algorithm>

#include "peers/expert.h"
#include "peers/variant_functions.h"

namespace bench {
namespace {

// f(first row, last row) on each thread's share of the elements.
template <class F>
void share_rows(const Data& d, F f) {
  if (d.n < 8192) {
    f(std::int64_t{0}, d.rows);
    return;
  }
#pragma omp parallel
  {
    const int t = omp_get_thread_num(), team = omp_get_num_threads();
    const auto row_at = [&](int t) -> std::int64_t {
      if (t == team) return d.rows;
      const auto element = static_cast<std::int32_t>(d.n * t / team);
      return std::lower_bound(d.row_starts, d.row_starts + d.rows, element) - d.row_starts;
    };
    f(t == 0 ? 0 : row_at(t), row_at(t + 1));
  }
}
// Four folds side by side in each row: fold(so far, k), join(a, b), store(row, result).
template <class Fold, class FoldOne, class JoinFolds, class Store>
void fold_rows(const Data& d, Fold none, FoldOne fold, JoinFolds join, Store store) {
  share_rows(d, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; row++) {
      std::int32_t k = d.row_starts[row];
      const std::int32_t end = d.row_starts[row + 1];
      Fold s0 = none, s1 = none, s2 = none, s3 = none;
      for (; k + 4 <= end; k += 4) {
        s0 = fold(s0, k);
        s1 = fold(s1, k + 1);
        s2 = fold(s2, k + 2);
        s3 = fold(s3, k + 3);
      }
      for (; k < end; k++) s0 = fold(s0, k);
      store(row, join(join(s0, s1), join(s2, s3)));
    }
  });
}

// f(so far, valid lanes, values, elements of the vector) for whole vectors of each row's elements.
template <class Begin, class F, class End>
void gather_rows(const Data& d, Begin begin, F f, End end) {
  share_rows(d, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; row++) {
      auto so_far = begin();
      for (std::int32_t k = d.row_starts[row]; k < d.row_starts[row + 1]; k += 16) {
        const __mmask16 m = first_lanes(d.row_starts[row + 1] - k);
        const Floats x = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m,
                                                  _mm512_maskz_loadu_epi32(m, d.columns + k), d.vector, 4);
        f(so_far, m, _mm512_maskz_loadu_ps(m, d.values + k), x);
      }
      end(row, so_far);
    }
  });
}

struct SumAndMost {
  float sum, most;
};
struct SumAndMostLanes {
  Floats sum, most;
};

void gather_doubles(Data& d) {
  share_rows(d, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; row++) {
      __m512d sum = _mm512_setzero_pd();
      for (std::int32_t k = d.row_starts[row]; k < d.row_starts[row + 1]; k += 8) {
        const auto m = static_cast<__mmask8>(first_lanes(d.row_starts[row + 1] - k));
        const __m512d x = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), m,
                                                   _mm256_maskz_loadu_epi32(m, d.columns + k), d.y_f64, 8);
        sum = _mm512_fmadd_pd(_mm512_maskz_loadu_pd(m, d.x_f64 + k), x, sum);
      }
      d.out_f64[row] = _mm512_reduce_add_pd(sum);
    }
  });
}

}  // namespace

void add_expert_sparse_variants_peers(Peers& peers) {
  peers.add("SMVM-f64", "omp-expert", [](Data& d) {
    fold_rows(
        d, 0., [&](double sum, std::int32_t k) { return sum + d.x_f64[k] * d.y_f64[d.columns[k]]; },
        [](double a, double b) { return a + b; }, [&](std::int64_t row, double s) { d.out_f64[row] = s; });
  });
  peers.add("SMVM-f64", "omp-expert-gather", gather_doubles);
  peers.add("SMVM-minplus", "omp-expert", [](Data& d) {
    fold_rows(
        d, no_step,
        [&](float least, std::int32_t k) { return std::min(least, d.values[k] + d.vector[d.columns[k]]); },
        [](float a, float b) { return std::min(a, b); }, [&](std::int64_t row, float s) { d.out[row] = s; });
  });
  peers.add("SMVM-minplus", "omp-expert-gather", [](Data& d) {
    gather_rows(
        d, [] { return all_lanes(no_step); },
        [](Floats& least, __mmask16 m, Floats length, Floats x) {
          least = _mm512_mask_min_ps(least, m, least, _mm512_add_ps(length, x));
        },
        [&](std::int64_t row, Floats least) { d.out[row] = _mm512_reduce_min_ps(least); });
  });
  peers.add("SMVM-sum-max", "omp-expert", [](Data& d) {
    fold_rows(
        d, SumAndMost{0, 0},
        [&](SumAndMost s, std::int32_t k) {
          const float product = d.values[k] * d.vector[d.columns[k]];
          return SumAndMost{s.sum + product, std::max(s.most, product)};
        },
        [](SumAndMost a, SumAndMost b) { return SumAndMost{a.sum + b.sum, std::max(a.most, b.most)}; },
        [&](std::int64_t row, SumAndMost s) {
          d.out[row] = s.sum;
          d.out2[row] = s.most;
        });
  });
  peers.add("SMVM-sum-max", "omp-expert-gather", [](Data& d) {
    gather_rows(
        d, [] { return SumAndMostLanes{_mm512_setzero_ps(), _mm512_setzero_ps()}; },
        [](SumAndMostLanes& s, __mmask16, Floats value, Floats x) {
          const Floats product = _mm512_mul_ps(value, x);
          s = {_mm512_add_ps(s.sum, product), _mm512_max_ps(s.most, product)};
        },
        [&](std::int64_t row, SumAndMostLanes s) {
          d.out[row] = _mm512_reduce_add_ps(s.sum);
          d.out2[row] = _mm512_reduce_max_ps(s.most);
        });
  });
}

}  // namespace bench
