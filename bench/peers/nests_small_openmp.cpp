// Batches of small matrices with OpenMP. Products have rows as vectors (two rows of 4 are one vector).
// Factors and solutions take 8 matrices at a time, one for each lane: what is read is transposed, computed
// with, and transposed back.
#include <omp.h>

#include <cstring>

#include "peers/nests_small.h"

namespace bench {
namespace {

typedef float Row __attribute__((vector_size(8 * sizeof(float))));

Row load(const float* p) {
  Row v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
void store(float* p, Row v) {
  std::memcpy(p, &v, sizeof v);
}

// Calls f(k) for each matrix.
template <class F>
void for_each(std::int64_t n, const F& f) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t k = 0; k < n; ++k) f(k);
}

// The lower and upper halves of 4 lanes, interleaved in each half as AVX does.
Row low(Row a, Row b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}
Row high(Row a, Row b) {
  return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}
Row low_pairs(Row a, Row b) {
  return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
}
Row high_pairs(Row a, Row b) {
  return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}
Row low_half(Row a, Row b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
}
Row high_half(Row a, Row b) {
  return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}
// In each half 4 x 4 elements.
void transpose_halves(Row (&x)[4]) {
  const Row a = low(x[0], x[1]), b = high(x[0], x[1]), c = low(x[2], x[3]), d = high(x[2], x[3]);
  x[0] = low_pairs(a, c), x[1] = high_pairs(a, c), x[2] = low_pairs(b, d), x[3] = high_pairs(b, d);
}
// Rows of 4 of 8 matrices, and element i of each of them.
void from_rows_of_4(Row (&x)[4]) {
  const Row a = low_half(x[0], x[2]), b = high_half(x[0], x[2]);
  const Row c = low_half(x[1], x[3]), d = high_half(x[1], x[3]);
  x[0] = a, x[1] = b, x[2] = c, x[3] = d;
  transpose_halves(x);
}
void to_rows_of_4(Row (&x)[4]) {
  transpose_halves(x);
  const Row a = low_half(x[0], x[1]), b = low_half(x[2], x[3]);
  const Row c = high_half(x[0], x[1]), d = high_half(x[2], x[3]);
  x[0] = a, x[1] = b, x[2] = c, x[3] = d;
}
// Elements 0 to 7 of 8 runs, and element i of each of them.
void transpose(Row (&x)[8]) {
  Row left[4], right[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) left[i] = low_half(x[i], x[i + 4]), right[i] = high_half(x[i], x[i + 4]);
  transpose_halves(left);
  transpose_halves(right);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) x[i] = left[i], x[i + 4] = right[i];
}
// Loads 8 matrices of 16 elements, transposed.
void load_transposed(const float* from, Row (&u)[16]) {
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    Row x[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) x[i] = load(from + 16 * i + 8 * half);
    transpose(x);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) u[8 * half + i] = x[i];
  }
}
void store_transposed(const Row (&u)[16], float* to) {
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    Row x[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) x[i] = u[8 * half + i];
    transpose(x);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) store(to + 16 * i + 8 * half, x[i]);
  }
}

// u[4 * i + j] is element i, j.
template <class T>
void factor(T (&u)[16]) {
#pragma GCC unroll 4
  for (int k = 0; k < 3; ++k)
#pragma GCC unroll 4
    for (int i = k + 1; i < 4; ++i) {
      u[4 * i + k] /= u[4 * k + k];
#pragma GCC unroll 4
      for (int j = k + 1; j < 4; ++j) u[4 * i + j] -= u[4 * i + k] * u[4 * k + j];
    }
}
template <class T>
void solve(const T (&l)[16], T (&x)[4]) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 4
    for (int k = 0; k < i; ++k) x[i] -= l[4 * i + k] * x[k];
    x[i] /= l[4 * i + i];
  }
}

constexpr std::int64_t side_by_side = 8;

}  // namespace

void omp_products_4(std::int64_t n, const float* a, const float* b, float* c) {
  for_each(n, [=](std::int64_t k) {
    const Row y[2] = {load(b + 16 * k), load(b + 16 * k + 8)};
    const Row rows[4] = {low_half(y[0], y[0]), high_half(y[0], y[0]), low_half(y[1], y[1]),
                         high_half(y[1], y[1])};
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const Row x = load(a + 16 * k + 8 * half);
      Row sum = __builtin_shufflevector(x, x, 0, 0, 0, 0, 4, 4, 4, 4) * rows[0];
      sum += __builtin_shufflevector(x, x, 1, 1, 1, 1, 5, 5, 5, 5) * rows[1];
      sum += __builtin_shufflevector(x, x, 2, 2, 2, 2, 6, 6, 6, 6) * rows[2];
      sum += __builtin_shufflevector(x, x, 3, 3, 3, 3, 7, 7, 7, 7) * rows[3];
      store(c + 16 * k + 8 * half, sum);
    }
  });
}

void omp_products_8(std::int64_t n, const float* a, const float* b, float* c) {
  for_each(n, [=](std::int64_t k) {
    Row rows[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) rows[i] = load(b + 64 * k + 8 * i);
    for (int i = 0; i < 8; ++i) {
      const float* x = a + 64 * k + 8 * i;
      Row sum = x[0] * rows[0];
#pragma GCC unroll 8
      for (int j = 1; j < 8; ++j) sum += x[j] * rows[j];
      store(c + 64 * k + 8 * i, sum);
    }
  });
}

void omp_products_17(std::int64_t n, const float* a, const float* b, float* c) {
  for_each(n, [=](std::int64_t k) {
    const float *x = a + 17 * 31 * k, *y = b + 31 * 17 * k;
    float* to = c + 17 * 17 * k;
    // Columns 0 to 7, 8 to 15 and 9 to 16 of two rows, of which the last two have one in common.
    for (int i = 0; i < 17; i += i == 14 ? 1 : 2) {
      Row sums[2][3] = {};
      for (int j = 0; j < 31; ++j) {
        const Row row[3] = {load(y + 17 * j), load(y + 17 * j + 8), load(y + 17 * j + 9)};
        for (int r = 0; r < 2; ++r)
          for (int v = 0; v < 3; ++v) sums[r][v] += x[31 * (i + r) + j] * row[v];
      }
      for (int r = 0; r < 2; ++r) {
        store(to + 17 * (i + r), sums[r][0]);
        store(to + 17 * (i + r) + 8, sums[r][1]);
        store(to + 17 * (i + r) + 9, sums[r][2]);
      }
      if (i == 15) break;
    }
  });
}

void omp_factors_4(std::int64_t n, const float* a, float* lu) {
  const std::int64_t whole = n / side_by_side;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t block = 0; block < whole; ++block) {
    Row u[16];
    load_transposed(a + 16 * side_by_side * block, u);
    factor(u);
    store_transposed(u, lu + 16 * side_by_side * block);
  }
  for (std::int64_t k = whole * side_by_side; k < n; ++k) {
    float u[16];
    std::memcpy(u, a + 16 * k, sizeof u);
    factor(u);
    std::memcpy(lu + 16 * k, u, sizeof u);
  }
}

void omp_solved_4(std::int64_t n, const float* l, const float* b, float* x) {
  const std::int64_t whole = n / side_by_side;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t block = 0; block < whole; ++block) {
    Row factors[16], result[4];
    load_transposed(l + 16 * side_by_side * block, factors);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) result[i] = load(b + 4 * side_by_side * block + 8 * i);
    from_rows_of_4(result);
    solve(factors, result);
    to_rows_of_4(result);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) store(x + 4 * side_by_side * block + 8 * i, result[i]);
  }
  for (std::int64_t k = whole * side_by_side; k < n; ++k) {
    float factors[16], result[4];
    std::memcpy(factors, l + 16 * k, sizeof factors);
    std::memcpy(result, b + 4 * k, sizeof result);
    solve(factors, result);
    std::memcpy(x + 4 * k, result, sizeof result);
  }
}

void read_and_write(std::int64_t n_read, const float* from, std::int64_t n_written, float* to) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < n_read; ++i) sum += from[i];
#pragma omp parallel for simd schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < n_written; ++i) to[i] = sum;
}

}  // namespace bench
