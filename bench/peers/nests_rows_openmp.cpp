// Reductions of rows with OpenMP. Short rows have a loop for their length, in which some neighbouring rows go
// side by side, so that the compiler takes one for each lane; longer ones have accumulators side by side
// along the row.
#include <omp.h>

#include <cstring>
#include <limits>

#include "peers/nests_rows.h"

namespace bench {
namespace {

constexpr std::int64_t side_by_side = 16;

// Calls f(first, n) for rows that go side by side.
template <class F>
void blocks_of_rows(std::int64_t rows, const F& f) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t block = 0; block < (rows + side_by_side - 1) / side_by_side; ++block) {
    const std::int64_t first = block * side_by_side;
    f(first, rows - first < side_by_side ? rows - first : side_by_side);
  }
}

template <int columns>
void sums(const Rows& m, float* to) {
#pragma omp parallel for simd schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < m.rows; ++i) {
    float sum = 0;
    for (int j = 0; j < columns; ++j) sum += m.elements[i * columns + j];
    to[i] = sum;
  }
}

template <int columns>
void places(const Rows& m, std::int64_t* to) {
  blocks_of_rows(m.rows, [&](std::int64_t first, std::int64_t n) {
    float least[side_by_side];
    std::int32_t at[side_by_side];
    const float* rows = m.elements + first * columns;
    const auto walk = [&](std::int64_t n_rows) {
      for (std::int64_t l = 0; l < n_rows; ++l) least[l] = rows[l * columns], at[l] = 0;
      for (int j = 1; j < columns; ++j)
        for (std::int64_t l = 0; l < n_rows; ++l) {
          const float x = rows[l * columns + j];
          at[l] = x < least[l] ? j : at[l];
          least[l] = x < least[l] ? x : least[l];
        }
      for (std::int64_t l = 0; l < n_rows; ++l) to[first + l] = at[l];
    };
    if (n == side_by_side)
      walk(side_by_side);
    else
      walk(n);
  });
}

// The place in a row whose length is a multiple of side_by_side.
std::int64_t place_along(const float* row, std::int64_t columns) {
  constexpr std::int64_t n = 2 * side_by_side;
  float least[n];
  std::int32_t at[n];
  for (std::int64_t l = 0; l < n; ++l) least[l] = row[l], at[l] = static_cast<std::int32_t>(l);
  for (std::int64_t j = n; j < columns; j += n)
    for (std::int64_t l = 0; l < n; ++l) {
      const float x = row[j + l];
      at[l] = x < least[l] ? static_cast<std::int32_t>(j + l) : at[l];
      least[l] = x < least[l] ? x : least[l];
    }
  float best = least[0];
  for (std::int64_t l = 1; l < n; ++l) best = least[l] < best ? least[l] : best;
  std::int32_t first = std::numeric_limits<std::int32_t>::max();
  for (std::int64_t l = 0; l < n; ++l) first = least[l] == best && at[l] < first ? at[l] : first;
  return first;
}

}  // namespace

void omp_row_sums(const Rows& m, float* to) {
  switch (m.columns) {
    case 1: return sums<1>(m, to);
    case 2: return sums<2>(m, to);
    case 3: return sums<3>(m, to);
    case 4: return sums<4>(m, to);
    case 8: return sums<8>(m, to);
    case 16: return sums<16>(m, to);
    default: break;
  }
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < m.rows; ++i) {
    float sum = 0;
    for (std::int64_t j = 0; j < m.columns; ++j) sum += m.elements[i * m.columns + j];
    to[i] = sum;
  }
}

void omp_row_places(const Rows& m, std::int64_t* to) {
  switch (m.columns) {
    case 4: return places<4>(m, to);
    case 16: return places<16>(m, to);
    default: break;
  }
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < m.rows; ++i) to[i] = place_along(m.elements + i * m.columns, m.columns);
}

void omp_nearest(const Rows& m, const Rows& centres, std::int64_t* to) {
  blocks_of_rows(m.rows, [&](std::int64_t first, std::int64_t n) {
    if (n < side_by_side) first -= side_by_side - n;
    float least[side_by_side];
    std::int32_t at[side_by_side];
    for (std::int64_t l = 0; l < side_by_side; ++l) least[l] = std::numeric_limits<float>::max(), at[l] = 0;
    const float* rows = m.elements + first * m.columns;
    for (std::int64_t k = 0; k < centres.rows; ++k) {
      float sum[side_by_side] = {};
      for (std::int64_t d = 0; d < m.columns; ++d)
        for (std::int64_t l = 0; l < side_by_side; ++l) {
          const float apart = rows[l * m.columns + d] - centres.elements[k * m.columns + d];
          sum[l] += apart * apart;
        }
      for (std::int64_t l = 0; l < side_by_side; ++l) {
        at[l] = sum[l] < least[l] ? static_cast<std::int32_t>(k) : at[l];
        least[l] = sum[l] < least[l] ? sum[l] : least[l];
      }
    }
    for (std::int64_t l = 0; l < side_by_side; ++l) to[first + l] = at[l];
  });
}

void read_rows(const Rows& m, std::int64_t result_bytes, void* results) {
  char* to = static_cast<char*>(results);
#pragma omp parallel num_threads(2)
  {
    const std::int64_t half = (m.rows + 1) / 2, first = omp_get_thread_num() * half;
    const std::int64_t n = m.rows - first < half ? m.rows - first : half;
    const float* from = m.elements + first * m.columns;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n * m.columns; ++i) sum += from[i];
    std::memset(to + first * result_bytes, sum > 0, static_cast<std::size_t>(n * result_bytes));
  }
}

}  // namespace bench
