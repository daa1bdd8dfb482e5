// Rows that loops change element by element, with OpenMP: one row after the other for each of two threads.
#include <omp.h>

#include <cstring>

#include "peers/updates.h"

namespace bench {

void omp_thomas(std::int64_t rows, std::int64_t n, const float* diagonal, const float* off,
                const float* right, float* rest, float* unknowns) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t row = 0; row < rows; ++row) {
    const float *b = diagonal + row * n, *c = off + row * n, *d = right + row * n;
    float *u = rest + omp_get_thread_num() * n, *x = unknowns + row * n;
    u[0] = c[0] / b[0];
    x[0] = d[0] / b[0];
    for (std::int64_t i = 1; i < n; ++i) {
      const float by = 1 / (b[i] - c[i - 1] * u[i - 1]);
      u[i] = c[i] * by;
      x[i] = (d[i] - c[i - 1] * x[i - 1]) * by;
    }
    for (std::int64_t i = n - 2; i >= 0; --i) x[i] -= u[i] * x[i + 1];
  }
}

void omp_bridges(std::int64_t paths, std::int64_t n, const BridgeStep* steps, const float* normal,
                 float* to) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t path = 0; path < paths; ++path) {
    const float* z = normal + path * n;
    float* w = to + path * (n + 1);
    w[0] = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const BridgeStep& s = steps[i];
      w[s.at] = s.of_left * w[s.left] + s.of_right * w[s.right] + s.deviation * z[i];
    }
  }
}

void omp_lu(std::int64_t matrices, std::int64_t n, const float* from, float* to) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t m = 0; m < matrices; ++m) {
    float* u = to + m * n * n;
    std::memcpy(u, from + m * n * n, static_cast<std::size_t>(n * n) * sizeof(float));
    for (std::int64_t k = 0; k + 1 < n; ++k)
      for (std::int64_t i = k + 1; i < n; ++i) {
        const float by = u[i * n + k] /= u[k * n + k];
        for (std::int64_t j = k + 1; j < n; ++j) u[i * n + j] -= by * u[k * n + j];
      }
  }
}

void omp_steps(std::int64_t rows, std::int64_t n, std::int64_t steps, const float* from, float* to) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t row = 0; row < rows; ++row) {
    float* x = to + row * n;
    std::memcpy(x, from + row * n, static_cast<std::size_t>(n) * sizeof(float));
    for (std::int64_t k = 0; k < steps; ++k) {
      const std::int64_t at = k * 7 & (n - 1);
      x[at] = x[at] * 0.5F + 1;
    }
  }
}

void omp_insertions(std::int64_t rows, std::int64_t n, const float* from, float* to) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t row = 0; row < rows; ++row) {
    float* x = to + row * n;
    std::memcpy(x, from + row * n, static_cast<std::size_t>(n) * sizeof(float));
    for (std::int64_t i = 1; i < n; ++i)
      for (std::int64_t j = i; j > 0 && x[j - 1] > x[j]; --j) {
        const float value = x[j];
        x[j] = x[j - 1];
        x[j - 1] = value;
      }
  }
}

}  // namespace bench
