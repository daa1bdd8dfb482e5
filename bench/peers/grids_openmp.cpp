// Applications on grids and on matrices that change step by step.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "peers/applications.h"

namespace bench {

void omp_factors(std::int64_t n, const float* m, float* to) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(to + i * n, m + i * n, static_cast<std::size_t>(n) * sizeof(float));
    for (std::int64_t k = 0; k + 1 < n; ++k) {
      const float* pivot = to + k * n;
#pragma omp for schedule(static)
      for (std::int64_t i = k + 1; i < n; ++i) {
        float* row = to + i * n;
        const float factor = row[k] / pivot[k];
        row[k] = factor;
#pragma omp simd
        for (std::int64_t j = k + 1; j < n; ++j) row[j] -= factor * pivot[j];
      }
    }
  }
}

void omp_shortest_paths(std::int64_t n, const float* lengths, float* to) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(to + i * n, lengths + i * n, static_cast<std::size_t>(n) * sizeof(float));
    for (std::int64_t k = 0; k < n; ++k) {
      const float* across = to + k * n;
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < n; ++i) {
        float* row = to + i * n;
        const float first = row[k];
#pragma omp simd
        for (std::int64_t j = 0; j < n; ++j) {
          const float by_k = first + across[j];
          row[j] = by_k < row[j] ? by_k : row[j];
        }
      }
    }
  }
}

void omp_jacobi_steps(std::int64_t rows, std::int64_t columns, int steps, const float* from, float* own,
                      float* to) {
  const auto border = [&](float* u) {
    std::memcpy(u, from, static_cast<std::size_t>(columns) * sizeof(float));
    std::memcpy(u + (rows - 1) * columns, from + (rows - 1) * columns,
                static_cast<std::size_t>(columns) * sizeof(float));
    for (std::int64_t i = 1; i + 1 < rows; ++i)
      u[i * columns] = from[i * columns], u[(i + 1) * columns - 1] = from[(i + 1) * columns - 1];
  };
  border(own), border(to);
#pragma omp parallel num_threads(2)
  for (int step = 0; step < steps; ++step) {
    const float* u = step == 0 ? from : (steps - step) % 2 == 0 ? to : own;
    float* next = (steps - step) % 2 == 0 ? own : to;
#pragma omp for schedule(static)
    for (std::int64_t i = 1; i < rows - 1; ++i) {
      const float *at = u + i * columns, *above = at - columns, *below = at + columns;
      float* out = next + i * columns;
#pragma omp simd
      for (std::int64_t j = 1; j < columns - 1; ++j)
        out[j] = 0.25f * (above[j] + below[j] + at[j - 1] + at[j + 1]);
    }
  }
}

void omp_points_27(std::int64_t n, const float* from, float* to) {
  constexpr float centre = 0.5f, face = 1 / 24.f, edge = 1 / 60.f, corner = 1 / 160.f;
#pragma omp parallel num_threads(2)
  {
    std::vector<float> faces_of(static_cast<std::size_t>(n)), edges_of(static_cast<std::size_t>(n));
    float *faces = faces_of.data(), *edges = edges_of.data();
#pragma omp for schedule(static)
    for (std::int64_t h = 0; h < n; ++h)
      for (std::int64_t i = 0; i < n; ++i) {
        const float* at = from + (h * n + i) * n;
        float* out = to + (h * n + i) * n;
        if (h == 0 || h == n - 1 || i == 0 || i == n - 1) {
          std::memcpy(out, at, static_cast<std::size_t>(n) * sizeof(float));
          continue;
        }
        const float *up = at - n * n, *down = at + n * n;
#pragma omp simd
        for (std::int64_t j = 0; j < n; ++j) {
          faces[j] = up[j] + down[j] + at[j - n] + at[j + n];
          edges[j] = up[j - n] + up[j + n] + down[j - n] + down[j + n];
        }
        out[0] = at[0], out[n - 1] = at[n - 1];
#pragma omp simd
        for (std::int64_t j = 1; j < n - 1; ++j)
          out[j] = centre * at[j] + face * (at[j - 1] + at[j + 1] + faces[j]) +
                   edge * (faces[j - 1] + faces[j + 1] + edges[j]) + corner * (edges[j - 1] + edges[j + 1]);
      }
  }
}

namespace {

// The means of 3 x 3 points of row i, whose vertical sums are in `sums`: from 1 to columns + 1, with copies
// of the first and the last one beside them.
void blurred_row(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t i, float* sums,
                 float* to) {
  const float* at = from + i * columns;
  const float* above = from + std::max<std::int64_t>(i - 1, 0) * columns;
  const float* below = from + std::min(i + 1, rows - 1) * columns;
#pragma omp simd
  for (std::int64_t j = 0; j < columns; ++j) sums[j + 1] = above[j] + at[j] + below[j];
  sums[0] = sums[1], sums[columns + 1] = sums[columns];
#pragma omp simd
  for (std::int64_t j = 0; j < columns; ++j) to[j + 1] = (sums[j] + sums[j + 1] + sums[j + 2]) * (1 / 9.f);
  to[0] = to[1], to[columns + 1] = to[columns];
}

}  // namespace

void omp_edges(std::int64_t rows, std::int64_t columns, const float* from, float* to) {
#pragma omp parallel num_threads(2)
  {
    const std::int64_t wide = columns + 2;
    std::vector<float> own(static_cast<std::size_t>(4 * wide));
    float *blurred = own.data(), *sums = blurred + 3 * wide;
    const std::int64_t begin = rows * omp_get_thread_num() / 2, end = rows * (omp_get_thread_num() + 1) / 2;
    const auto row = [&](std::int64_t i) {
      return blurred + std::clamp<std::int64_t>(i, 0, rows - 1) % 3 * wide;
    };
    for (std::int64_t i = std::max<std::int64_t>(begin - 1, 0); i <= begin; ++i)
      blurred_row(rows, columns, from, i, sums, row(i));
    for (std::int64_t i = begin; i < end; ++i) {
      if (i + 1 < rows) blurred_row(rows, columns, from, i + 1, sums, row(i + 1));
      const float *above = row(i - 1), *at = row(i), *below = row(i + 1);
      float* out = to + i * columns;
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) {
        const float x = above[j + 2] - above[j] + 2 * (at[j + 2] - at[j]) + below[j + 2] - below[j];
        const float y =
            below[j] + 2 * below[j + 1] + below[j + 2] - above[j] - 2 * above[j + 1] - above[j + 2];
        out[j] = std::sqrt(x * x + y * y);
      }
    }
  }
}

}  // namespace bench
