#include <algorithm>
#include <cmath>
#include <vector>

#include "peers/computed.h"

namespace bench {

void omp_fft(std::int64_t n, Complex from, Complex to, Complex roots) {
  const std::int64_t half = n / 2;
#pragma omp parallel num_threads(2)
  {
    Complex a = from, b = to;
    for (std::int64_t length = 1; length < n; length *= 2) {
      const std::int64_t blocks = half / length;
      const auto step = [&](std::int64_t block, std::int64_t k) {
        const std::int64_t low = block * length + k, high = low + half, out = low + block * length;
        const float c = roots.re[k * blocks], s = roots.im[k * blocks];
        const float re = a.re[high] * c - a.im[high] * s, im = a.re[high] * s + a.im[high] * c;
        b.re[out] = a.re[low] + re, b.im[out] = a.im[low] + im;
        b.re[out + length] = a.re[low] - re, b.im[out + length] = a.im[low] - im;
      };
      if (length < 16) {
#pragma omp for schedule(static)
        for (std::int64_t block = 0; block < blocks; ++block)
          for (std::int64_t k = 0; k < length; ++k) step(block, k);
      } else {
        const std::int64_t piece = std::min<std::int64_t>(length, 4096);
#pragma omp for collapse(2) schedule(static)
        for (std::int64_t block = 0; block < blocks; ++block)
          for (std::int64_t begin = 0; begin < length; begin += piece)
#pragma GCC ivdep
            for (std::int64_t k = begin; k < begin + piece; ++k) step(block, k);
      }
      std::swap(a, b);
    }
  }
}

void omp_flat_scale(const Flat& m, const float* weights, const float* offsets) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < m.rows; ++i)
#pragma GCC ivdep
    for (std::int64_t j = 0; j < m.columns; ++j)
      m.to[i * m.columns + j] = m.from[i * m.columns + j] * weights[j] + offsets[i];
}

void omp_flat_box(const Flat& m) {
  const std::int64_t last = m.columns - 1;
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < m.rows; ++i) {
    const float* above = m.from + std::max<std::int64_t>(i - 1, 0) * m.columns;
    const float* at = m.from + i * m.columns;
    const float* below = m.from + std::min(i + 1, m.rows - 1) * m.columns;
    float* to = m.to + i * m.columns;
    const auto mean = [&](std::int64_t left, std::int64_t j, std::int64_t right) {
      to[j] = (above[left] + above[j] + above[right] + at[left] + at[j] + at[right] + below[left] + below[j] +
               below[right]) /
              9;
    };
    mean(0, 0, std::min<std::int64_t>(1, last));
#pragma GCC ivdep
    for (std::int64_t j = 1; j < last; ++j) mean(j - 1, j, j + 1);
    if (last > 0) mean(last - 1, last, last);
  }
}

void omp_conjugate_gradients(const Sparse& m, int steps, const float* b, float* own, float* x) {
  const std::int64_t n = m.rows;
  float *rest = own, *direction = own + n, *image = own + 2 * n;
  float now = 0, along = 0, then = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for reduction(+ : now)
    for (std::int64_t i = 0; i < n; ++i) x[i] = 0, rest[i] = direction[i] = b[i], now += b[i] * b[i];
    for (int step = 0; step < steps; ++step) {
#pragma omp single
      along = then = 0;
#pragma omp for reduction(+ : along)
      for (std::int64_t i = 0; i < n; ++i) {
        float sum = 0;
        for (std::int64_t k = m.starts[i]; k < m.starts[i + 1]; ++k)
          sum += m.values[k] * direction[m.columns[k]];
        image[i] = sum;
        along += direction[i] * sum;
      }
      const float alpha = now / along;
#pragma omp for reduction(+ : then)
      for (std::int64_t i = 0; i < n; ++i) {
        x[i] += alpha * direction[i];
        rest[i] -= alpha * image[i];
        then += rest[i] * rest[i];
      }
      const float beta = then / now;
#pragma omp for
      for (std::int64_t i = 0; i < n; ++i) direction[i] = rest[i] + beta * direction[i];
#pragma omp single
      now = then;
    }
  }
}

void omp_logistic(const Labelled& data, int steps, float rate, float* own, float* weights) {
  const std::int64_t n = data.columns;
  std::vector<float> gradients(static_cast<std::size_t>(2 * n));
  for (std::int64_t j = 0; j < n; ++j) weights[j] = 0;
#pragma omp parallel num_threads(2)
  for (int step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < data.rows; ++i) {
      float sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += data.points[i * n + j] * weights[j];
      own[i] = sum;
    }
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < data.rows; ++i) own[i] = 1 / (1 + std::exp(-own[i])) - data.labels[i];
#pragma omp for schedule(static, 1)
    for (int part = 0; part < 2; ++part) {
      float* to = gradients.data() + part * n;
      for (std::int64_t j = 0; j < n; ++j) to[j] = 0;
      for (std::int64_t i = data.rows * part / 2; i < data.rows * (part + 1) / 2; ++i)
        for (std::int64_t j = 0; j < n; ++j) to[j] += own[i] * data.points[i * n + j];
    }
#pragma omp single
    for (std::int64_t j = 0; j < n; ++j)
      weights[j] -= rate *
                    (gradients[static_cast<std::size_t>(j)] + gradients[static_cast<std::size_t>(n + j)]) /
                    static_cast<float>(data.rows);
  }
}

void omp_perceptron(const Labelled& data, const float* weights, float* stepped) {
  const std::int64_t n = data.columns;
  std::vector<float> sums(static_cast<std::size_t>(2 * n));
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int part = 0; part < 2; ++part) {
    std::vector<float> to(static_cast<std::size_t>(n));
    for (std::int64_t i = data.rows * part / 2; i < data.rows * (part + 1) / 2; ++i) {
      const float* point = data.points + i * n;
      float sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += point[j] * weights[j];
      const float factor = sum * data.labels[i] <= 0 ? data.labels[i] : 0;
      for (std::int64_t j = 0; j < n; ++j) to[static_cast<std::size_t>(j)] += factor * point[j];
    }
    std::copy(to.begin(), to.end(), sums.begin() + part * n);
  }
  for (std::int64_t j = 0; j < n; ++j)
    stepped[j] = weights[j] + sums[static_cast<std::size_t>(j)] + sums[static_cast<std::size_t>(n + j)];
}

}  // namespace bench
