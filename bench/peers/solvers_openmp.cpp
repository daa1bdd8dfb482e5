// Solvers and other step by step programs with OpenMP.
#include "peers/solvers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace bench {
namespace {

// Rows of a block first take what comes from above, which is independent, and then what comes from the left.
void align_block(std::int64_t n, std::int64_t i0, std::int64_t j0, std::int64_t size, const int* similarity,
                 int penalty, int* scores) {
  const std::int64_t rows = std::min(size, n - i0), columns = std::min(size, n - j0);
  for (std::int64_t i = i0; i < i0 + rows; ++i) {
    const int *above = scores + i * (n + 1) + j0, *pairs = similarity + i * n + j0;
    int* now = scores + (i + 1) * (n + 1) + j0;
#pragma omp simd
    for (std::int64_t j = 0; j < columns; ++j)
      now[j + 1] = std::max(above[j] + pairs[j], above[j + 1] - penalty);
    int left = now[0];
    for (std::int64_t j = 1; j <= columns; ++j) now[j] = left = std::max(now[j], left - penalty);
  }
}

void begin_with_gaps(std::int64_t n, int penalty, int* scores) {
  for (std::int64_t k = 0; k <= n; ++k) scores[k] = scores[k * (n + 1)] = -penalty * static_cast<int>(k);
}

constexpr int bits = 30;

// Wichura's AS 241, the one of seven digits.
inline float normal_quantile(float p) {
  const float q = p - 0.5F;
  const float r = 0.180625F - q * q;
  const float middle = q * (((59.109374720F * r + 159.29113202F) * r + 50.434271938F) * r + 3.3871327179F) /
                       (((67.187563600F * r + 78.757757664F) * r + 17.895169469F) * r + 1);
  const float tail = std::sqrt(-std::log(std::min(p, 1 - p)));
  const float near = tail - 1.6F, far = tail - 5;
  const float of_near =
      (((0.17023821103F * near + 1.3067284816F) * near + 2.7568153900F) * near + 1.4234372777F) /
      ((0.12021132975F * near + 0.73700164250F) * near + 1);
  const float of_far =
      (((0.017337203997F * far + 0.42868294337F) * far + 3.0812263860F) * far + 6.6579051150F) /
      ((0.012258202635F * far + 0.24197894225F) * far + 1);
  const float outer = tail <= 5 ? of_near : of_far;
  return std::abs(q) <= 0.425F ? middle : q < 0 ? -outer : outer;
}

double paths_of_chunk(const Market& m, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = m.dates * m.assets;
  std::vector<int> number(static_cast<std::size_t>(n));
  std::vector<float> normal(static_cast<std::size_t>(n)), motion(static_cast<std::size_t>(n + m.assets));
  const std::int64_t gray = begin ^ (begin >> 1);
  for (int bit = 0; bit < bits; ++bit)
    if (gray >> bit & 1)
      for (std::int64_t d = 0; d < n; ++d) number[d] ^= m.directions[bit * n + d];
  double sum = 0;
  for (std::int64_t path = begin; path < end; ++path) {
#pragma omp simd
    for (std::int64_t d = 0; d < n; ++d)
      normal[d] = normal_quantile((static_cast<float>(number[d]) + 0.5F) * (1.0F / (1 << bits)));
    for (std::int64_t s = 0; s < m.dates; ++s) {
      const Bridge& b = m.bridges[s];
      float* at = motion.data() + b.at * m.assets;
      const float *left = motion.data() + b.left * m.assets, *right = motion.data() + b.right * m.assets;
      const float* z = normal.data() + s * m.assets;
#pragma omp simd
      for (std::int64_t a = 0; a < m.assets; ++a)
        at[a] = b.of_left * left[a] + b.of_right * right[a] + b.deviation * z[a];
    }
    float prices = 0;
    for (std::int64_t date = 1; date <= m.dates; ++date) {
      const float* w = motion.data() + date * m.assets;
#pragma omp simd reduction(+ : prices)
      for (std::int64_t a = 0; a < m.assets; ++a)
        prices += std::exp(m.drift[a] * static_cast<float>(date) + m.volatility[a] * w[a]);
    }
    sum += static_cast<double>(std::max(m.start * prices / static_cast<float>(n) - m.strike, 0.0F));
    const int* direction = m.directions + __builtin_ctzll(static_cast<unsigned long long>(path + 1)) * n;
#pragma omp simd
    for (std::int64_t d = 0; d < n; ++d) number[d] ^= direction[d];
  }
  return sum;
}

// In tiles, so that both sides stay in the cache.
void transpose(std::int64_t rows, std::int64_t columns, const float* from, float* to) {
  for (std::int64_t i0 = 0; i0 < rows; i0 += 16)
    for (std::int64_t j0 = 0; j0 < columns; j0 += 16)
      for (std::int64_t i = i0; i < std::min(i0 + 16, rows); ++i)
        for (std::int64_t j = j0; j < std::min(j0 + 16, columns); ++j)
          to[j * rows + i] = from[i * columns + j];
}

// Systems along axis 0, one for each column. `below`, `at`, `above` are coefficients of a row's second
// difference, which `variance` multiplies, each column by another one.
void solve_columns(std::int64_t n, std::int64_t columns, float per_step, const float* const* difference,
                   const float* variance, std::int64_t stride, float decay, float* rest, float* x) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float below = difference[0][i], at = difference[1][i], above = difference[2][i];
    const float* of_row = variance + i * stride;
    float *now = x + i * columns, *rest_now = rest + i * columns;
    if (i == 0) {
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) {
        const float half = -0.25F * decay * of_row[j], by = 1 / (per_step + half * at);
        rest_now[j] = half * above * by;
        now[j] *= by;
      }
      continue;
    }
    const float *before = now - columns, *rest_before = rest_now - columns;
#pragma omp simd
    for (std::int64_t j = 0; j < columns; ++j) {
      const float half = -0.25F * decay * of_row[j];
      const float by = 1 / (per_step + half * at - half * below * rest_before[j]);
      rest_now[j] = half * above * by;
      now[j] = (now[j] - half * below * before[j]) * by;
    }
  }
  for (std::int64_t i = n - 2; i >= 0; --i) {
    float* now = x + i * columns;
    const float *next = now + columns, *rest_now = rest + i * columns;
#pragma omp simd
    for (std::int64_t j = 0; j < columns; ++j) now[j] -= rest_now[j] * next[j];
  }
}

struct Volatility {
  std::vector<float> variance, transposed, of_y, explicit_y, right, right_transposed, rest;
  explicit Volatility(const VolatilityGrid& g) : of_y(static_cast<std::size_t>(g.nx), g.nu * g.nu) {
    for (std::vector<float>* v : {&variance, &transposed, &explicit_y, &right, &right_transposed, &rest})
      v->resize(static_cast<std::size_t>(g.nx * g.ny));
  }
};

void step_back(const VolatilityGrid& g, float per_step, float decay, Volatility& own, float* u) {
  const std::int64_t nx = g.nx;
  for (std::int64_t i = 0; i < g.ny; ++i) {
    const float* now = u + i * nx;
    // Beyond the border coefficients are 0.
    const float *before = i > 0 ? now - nx : now, *after = i + 1 < g.ny ? now + nx : now;
    const float* variance = own.variance.data() + i * nx;
    float *y = own.explicit_y.data() + i * nx, *right = own.right.data() + i * nx;
    const float a = g.along_y[0][i], b = g.along_y[1][i], c = g.along_y[2][i], of_y = 0.5F * g.nu * g.nu;
#pragma omp simd
    for (std::int64_t j = 0; j < nx; ++j) y[j] = of_y * (a * before[j] + b * now[j] + c * after[j]);
    const auto along_x = [&](std::int64_t j, float left, float right_of_it) {
      return per_step * now[j] + y[j] +
             0.25F * decay * variance[j] *
                 (g.along_x[0][j] * left + g.along_x[1][j] * now[j] + g.along_x[2][j] * right_of_it);
    };
    right[0] = along_x(0, 0, now[1]);
#pragma omp simd
    for (std::int64_t j = 1; j < nx - 1; ++j) right[j] = along_x(j, now[j - 1], now[j + 1]);
    right[nx - 1] = along_x(nx - 1, now[nx - 2], 0);
  }
  transpose(g.ny, nx, own.right.data(), own.right_transposed.data());
  solve_columns(nx, g.ny, per_step, g.along_x, own.transposed.data(), g.ny, decay, own.rest.data(),
                own.right_transposed.data());
  transpose(nx, g.ny, own.right_transposed.data(), u);
#pragma omp simd
  for (std::int64_t k = 0; k < nx * g.ny; ++k) u[k] = per_step * u[k] - 0.5F * own.explicit_y[k];
  solve_columns(g.ny, nx, per_step, g.along_y, own.of_y.data(), 0, 1, own.rest.data(), u);
}

constexpr std::int64_t block = 32;

// A block of the rest, less the product of two blocks, four rows at a time.
void subtract_product(std::int64_t n, const float* left, const float* top, float* to) {
  for (std::int64_t i = 0; i < block; i += 4) {
    float sums[4][block];
    for (std::int64_t r = 0; r < 4; ++r) std::memcpy(sums[r], to + (i + r) * n, sizeof sums[r]);
    for (std::int64_t k = 0; k < block; ++k)
      for (std::int64_t r = 0; r < 4; ++r) {
        const float by = left[(i + r) * n + k];
#pragma omp simd
        for (std::int64_t j = 0; j < block; ++j) sums[r][j] -= by * top[k * n + j];
      }
    for (std::int64_t r = 0; r < 4; ++r) std::memcpy(to + (i + r) * n, sums[r], sizeof sums[r]);
  }
}

// In one loop over whole words a full adder counts the eight cells around each.
inline std::uint64_t next_word(std::uint64_t up_left, std::uint64_t up, std::uint64_t up_right,
                               std::uint64_t left, std::uint64_t now, std::uint64_t right,
                               std::uint64_t down_left, std::uint64_t down, std::uint64_t down_right) {
  const auto beside = [](std::uint64_t l, std::uint64_t m, std::uint64_t r, std::uint64_t& west,
                         std::uint64_t& east) {
    west = m << 1 | l >> 63;
    east = m >> 1 | r << 63;
  };
  std::uint64_t uw, ue, w, e, dw, de;
  beside(up_left, up, up_right, uw, ue);
  beside(left, now, right, w, e);
  beside(down_left, down, down_right, dw, de);
  const std::uint64_t up_ones = uw ^ up ^ ue, up_twos = (uw & up) | (ue & (uw ^ up));
  const std::uint64_t down_ones = dw ^ down ^ de, down_twos = (dw & down) | (de & (dw ^ down));
  const std::uint64_t ones_beside = w ^ e, twos_beside = w & e;
  const std::uint64_t ones = up_ones ^ down_ones ^ ones_beside;
  const std::uint64_t carry = (up_ones & down_ones) | (ones_beside & (up_ones ^ down_ones));
  const std::uint64_t a = up_twos ^ down_twos, b = twos_beside ^ carry;
  const std::uint64_t twos = a ^ b;
  const std::uint64_t fours = (up_twos & down_twos) | (twos_beside & carry) | (a & b);
  return twos & ~fours & (ones | now);
}

void next_row(std::int64_t words, const std::uint64_t* up, const std::uint64_t* now,
              const std::uint64_t* down, std::uint64_t* to) {
  const auto at = [&](std::int64_t l, std::int64_t j, std::int64_t r) {
    return next_word(up[l], up[j], up[r], now[l], now[j], now[r], down[l], down[j], down[r]);
  };
  to[0] = at(words - 1, 0, words > 1 ? 1 : 0);
#pragma omp simd
  for (std::int64_t j = 1; j < words - 1; ++j) to[j] = at(j - 1, j, j + 1);
  if (words > 1) to[words - 1] = at(words - 2, words - 1, 0);
}

}  // namespace

void omp_alignment(std::int64_t n, const int* similarity, int penalty, int* scores) {
  constexpr std::int64_t size = 64;
  begin_with_gaps(n, penalty, scores);
  const std::int64_t blocks = (n + size - 1) / size;
#pragma omp parallel num_threads(2)
  for (std::int64_t diagonal = 0; diagonal < 2 * blocks - 1; ++diagonal) {
    const std::int64_t first = std::max<std::int64_t>(0, diagonal - blocks + 1);
#pragma omp for schedule(static)
    for (std::int64_t i = first; i <= diagonal - first; ++i)
      align_block(n, i * size, (diagonal - i) * size, size, similarity, penalty, scores);
  }
}

void omp_alignment_by_diagonals(std::int64_t n, const int* similarity, int penalty, int* scores) {
  begin_with_gaps(n, penalty, scores);
#pragma omp parallel num_threads(2)
  for (std::int64_t diagonal = 2; diagonal <= 2 * n; ++diagonal) {
    const std::int64_t first = std::max<std::int64_t>(1, diagonal - n), last = std::min(n, diagonal - 1);
#pragma omp for simd schedule(static)
    for (std::int64_t i = first; i <= last; ++i) {
      int* now = scores + i * n + diagonal;
      const int aligned = now[-n - 2] + similarity[(i - 1) * n + diagonal - i - 1];
      *now = std::max(aligned, std::max(now[-n - 1], now[-1]) - penalty);
    }
  }
}

double omp_option(const Market& m, std::int64_t paths) {
  constexpr std::int64_t chunk = 1024;
  double sum = 0;
#pragma omp parallel for schedule(static) num_threads(2) reduction(+ : sum)
  for (std::int64_t begin = 0; begin < paths; begin += chunk)
    sum += paths_of_chunk(m, begin, std::min(begin + chunk, paths));
  return sum;
}

void omp_local_volatility(const VolatilityGrid& g, std::int64_t options, const float* strikes,
                          const float* exponents, float* results) {
  const float time = g.years / static_cast<float>(g.steps), per_step = 1 / time;
#pragma omp parallel num_threads(2)
  {
    Volatility own(g);
#pragma omp for schedule(static)
    for (std::int64_t option = 0; option < options; ++option) {
      float* u = results + option * g.nx * g.ny;
      for (std::int64_t i = 0; i < g.ny; ++i)
#pragma omp simd
        for (std::int64_t j = 0; j < g.nx; ++j) {
          u[i * g.nx + j] = std::max(g.x[j] - strikes[option], 0.0F);
          own.variance[i * g.nx + j] = std::exp(2 * (exponents[option] * g.log_x[j] + g.y[i]));
        }
      transpose(g.ny, g.nx, own.variance.data(), own.transposed.data());
      for (std::int64_t step = g.steps - 1; step >= 0; --step)
        step_back(g, per_step, std::exp(-g.nu * g.nu * time * static_cast<float>(step)), own, u);
    }
  }
}

void omp_factors_in_blocks(std::int64_t n, const float* from, float* to) {
  std::memcpy(to, from, static_cast<std::size_t>(n * n) * sizeof(float));
#pragma omp parallel num_threads(2)
  for (std::int64_t first = 0; first < n; first += block) {
    float* pivot = to + first * (n + 1);
#pragma omp single
    for (std::int64_t k = 0; k < block; ++k)
      for (std::int64_t i = k + 1; i < block; ++i) {
        const float by = pivot[i * n + k] /= pivot[k * n + k];
        for (std::int64_t j = k + 1; j < block; ++j) pivot[i * n + j] -= by * pivot[k * n + j];
      }
    const std::int64_t others = (n - first) / block - 1;
#pragma omp for schedule(static)
    for (std::int64_t o = 0; o < 2 * others; ++o) {
      if (o < others) {
        float* top = pivot + (o + 1) * block;
        for (std::int64_t k = 0; k < block; ++k)
          for (std::int64_t i = k + 1; i < block; ++i)
#pragma omp simd
            for (std::int64_t j = 0; j < block; ++j) top[i * n + j] -= pivot[i * n + k] * top[k * n + j];
        continue;
      }
      float* left = pivot + (o - others + 1) * block * n;
      float turned[block][block];
      for (std::int64_t i = 0; i < block; ++i)
        for (std::int64_t j = 0; j < block; ++j) turned[j][i] = left[i * n + j];
      for (std::int64_t k = 0; k < block; ++k) {
        const float by = 1 / pivot[k * n + k];
#pragma omp simd
        for (std::int64_t i = 0; i < block; ++i) turned[k][i] *= by;
        for (std::int64_t j = k + 1; j < block; ++j)
#pragma omp simd
          for (std::int64_t i = 0; i < block; ++i) turned[j][i] -= turned[k][i] * pivot[k * n + j];
      }
      for (std::int64_t i = 0; i < block; ++i)
        for (std::int64_t j = 0; j < block; ++j) left[i * n + j] = turned[j][i];
    }
#pragma omp for schedule(static)
    for (std::int64_t i = 1; i <= others; ++i)
      for (std::int64_t j = 1; j <= others; ++j)
        subtract_product(n, pivot + i * block * n, pivot + j * block, pivot + i * block * n + j * block);
  }
}

void omp_gauss_seidel(std::int64_t rows, std::int64_t columns, int sweeps, const float* from,
                      const float* right, float* to) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < rows; ++i)
      std::memcpy(to + i * columns, from + i * columns, static_cast<std::size_t>(columns) * sizeof(float));
    for (int half = 0; half < 2 * sweeps; ++half) {
#pragma omp for schedule(static)
      for (std::int64_t i = 1; i < rows - 1; ++i) {
        float* now = to + i * columns;
        const float *up = now - columns, *down = now + columns, *of_row = right + i * columns;
        // Whole vectors are written, in which places of the other colour keep what they have.
#pragma omp simd
        for (std::int64_t j = 1; j < columns - 1; ++j) {
          const float mean = 0.25F * (up[j] + down[j] + now[j - 1] + now[j + 1] + of_row[j]);
          now[j] = ((i + j + half) & 1) == 0 ? mean : now[j];
        }
      }
    }
  }
}

void omp_transposition_sort(std::int64_t n, const int* from, int* to) {
  std::copy(from, from + n, to);
#pragma omp parallel num_threads(2)
  for (std::int64_t round = 0; round < n; ++round) {
    int* pairs = to + (round & 1);
    const std::int64_t number = (n - (round & 1)) / 2;
#pragma omp for simd schedule(static)
    for (std::int64_t k = 0; k < number; ++k) {
      const int a = pairs[2 * k], b = pairs[2 * k + 1];
      pairs[2 * k] = std::min(a, b);
      pairs[2 * k + 1] = std::max(a, b);
    }
  }
}

void omp_life(std::int64_t rows, std::int64_t words, int generations, const std::uint64_t* from,
              std::uint64_t* own, std::uint64_t* to) {
  const std::size_t bytes = static_cast<std::size_t>(rows * words) * sizeof(std::uint64_t);
  std::uint64_t *now = generations % 2 == 0 ? to : own, *next = generations % 2 == 0 ? own : to;
  std::memcpy(now, from, bytes);
#pragma omp parallel num_threads(2) firstprivate(now, next)
  for (int generation = 0; generation < generations; ++generation) {
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < rows; ++i)
      next_row(words, now + (i == 0 ? rows - 1 : i - 1) * words, now + i * words,
               now + (i + 1 == rows ? 0 : i + 1) * words, next + i * words);
    std::swap(now, next);
  }
}

void omp_oscillators(std::int64_t n, const double* damping, double end, double tolerance, double* places) {
#pragma omp parallel for schedule(dynamic, 64) num_threads(2)
  for (std::int64_t point = 0; point < n; ++point) {
    const double mu = damping[point];
    const auto force = [&](double x, double v) { return mu * (1 - x * x) * v - x; };
    double t = 0, step = 0.01, x = 2, v = 0, a = force(x, v);
    while (t < end) {
      const double h = std::min(step, end - t);
      const double x1 = x + 0.5 * h * v, v1 = v + 0.5 * h * a, a1 = force(x1, v1);
      const double x2 = x + 0.75 * h * v1, v2 = v + 0.75 * h * a1, a2 = force(x2, v2);
      const double next_x = x + h / 9 * (2 * v + 3 * v1 + 4 * v2);
      const double next_v = v + h / 9 * (2 * a + 3 * a1 + 4 * a2);
      const double next_a = force(next_x, next_v);
      const double of_x = h * (-5.0 / 72 * v + v1 / 12 + v2 / 9 - next_v / 8);
      const double of_v = h * (-5.0 / 72 * a + a1 / 12 + a2 / 9 - next_a / 8);
      const double error = std::max(std::max(std::abs(of_x), std::abs(of_v)), 1e-30);
      if (error <= tolerance) t += h, x = next_x, v = next_v, a = next_a;
      step = h * std::min(5.0, std::max(0.2, 0.9 * std::cbrt(tolerance / error)));
    }
    places[point] = x;
  }
}

}  // namespace bench
