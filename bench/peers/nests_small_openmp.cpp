// Batches of small matrices with OpenMP. Products have rows as vectors (four rows of 4 are one vector).
// Factors and solutions take 16 matrices at a time, one for each lane: what is read is transposed, computed
// with, and transposed back.
#include <omp.h>

#include <cstring>

#include "peers/nests_small.h"

namespace bench {
namespace {

template <int n>
struct Vector {
  typedef float type __attribute__((vector_size(n * sizeof(float))));
};
using Row8 = Vector<8>::type;
using Row16 = Vector<16>::type;

template <class V>
V load(const float* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
void store(float* p, V v) {
  std::memcpy(p, &v, sizeof v);
}

// Calls f(k) for each matrix.
template <class F>
void for_each(std::int64_t n, const F& f) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t k = 0; k < n; ++k) f(k);
}

Row16 low(Row16 a, Row16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
Row16 high(Row16 a, Row16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
// Element j of row i becomes element i of row j: interleaving rows 0 and 8, 1 and 9 .. four times.
void transpose(Row16 (&rows)[16]) {
#pragma GCC unroll 4
  for (int stage = 0; stage < 4; ++stage) {
    Row16 next[16];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      next[2 * i] = low(rows[i], rows[i + 8]);
      next[2 * i + 1] = high(rows[i], rows[i + 8]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) rows[i] = next[i];
  }
}
// Rows of 4 of 16 matrices: element i of each of them.
void from_rows_of_4(Row16 (&x)[4]) {
  const auto even = [](Row16 a, Row16 b) {
    return __builtin_shufflevector(a, b, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  };
  const auto odd = [](Row16 a, Row16 b) {
    return __builtin_shufflevector(a, b, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
  };
  const auto first = [](Row16 a, Row16 b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  };
  const auto last = [](Row16 a, Row16 b) {
    return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  };
  const Row16 p = even(x[0], x[1]), q = odd(x[0], x[1]), r = even(x[2], x[3]), s = odd(x[2], x[3]);
  x[0] = first(p, r), x[1] = last(p, r), x[2] = first(q, s), x[3] = last(q, s);
}
void to_rows_of_4(Row16 (&x)[4]) {
  const Row16 ab = low(x[0], x[1]), ab_high = high(x[0], x[1]);
  const Row16 cd = low(x[2], x[3]), cd_high = high(x[2], x[3]);
  const auto pairs = [](Row16 a, Row16 b) {
    return __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
  };
  const auto high_pairs = [](Row16 a, Row16 b) {
    return __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
  };
  x[0] = pairs(ab, cd), x[1] = high_pairs(ab, cd);
  x[2] = pairs(ab_high, cd_high), x[3] = high_pairs(ab_high, cd_high);
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

constexpr std::int64_t side_by_side = 16;

}  // namespace

void omp_products_4(std::int64_t n, const float* a, const float* b, float* c) {
  for_each(n, [=](std::int64_t k) {
    const Row16 x = load<Row16>(a + 16 * k), y = load<Row16>(b + 16 * k);
#define FACTOR(x, j)                                                                                        \
  __builtin_shufflevector(x, x, j, j, j, j, j + 4, j + 4, j + 4, j + 4, j + 8, j + 8, j + 8, j + 8, j + 12, \
                          j + 12, j + 12, j + 12)
#define ROW(y, i)                                                                                         \
  __builtin_shufflevector(y, y, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3, 4 * i, 4 * i + 1, 4 * i + 2,      \
                          4 * i + 3, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3, 4 * i, 4 * i + 1, 4 * i + 2, \
                          4 * i + 3)
    const Row16 sum = FACTOR(x, 0) * ROW(y, 0) + FACTOR(x, 1) * ROW(y, 1);
    store(c + 16 * k, sum + (FACTOR(x, 2) * ROW(y, 2) + FACTOR(x, 3) * ROW(y, 3)));
#undef FACTOR
#undef ROW
  });
}

void omp_products_8(std::int64_t n, const float* a, const float* b, float* c) {
  for_each(n, [=](std::int64_t k) {
    Row8 rows[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) rows[i] = load<Row8>(b + 64 * k + 8 * i);
    for (int i = 0; i < 8; ++i) {
      const float* x = a + 64 * k + 8 * i;
      Row8 sum = x[0] * rows[0];
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
    // Columns 0 to 15 and 1 to 16.
    for (int i = 0; i < 17; ++i) {
      Row16 row = {}, other = {};
      for (int j = 0; j < 31; ++j) {
        row += x[31 * i + j] * load<Row16>(y + 17 * j);
        other += x[31 * i + j] * load<Row16>(y + 17 * j + 1);
      }
      store(to + 17 * i, row);
      store(to + 17 * i + 1, other);
    }
  });
}

void omp_factors_4(std::int64_t n, const float* a, float* lu) {
  const std::int64_t whole = n / side_by_side;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t block = 0; block < whole; ++block) {
    Row16 u[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) u[i] = load<Row16>(a + 16 * (side_by_side * block + i));
    transpose(u);
    factor(u);
    transpose(u);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) store(lu + 16 * (side_by_side * block + i), u[i]);
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
    Row16 factors[16], result[4];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) factors[i] = load<Row16>(l + 16 * (side_by_side * block + i));
    for (int i = 0; i < 4; ++i) result[i] = load<Row16>(b + 4 * side_by_side * block + 16 * i);
    transpose(factors);
    from_rows_of_4(result);
    solve(factors, result);
    to_rows_of_4(result);
    for (int i = 0; i < 4; ++i) store(x + 4 * side_by_side * block + 16 * i, result[i]);
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
