// Function objects that the parallel STL, oneTBB and Thrust peers share, and their scratch arrays.
#pragma once

#include <cstdlib>

#include "peers/functions.h"

namespace bench {

// Sum, minimum and maximum of a map whose results are stored as well.
struct Extent {
  float sum, least, most;
};
inline Extent join(Extent a, Extent b) {
  return {a.sum + b.sum, a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
}
constexpr Extent empty_extent{0, 3.0e38f, -3.0e38f};

// The two operators called join, as one function object.
struct Join {
  template <class T>
  T operator()(T a, T b) const {
    return join(a, b);
  }
};

struct RedomapAt {
  float a, b, *v, *w;
  Extent operator()(std::int32_t i) const {
    const float x = redomap_f(i * a), y = redomap_g(x * b);
    v[i] = x * a;
    w[i] = y * b;
    return {x + y, x, y};
  }
};

struct MovingAverageAt {
  const float *x, *weights;
  float operator()(std::int64_t i) const {
    float sum = 0;
    for (int k = 0; k < 15; ++k) sum += weights[k] * x[i + k];
    return sum;
  }
};

struct JacobiAt {
  const float* x;
  std::int32_t side;
  float operator()(std::int32_t cell) const {
    const std::int32_t i = cell / side, j = cell % side;
    const float* p = x + cell;
    if (i == 0 || j == 0 || i == side - 1 || j == side - 1) return *p;
    return 0.2f * (p[0] + p[-side] + p[side] + p[-1] + p[1]);
  }
};

struct RowTimesVector {
  const std::int32_t *row_starts, *columns;
  const float *values, *vector;
  float operator()(std::int64_t row) const {
    float sum = 0;
    for (std::int32_t k = row_starts[row]; k < row_starts[row + 1]; ++k)
      sum += values[k] * vector[columns[k]];
    return sum;
  }
};

struct MandelbrotAt {
  std::int32_t side;
  float step;
  std::int32_t operator()(std::int32_t cell) const {
    return mandelbrot(-2.25f + (cell % side) * step, -1.5f + (cell / side) * step);
  }
};

struct AccelerationOf {
  const Data* d;
  void operator()(std::int64_t i) const {
    const float *xs = d->x, *ys = d->y, *zs = d->z, *masses = d->mass;
    const float x = xs[i], y = ys[i], z = zs[i];
    float ax = 0, ay = 0, az = 0;
    const std::int64_t n = d->n;
    for (std::int64_t j = 0; j < n; ++j) {
      const float dx = xs[j] - x, dy = ys[j] - y, dz = zs[j] - z, q = dx * dx + dy * dy + dz * dz + softening;
      const float r = 1.f / std::sqrt(q), w = masses[j] * r * r * r;
      ax += w * dx;
      ay += w * dy;
      az += w * dz;
    }
    d->out[i] = ax;
    d->out2[i] = ay;
    d->out3[i] = az;
  }
};

struct MatrixElement {
  const float *a, *b;
  std::int32_t side;
  float operator()(std::int32_t cell) const {
    const std::int32_t i = cell / side, j = cell % side;
    float sum = 0;
    for (std::int32_t k = 0; k < side; ++k) sum += a[i * side + k] * b[k * side + j];
    return sum;
  }
};

struct MatrixRow {
  const float *a, *b;
  float* c;
  std::int32_t side;
  void operator()(std::int32_t i) const {
    float* row = c + static_cast<std::int64_t>(i) * side;
    for (std::int32_t j = 0; j < side; ++j) row[j] = 0;
    for (std::int32_t k = 0; k < side; ++k) {
      const float element = a[static_cast<std::int64_t>(i) * side + k];
      for (std::int32_t j = 0; j < side; ++j) row[j] += element * b[static_cast<std::int64_t>(k) * side + j];
    }
  }
};

inline void put(Data& d, Extent extent) {
  d.results[0] = extent.sum;
  d.results[1] = extent.least;
  d.results[2] = extent.most;
}
inline void put(Data& d, Segment segment) {
  d.results[0] = segment.best;
  d.results[1] = segment.prefix;
  d.results[2] = segment.suffix;
  d.results[3] = segment.total;
}
inline void put(Data& d, Indexed indexed) {
  d.results[0] = indexed.value;
  d.results[1] = indexed.index;
}
inline void put_packed(Data& d, std::int64_t packed) {
  d.results[0] = static_cast<std::int32_t>(packed >> 32);
  d.results[1] = static_cast<std::int32_t>(~static_cast<std::uint32_t>(packed));
}

// The k-th scratch array of this type, made at first use and kept; grows with n.
template <class T>
T* scratch(int k, std::int64_t n) {
  struct Block {
    T* memory = nullptr;
    std::int64_t capacity = 0;
  };
  static Block blocks[4];
  Block& block = blocks[k];
  if (block.capacity < n) {
    std::free(block.memory);
    const std::size_t page = std::size_t{2} << 20,
                      bytes = (sizeof(T) * static_cast<std::size_t>(n) + page) / page * page;
    block.memory = static_cast<T*>(std::aligned_alloc(page, bytes));
    block.capacity = n;
  }
  return block.memory;
}

}  // namespace bench
