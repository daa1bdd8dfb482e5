#include "peers/interleaved.h"

#include <algorithm>

namespace bench {

void omp_interleaved(std::int64_t n, const float* x, const float* y, float* to) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < n; ++i) to[2 * i] = x[i], to[2 * i + 1] = y[i];
}

void omp_haar(std::int64_t n, const float* x, const float* y, float* to) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < n; ++i) to[2 * i] = x[i] + y[i], to[2 * i + 1] = x[i] - y[i];
}

void omp_repeated(std::int64_t n, const float* x, float* to) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < n; ++i) to[3 * i] = to[3 * i + 1] = to[3 * i + 2] = x[i];
}

void omp_enlarged(std::int64_t rows, std::int64_t columns, const float* from, float* to) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < 2 * rows; ++i) {
    const float* row = from + i / 2 * columns;
    float* larger = to + i * 2 * columns;
#pragma GCC ivdep
    for (std::int64_t j = 0; j < columns; ++j) larger[2 * j] = row[j], larger[2 * j + 1] = row[j];
  }
}

void omp_rotated(std::int64_t rows, std::int64_t columns, const float* x, const float* cosines,
                 const float* sines, float* to) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < rows; ++i) {
    const float *row = x + i * columns, *c = cosines + i * columns / 2, *s = sines + i * columns / 2;
    float* turned = to + i * columns;
#pragma GCC ivdep
    for (std::int64_t j = 0; j < columns / 2; ++j) {
      turned[2 * j] = row[2 * j] * c[j] - row[2 * j + 1] * s[j];
      turned[2 * j + 1] = row[2 * j] * s[j] + row[2 * j + 1] * c[j];
    }
  }
}

void omp_nibbles(std::int64_t n, const std::uint8_t* x, std::uint8_t* to) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t begin = 0; begin < n; begin += 4096) {
    const std::int64_t end = begin + 4096 < n ? begin + 4096 : n;
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) {
      to[2 * i] = static_cast<std::uint8_t>(x[i] & 15);
      to[2 * i + 1] = static_cast<std::uint8_t>(x[i] >> 4);
    }
  }
}

void omp_bits(std::int64_t n, const std::uint8_t* x, std::uint8_t* to) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < n; ++i) {
    // Bit k of the byte goes to the lowest bit of byte k of a word, in the order of memory.
    const std::uint64_t copies = x[i] * std::uint64_t{0x0101010101010101};
    const std::uint64_t one_each = copies & std::uint64_t{0x8040201008040201};
    const std::uint64_t bits =
        (one_each + std::uint64_t{0x7f7f7f7f7f7f7f7f}) >> 7 & std::uint64_t{0x0101010101010101};
    __builtin_memcpy(to + 8 * i, &bits, 8);
  }
}

void omp_sixes(std::int64_t n, const std::uint8_t* x, std::uint8_t* to) {
#pragma omp parallel for num_threads(2)
  for (std::int64_t begin = 0; begin < n / 3; begin += 4096) {
    const std::int64_t end = begin + 4096 < n / 3 ? begin + 4096 : n / 3;
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint8_t *three = x + 3 * i, a = three[0], b = three[1], c = three[2];
      to[4 * i] = static_cast<std::uint8_t>(a >> 2);
      to[4 * i + 1] = static_cast<std::uint8_t>((a << 4 | b >> 4) & 63);
      to[4 * i + 2] = static_cast<std::uint8_t>((b << 2 | c >> 6) & 63);
      to[4 * i + 3] = static_cast<std::uint8_t>(c & 63);
    }
  }
}

void omp_every_third(std::int64_t n, std::int64_t taps, const float* x, const float* weights, float* to) {
  constexpr std::int64_t block = 512;
#pragma omp parallel for num_threads(2)
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const std::int64_t end = std::min(n, begin + block);
    std::fill(to + begin, to + end, 0.f);
    for (std::int64_t k = 0; k < taps; ++k)
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) to[i] += weights[k] * x[3 * i + k];
  }
}

void omp_every_second(std::int64_t rows, std::int64_t columns, const float* x, const float* weights,
                      float* to) {
  const std::int64_t n = (columns - 3) / 2 + 1;
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < (rows - 3) / 2 + 1; ++i)
#pragma GCC ivdep
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
#pragma GCC unroll 9
      for (int at = 0; at < 9; ++at) sum += weights[at] * x[(2 * i + at / 3) * columns + 2 * j + at % 3];
      to[i * n + j] = sum;
    }
}

void omp_largest_of_four(std::int64_t rows, std::int64_t columns, const float* x, float* to) {
  const std::int64_t n = columns / 2;
#pragma omp parallel for num_threads(2)
  for (std::int64_t i = 0; i < rows / 2; ++i) {
    const float *above = x + 2 * i * columns, *below = above + columns;
#pragma GCC ivdep
    for (std::int64_t j = 0; j < n; ++j)
      to[i * n + j] =
          std::max(std::max(above[2 * j], above[2 * j + 1]), std::max(below[2 * j], below[2 * j + 1]));
  }
}

}  // namespace bench
