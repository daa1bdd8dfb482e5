// Applications whose inner loops are rows and products of matrices. Products have tiles of six rows and two
// vectors in registers, and panels as wide as a tile.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "peers/applications.h"

namespace bench {
namespace {

typedef float Lanes __attribute__((vector_size(32)));
typedef float Loaded __attribute__((vector_size(32), aligned(4), may_alias));
constexpr int rows_at_once = 6, vectors = 2;
constexpr std::int64_t width = 16;

struct Product {
  static Lanes join(Lanes sum, Lanes a, Lanes b) { return sum + a * b; }
};
struct Square {
  static Lanes join(Lanes sum, Lanes a, Lanes b) { return sum + (a - b) * (a - b); }
};

struct Tile {
  float at[rows_at_once][width];
};

// element(r, l) of the left operand; row l of the panel begins at panel + l * stride.
template <class Op, class Element>
__attribute__((always_inline)) inline void tile(std::int64_t depth, const Element& element,
                                                const float* panel, std::int64_t stride, Tile& to) {
  Lanes sums[rows_at_once][vectors];
#pragma GCC unroll 6
  for (int r = 0; r < rows_at_once; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sums[r][v] = reinterpret_cast<const Loaded*>(to.at[r])[v];
#pragma GCC unroll 1
  for (std::int64_t l = 0; l < depth; ++l) {
    const Loaded* b = reinterpret_cast<const Loaded*>(panel + l * stride);
    const Lanes b0 = b[0], b1 = b[1];
#pragma GCC unroll 6
    for (int r = 0; r < rows_at_once; ++r) {
      const Lanes a = Lanes{} + element(r, l);
      sums[r][0] = Op::join(sums[r][0], a, b0);
      sums[r][1] = Op::join(sums[r][1], a, b1);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < rows_at_once; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) reinterpret_cast<Loaded*>(to.at[r])[v] = sums[r][v];
}

// Rows from i on, the last of which is repeated.
struct RowsOfTile {
  const float* at[rows_at_once];
  RowsOfTile(const float* rows, std::int64_t stride, std::int64_t i, std::int64_t n) {
    for (int r = 0; r < rows_at_once; ++r) at[r] = rows + std::min(i + r, n - 1) * stride;
  }
  float operator()(int r, std::int64_t l) const { return at[r][l]; }
};

// Panels of a transposed matrix: element [p, l, t] is [p * width + t, l].
void pack(const Rows& m, float* to) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t p = 0; p < m.rows / width; ++p)
    for (std::int64_t t = 0; t < width; ++t)
      for (std::int64_t l = 0; l < m.columns; ++l)
        to[(p * m.columns + l) * width + t] = m.elements[(p * width + t) * m.columns + l];
}

// Replaces a row by powers of e, and returns their sum.
float powers(const float* row, std::int64_t n, float factor, float* to) {
  float most = row[0];
#pragma omp simd reduction(max : most)
  for (std::int64_t j = 0; j < n; ++j) most = std::max(most, row[j]);
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t j = 0; j < n; ++j) {
    to[j] = std::exp((row[j] - most) * factor);
    sum += to[j];
  }
  return sum;
}

}  // namespace

void omp_softmax(const Rows& m, float* to) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < m.rows; ++i) {
    float* row = to + i * m.columns;
    const float factor = 1 / powers(m.elements + i * m.columns, m.columns, 1, row);
#pragma omp simd
    for (std::int64_t j = 0; j < m.columns; ++j) row[j] *= factor;
  }
}

void omp_layer_norm(const Rows& m, const float* gains, const float* offsets, float* to) {
  const float n = static_cast<float>(m.columns);
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < m.rows; ++i) {
    const float* row = m.elements + i * m.columns;
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < m.columns; ++j) sum += row[j];
    const float mean = sum / n;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t j = 0; j < m.columns; ++j) squares += (row[j] - mean) * (row[j] - mean);
    const float factor = 1 / std::sqrt(squares / n + 1e-5f);
    float* out = to + i * m.columns;
#pragma omp simd
    for (std::int64_t j = 0; j < m.columns; ++j) out[j] = (row[j] - mean) * factor * gains[j] + offsets[j];
  }
}

void omp_attention(const Attention& x, float* own, float* to) {
  const float factor = 1 / std::sqrt(static_cast<float>(x.columns));
  float* keys = own;
  pack({x.n, x.columns, x.k}, keys);
#pragma omp parallel num_threads(2)
  {
    std::vector<float> scores(static_cast<std::size_t>(rows_at_once * x.n));
    float sums[rows_at_once];
#pragma omp for
    for (std::int64_t i = 0; i < x.n; i += rows_at_once) {
      for (std::int64_t j = 0; j < x.n; j += width) {
        Tile result{};
        tile<Product>(x.columns, RowsOfTile(x.q, x.columns, i, x.n), keys + j * x.columns, width, result);
        for (int r = 0; r < rows_at_once; ++r)
          std::memcpy(scores.data() + r * x.n + j, result.at[r], sizeof result.at[r]);
      }
      for (int r = 0; r < rows_at_once; ++r) {
        float* row = scores.data() + r * x.n;
        sums[r] = powers(row, x.n, factor, row);
      }
      for (std::int64_t j = 0; j < x.columns; j += width) {
        Tile result{};
        tile<Product>(x.n, RowsOfTile(scores.data(), x.n, 0, rows_at_once), x.v + j, x.columns, result);
        for (int r = 0; r < rows_at_once && i + r < x.n; ++r)
          for (std::int64_t t = 0; t < width; ++t)
            to[(i + r) * x.columns + j + t] = result.at[r][t] / sums[r];
      }
    }
  }
}

void omp_covariance(const Rows& m, float* to) {
  const std::int64_t n = m.columns, padded = n + rows_at_once;
  std::vector<float> means(static_cast<std::size_t>(n)), sums(static_cast<std::size_t>(n * n));
#pragma omp parallel num_threads(2)
  {
    std::vector<float> own(static_cast<std::size_t>(n));
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < m.rows; ++i)
#pragma omp simd
      for (std::int64_t j = 0; j < n; ++j) own[static_cast<std::size_t>(j)] += m.elements[i * n + j];
#pragma omp critical
    for (std::int64_t j = 0; j < n; ++j)
      means[static_cast<std::size_t>(j)] += own[static_cast<std::size_t>(j)] / static_cast<float>(m.rows);
#pragma omp barrier
    constexpr std::int64_t block = 128;
    std::vector<float> centred(static_cast<std::size_t>(block * padded)),
        mine(static_cast<std::size_t>(padded * n));
#pragma omp for schedule(static)
    for (std::int64_t first = 0; first < m.rows; first += block) {
      const std::int64_t depth = std::min(block, m.rows - first);
      for (std::int64_t l = 0; l < depth; ++l)
#pragma omp simd
        for (std::int64_t j = 0; j < n; ++j)
          centred[static_cast<std::size_t>(l * padded + j)] =
              m.elements[(first + l) * n + j] - means[static_cast<std::size_t>(j)];
      for (std::int64_t j = 0; j < n; j += width)
        for (std::int64_t i = 0; i < std::min(j + width, n); i += rows_at_once) {
          Tile result;
          for (int r = 0; r < rows_at_once; ++r)
            std::memcpy(result.at[r], mine.data() + (i + r) * n + j, sizeof result.at[r]);
          const float* left = centred.data() + i;
          tile<Product>(
              depth, [&](int r, std::int64_t l) { return left[l * padded + r]; }, centred.data() + j, padded,
              result);
          for (int r = 0; r < rows_at_once; ++r)
            std::memcpy(mine.data() + (i + r) * n + j, result.at[r], sizeof result.at[r]);
        }
    }
#pragma omp critical
    for (std::int64_t k = 0; k < n * n; ++k)
      sums[static_cast<std::size_t>(k)] += mine[static_cast<std::size_t>(k)];
  }
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = i; j < n; ++j)
      to[i * n + j] = to[j * n + i] = sums[static_cast<std::size_t>(i * n + j)] / static_cast<float>(m.rows);
}

void omp_distances(const Rows& a, const Rows& b, float* to) {
  std::vector<float> panels(static_cast<std::size_t>(b.rows * b.columns));
  pack(b, panels.data());
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < a.rows; i += rows_at_once)
    for (std::int64_t j = 0; j < b.rows; j += width) {
      Tile result{};
      tile<Square>(a.columns, RowsOfTile(a.elements, a.columns, i, a.rows), panels.data() + j * a.columns,
                   width, result);
      for (int r = 0; r < rows_at_once && i + r < a.rows; ++r)
#pragma omp simd
        for (std::int64_t t = 0; t < width; ++t) to[(i + r) * b.rows + j + t] = std::sqrt(result.at[r][t]);
    }
}

void omp_nearest_five(const Rows& queries, const Rows& points, std::int64_t* places) {
  constexpr int k = 5;
  std::vector<float> panels(static_cast<std::size_t>(points.rows * points.columns));
  pack(points, panels.data());
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < queries.rows; i += rows_at_once) {
    float best[rows_at_once][k];
    std::int64_t at[rows_at_once][k] = {};
    for (auto& row : best)
      for (float& x : row) x = std::numeric_limits<float>::max();
    for (std::int64_t j = 0; j < points.rows; j += width) {
      Tile result{};
      tile<Square>(queries.columns, RowsOfTile(queries.elements, queries.columns, i, queries.rows),
                   panels.data() + j * queries.columns, width, result);
      for (int r = 0; r < rows_at_once; ++r) {
        bool some = false;
        for (std::int64_t t = 0; t < width; ++t) some |= result.at[r][t] < best[r][k - 1];
        if (!some) continue;
        for (std::int64_t t = 0; t < width; ++t) {
          const float x = result.at[r][t];
          if (!(x < best[r][k - 1])) continue;
          int place = k - 1;
          for (; place > 0 && x < best[r][place - 1]; --place)
            best[r][place] = best[r][place - 1], at[r][place] = at[r][place - 1];
          best[r][place] = x, at[r][place] = j + t;
        }
      }
    }
    for (int r = 0; r < rows_at_once && i + r < queries.rows; ++r)
      std::copy(at[r], at[r] + k, places + (i + r) * k);
  }
}

void omp_means_of_nearest(const Rows& points, const Rows& centres, float* stepped) {
  const std::int64_t n = points.columns;
  std::vector<std::int64_t> nearest(static_cast<std::size_t>(points.rows));
  omp_nearest(points, centres, nearest.data());
  std::vector<float> sums(static_cast<std::size_t>(centres.rows * n)),
      counts(static_cast<std::size_t>(centres.rows));
#pragma omp parallel num_threads(2)
  {
    std::vector<float> own(static_cast<std::size_t>(centres.rows * n)),
        met(static_cast<std::size_t>(centres.rows));
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < points.rows; ++i) {
      const std::int64_t centre = nearest[static_cast<std::size_t>(i)];
      float* sum = own.data() + centre * n;
      met[static_cast<std::size_t>(centre)] += 1;
#pragma omp simd
      for (std::int64_t j = 0; j < n; ++j) sum[j] += points.elements[i * n + j];
    }
#pragma omp critical
    {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += own[k];
      for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += met[k];
    }
  }
  for (std::int64_t k = 0; k < centres.rows; ++k)
    for (std::int64_t j = 0; j < n; ++j)
      stepped[k * n + j] =
          sums[static_cast<std::size_t>(k * n + j)] / std::max(counts[static_cast<std::size_t>(k)], 1.f);
}

void omp_accelerations(const Bodies& b, float* to_x, float* to_y, float* to_z) {
  const float *xs = b.x, *ys = b.y, *zs = b.z, *masses = b.mass;
  const std::int64_t n = b.n;
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < n; ++i) {
    const float x = xs[i], y = ys[i], z = zs[i];
    float sum_x = 0, sum_y = 0, sum_z = 0;
#pragma omp simd reduction(+ : sum_x, sum_y, sum_z)
    for (std::int64_t j = 0; j < n; ++j) {
      const float dx = xs[j] - x, dy = ys[j] - y, dz = zs[j] - z;
      const float square = dx * dx + dy * dy + dz * dz + 1e-3f;
      const float weight = masses[j] / (square * std::sqrt(square));
      sum_x += dx * weight, sum_y += dy * weight, sum_z += dz * weight;
    }
    to_x[i] = sum_x, to_y[i] = sum_y, to_z[i] = sum_z;
  }
}

}  // namespace bench
