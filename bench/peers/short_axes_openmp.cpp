// Matrices of three and four columns with OpenMP on two threads.
#include "peers/short_axes.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bench {
namespace {

// f(row of `from`, row of `other`, row of `to`) for rows of this many columns.
template <int columns, class F>
void for_rows(const ShortRows& s, const F& f) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < s.n; ++i) f(s.from + columns * i, s.other + columns * i, s.to + columns * i);
}

}  // namespace

void omp_move_points(const ShortRows& s) {
  const float* m = s.other;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < s.n; ++i) {
    const float* p = s.from + 3 * i;
    for (int j = 0; j < 3; ++j)
      s.to[3 * i + j] = p[j] + m[3 * j] * p[0] + m[3 * j + 1] * p[1] + m[3 * j + 2] * p[2];
  }
}

void omp_normalise_points(const ShortRows& s) {
  for_rows<3>(s, [](const float* p, const float*, float* to) {
    const float norm = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (int k = 0; k < 3; ++k) to[k] = p[k] / norm;
  });
}

void omp_cross_products(const ShortRows& s) {
  for_rows<3>(s, [](const float* a, const float* b, float* to) {
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
  });
}

void omp_pull_particles(const ShortRows& s, float step) {
  for_rows<3>(s, [=](const float* p, const float* v, float* to) {
    const float far = 1 + p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    for (int k = 0; k < 3; ++k) to[k] = p[k] + step * (v[k] - p[k] / far);
  });
}

void omp_sum_columns(const ShortRows& s) {
  float x = 0, y = 0, z = 0;
#pragma omp parallel for schedule(static) num_threads(2) reduction(+ : x, y, z)
  for (std::int64_t i = 0; i < s.n; ++i) {
    x += s.from[3 * i];
    y += s.from[3 * i + 1];
    z += s.from[3 * i + 2];
  }
  s.to[0] = x, s.to[1] = y, s.to[2] = z;
}

void omp_column_products(const ShortRows& s) {
  float sums[9] = {};
#pragma omp parallel for schedule(static) num_threads(2) reduction(+ : sums[ : 9])
  for (std::int64_t i = 0; i < s.n; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) sums[3 * j + k] += s.from[3 * i + j] * s.from[3 * i + k];
  std::copy(sums, sums + 9, s.to);
}

void omp_potentials(const ShortRows& s) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < s.n; ++i) {
    const float* p = s.from + 3 * i;
    float sum = 0;
    for (std::int64_t j = 0; j < s.n; ++j) {
      const float* q = s.from + 3 * j;
      const float x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
      sum += 1 / std::sqrt(x * x + y * y + z * z + 0.01f);
    }
    s.to[i] = sum;
  }
}

void omp_quaternion_products(const ShortRows& s) {
  for_rows<4>(s, [](const float* a, const float* b, float* to) {
    to[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    to[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    to[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    to[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  });
}

void omp_sort_rows(const ShortRows& s) {
  for_rows<4>(s, [](const float* from, const float*, float* to) {
    float x[4] = {from[0], from[1], from[2], from[3]};
    const auto order = [&](int a, int b) {
      const float least = std::min(x[a], x[b]), most = std::max(x[a], x[b]);
      x[a] = least, x[b] = most;
    };
    order(0, 1), order(2, 3), order(0, 2), order(1, 3), order(1, 2);
    std::copy(x, x + 4, to);
  });
}

void omp_sort_each(const ShortRows& s, std::int64_t columns) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < s.n; ++i) {
    float* row = s.to + i * columns;
    std::copy_n(s.from + i * columns, columns, row);
    std::sort(row, row + columns);
  }
}

void omp_medians(const ShortRows& s, std::int64_t columns) {
#pragma omp parallel num_threads(2)
  {
    std::vector<float> row(static_cast<std::size_t>(columns));
#pragma omp for
    for (std::int64_t i = 0; i < s.n; ++i) {
      std::copy_n(s.from + i * columns, columns, row.begin());
      std::nth_element(row.begin(), row.begin() + columns / 2, row.end());
      s.to[i] = row[static_cast<std::size_t>(columns / 2)];
    }
  }
}

}  // namespace bench
