// Programs on several ranks as one writes them by hand with MPI and OpenMP, for bench/cluster: mpirun -n R
// cluster_mpi [FILTER [ROUNDS]]. Arrays lie in blocks of rows on the ranks and stay there; a time is that of
// the slowest rank from a barrier on, and the median of the rounds.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <regex>
#include <string>
#include <vector>

#ifdef __AVX2__
#include <immintrin.h>
#endif
#ifdef BENCH_BLAS
#include <cblas.h>
#endif

#include "cluster_data.h"
#include "stopwatch.h"

namespace {

using namespace bench::cluster;
// At lines of the cache.
template <class T>
struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <class U>
  Aligned(const Aligned<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(std::aligned_alloc(64, (n * sizeof(T) + 63) / 64 * 64));
  }
  void deallocate(T* values, std::size_t) { std::free(values); }
  bool operator==(const Aligned&) const { return true; }
};
using Floats = std::vector<float, Aligned<float>>;

#ifdef __AVX2__
bool is_aligned(const float* at) {
  return reinterpret_cast<std::uintptr_t>(at) % sizeof(__m256) == 0;
}
#endif

int rank = 0, n_ranks = 1;
std::string filter = ".";
int rounds = 15;

Part own(std::int64_t n) {
  return part(n, rank, n_ranks);
}

template <class F>
Floats made(Part part, std::int64_t columns, F element) {
  Floats values(static_cast<std::size_t>(part.size() * columns));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = element(part.begin * columns + static_cast<std::int64_t>(i));
  return values;
}

template <class Values>
double weighted_sum(const Values& values, std::size_t n, std::int64_t first) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += static_cast<double>(values[i]) * weight(first + static_cast<std::int64_t>(i));
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// How many elements the ranks in front of this one have.
std::int64_t before(std::int64_t n) {
  std::int64_t sum = 0;
  MPI_Exscan(&n, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return rank == 0 ? 0 : sum;
}

void measure(const char* name, std::int64_t n, const std::function<void()>& run,
             const std::function<double()>& checksum) {
  std::vector<double> times;
  for (int round = -2; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    double us = bench::time_us(run);
    MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (round >= 0) times.push_back(us);
  }
  const double sum = checksum();
  if (rank == 0) print_row(name, "hand-written MPI", n_ranks, n, bench::median(times), sum);
}

float dot_here(const float* x, const float* y, std::size_t n) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

void dot() {
  const Floats x = made(own(elements), 1, left), y = made(own(elements), 1, right);
  float result = 0;
  measure(
      "Dot", elements,
      [&] {
        const float sum = dot_here(x.data(), y.data(), x.size());
        MPI_Allreduce(&sum, &result, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      },
      [&] { return static_cast<double>(result); });
}

void saxpy_here(const float* __restrict x, const float* __restrict y, float* __restrict z, std::size_t n) {
  std::size_t whole = 0;
#ifdef __AVX2__
  whole = n / 8 * 8;
  const __m256 factor = _mm256_set1_ps(saxpy_factor);
#pragma omp parallel for
  for (std::size_t i = 0; i < whole; i += 8)
    _mm256_stream_ps(z + i, _mm256_fmadd_ps(factor, _mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
#endif
  for (std::size_t i = whole; i < n; ++i) z[i] = saxpy_factor * x[i] + y[i];
}

void saxpy() {
  const Floats x = made(own(elements), 1, left), y = made(own(elements), 1, right);
  Floats z(x.size());
  measure(
      "SAXPY", elements, [&] { saxpy_here(x.data(), y.data(), z.data(), x.size()); },
      [&] { return weighted_sum(z, z.size(), own(elements).begin); });
}

// Inclusive sums of n elements, begun with `sum`.
void scan_here(const float* x, float* z, std::size_t n, float sum) {
  std::size_t i = 0;
#ifdef __AVX2__
  __m256 carry = _mm256_set1_ps(sum);
  const __m256i last = _mm256_set1_epi32(7);
  for (; i + 8 <= n; i += 8) {
    __m256 v = _mm256_loadu_ps(x + i);
    v = _mm256_add_ps(v, _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(v), 4)));
    v = _mm256_add_ps(v, _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(v), 8)));
    // The total of the lower half joins the upper one.
    const __m256 lower = _mm256_permute2f128_ps(v, v, 0x08);
    v = _mm256_add_ps(v, _mm256_shuffle_ps(lower, lower, 0xff));
    const __m256 sums = _mm256_add_ps(v, carry);
    _mm256_stream_ps(z + i, sums);
    carry = _mm256_add_ps(carry, _mm256_permutevar8x32_ps(v, last));
  }
  sum = _mm256_cvtss_f32(carry);
#endif
  for (; i < n; ++i) z[i] = sum += x[i];
}

float sum_here(const float* x, std::size_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

void scan() {
  const Floats x = made(own(elements), 1, centred);
  Floats z(x.size());
  measure(
      "Scan", elements,
      [&] {
        // The last rank's total is nobody's business.
        const float total = rank + 1 < n_ranks ? sum_here(x.data(), x.size()) : 0;
        float in_front = 0;
        MPI_Exscan(&total, &in_front, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        scan_here(x.data(), z.data(), x.size(), rank == 0 ? 0 : in_front);
      },
      [&] { return weighted_sum(z, z.size(), own(elements).begin); });
}

#ifdef __AVX2__
// For each mask of 8 elements, which of them come first.
std::array<std::array<std::int32_t, 8>, 256> make_orders() {
  std::array<std::array<std::int32_t, 8>, 256> orders{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::size_t place = 0;
    for (int bit = 0; bit < 8; ++bit)
      if ((mask >> bit & 1) != 0) orders[mask][place++] = bit;
  }
  return orders;
}
const auto orders = make_orders();
#endif

// `kept` has room for 8 elements more.
std::size_t filter_here(const Floats& x, float* kept) {
  std::size_t n = 0, i = 0;
#ifdef __AVX2__
  const __m256 limit = _mm256_set1_ps(filter_limit);
  for (; i + 8 <= x.size(); i += 8) {
    const __m256 v = _mm256_loadu_ps(x.data() + i);
    const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(v, limit, _CMP_GT_OQ)));
    const __m256i order = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(orders[mask].data()));
    _mm256_storeu_ps(kept + n, _mm256_permutevar8x32_ps(v, order));
    n += static_cast<std::size_t>(__builtin_popcount(mask));
  }
#endif
  for (; i < x.size(); ++i) {
    kept[n] = x[i];
    n += x[i] > filter_limit ? 1 : 0;
  }
  return n;
}

void filtered() {
  const Floats x = made(own(elements), 1, left);
  Floats kept(x.size() + 8);
  std::size_t n = 0;
  std::int64_t all = 0;
  measure(
      "Filter", elements,
      [&] {
        n = filter_here(x, kept.data());
        const auto here = static_cast<std::int64_t>(n);
        MPI_Allreduce(&here, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
      },
      [&] { return weighted_sum(kept, n, before(static_cast<std::int64_t>(n))); });
}

// A row of the grid from the three rows around it; the ends of rows stay.
void jacobi_row(const float* above, const float* row, const float* below, float* to) {
  to[0] = row[0];
#pragma omp simd
  for (std::int64_t j = 1; j < grid - 1; ++j) to[j] = 0.25f * (above[j] + below[j] + row[j - 1] + row[j + 1]);
  to[grid - 1] = row[grid - 1];
}

// The arrays have a row of halo on both sides.
void jacobi_step(Floats& from, Floats& to, std::int64_t rows) {
  float* const first = from.data() + grid;
  const int columns = static_cast<int>(grid);
  const int up = rank == 0 ? MPI_PROC_NULL : rank - 1, down = rank + 1 == n_ranks ? MPI_PROC_NULL : rank + 1;
  MPI_Request requests[4];
  MPI_Irecv(from.data(), columns, MPI_FLOAT, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(first + rows * grid, columns, MPI_FLOAT, down, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(first, columns, MPI_FLOAT, up, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(first + (rows - 1) * grid, columns, MPI_FLOAT, down, 0, MPI_COMM_WORLD, &requests[3]);
  const auto compute = [&](std::int64_t row) {
    const float* const at = first + row * grid;
    jacobi_row(at - grid, at, at + grid, to.data() + (row + 1) * grid);
  };
#pragma omp parallel for
  for (std::int64_t row = 1; row < rows - 1; ++row) compute(row);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (const std::int64_t row : {std::int64_t{0}, rows - 1}) {
    const bool is_border = (rank == 0 && row == 0) || (rank + 1 == n_ranks && row == rows - 1);
    if (is_border)
      std::copy_n(first + row * grid, grid, to.data() + (row + 1) * grid);
    else
      compute(row);
  }
}

void jacobi() {
  const Part rows = own(grid);
  const Floats start = made(rows, grid, left);
  Floats now(start.size() + 2 * grid), next(now.size());
  const auto begin = [&] { std::copy(start.begin(), start.end(), now.begin() + grid); };
  // Each round goes on from the last one's grid, as the time does not depend on it; the result is that of
  // `jacobi_steps` steps.
  const auto run = [&] {
    for (int step = 0; step < jacobi_steps; ++step) {
      jacobi_step(now, next, rows.size());
      std::swap(now, next);
    }
  };
  begin();
  measure("Jacobi", grid, run, [&] {
    begin();
    run();
    return weighted_sum(Floats(now.begin() + grid, now.end() - grid), start.size(), rows.begin * grid);
  });
}

using Keys = std::vector<std::int32_t>;

// By digits of 11, 11 and 10 bits; ends in `keys`.
void radix_sort(Keys& keys, Keys& other) {
  constexpr std::uint32_t sign = 0x8000'0000u;
  std::array<std::array<std::uint32_t, 2048>, 3> counts{};
  for (const std::int32_t key : keys) {
    const std::uint32_t bits = static_cast<std::uint32_t>(key) ^ sign;
    ++counts[0][bits & 2047], ++counts[1][bits >> 11 & 2047], ++counts[2][bits >> 22];
  }
  other.resize(keys.size());
  for (std::size_t digit = 0; digit < 3; ++digit) {
    std::exclusive_scan(counts[digit].begin(), counts[digit].end(), counts[digit].begin(), 0u);
    for (const std::int32_t key : keys) {
      const std::uint32_t bits = static_cast<std::uint32_t>(key) ^ sign;
      other[counts[digit][bits >> (11 * digit) & 2047]++] = key;
    }
    keys.swap(other);
  }
}

// Sample sort: keys go to the rank whose range they are in, where they are sorted.
class SampleSort {
 public:
  const Keys& operator()(const Keys& keys) {
    choose_limits(keys);
    send(keys);
    radix_sort(received_, other_);
    return received_;
  }

 private:
  void choose_limits(const Keys& keys) {
    constexpr int samples = 1024;
    Keys mine(samples), all(static_cast<std::size_t>(samples * n_ranks));
    for (std::size_t i = 0; i < samples; ++i) mine[i] = keys[i * keys.size() / samples];
    MPI_Allgather(mine.data(), samples, MPI_INT32_T, all.data(), samples, MPI_INT32_T, MPI_COMM_WORLD);
    std::sort(all.begin(), all.end());
    limits_.clear();
    for (int r = 1; r < n_ranks; ++r) limits_.push_back(all[static_cast<std::size_t>(samples * r)]);
  }
  std::size_t owner(std::int32_t key) const {
    std::size_t r = 0;
    for (const std::int32_t limit : limits_) r += key >= limit ? 1 : 0;
    return r;
  }
  void send(const Keys& keys) {
    const auto n = static_cast<std::size_t>(n_ranks);
    std::vector<int> counts(n), places(n), received(n), received_places(n);
    for (const std::int32_t key : keys) ++counts[owner(key)];
    MPI_Alltoall(counts.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    std::exclusive_scan(received.begin(), received.end(), received_places.begin(), 0);
    sent_.resize(keys.size());
    std::vector<int> next = places;
    for (const std::int32_t key : keys) sent_[static_cast<std::size_t>(next[owner(key)]++)] = key;
    received_.resize(static_cast<std::size_t>(received_places.back() + received.back()));
    MPI_Alltoallv(sent_.data(), counts.data(), places.data(), MPI_INT32_T, received_.data(), received.data(),
                  received_places.data(), MPI_INT32_T, MPI_COMM_WORLD);
  }

  Keys limits_, sent_, received_, other_;
};

void sort() {
  const Part here = own(elements);
  Keys keys(static_cast<std::size_t>(here.size()));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key(here.begin + static_cast<std::int64_t>(i));
  SampleSort sample_sort;
  const Keys* sorted = nullptr;
  measure(
      "Sort", elements, [&] { sorted = &sample_sort(keys); },
      [&] {
        return weighted_sum(*sorted, sorted->size(), before(static_cast<std::int64_t>(sorted->size())));
      });
}

constexpr std::int64_t tile = 16;  // elements of a line of the cache

#ifdef __AVX2__
// to[j][i] = from[i][j] of 8 rows and columns in tiles.
void transpose_8(const float* from, float* to) {
  __m256 r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm256_load_ps(from + i * tile);
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_store_ps(to + i * tile, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_store_ps(to + (i + 4) * tile, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}
#endif

void transpose_tile(const float* from, float* to) {
#ifdef __AVX2__
  for (int i = 0; i < tile; i += 8)
    for (int j = 0; j < tile; j += 8) transpose_8(from + i * tile + j, to + j * tile + i);
#else
  for (int j = 0; j < tile; ++j)
    for (int i = 0; i < tile; ++i) to[j * tile + i] = from[i * tile + j];
#endif
}

// Past the cache where that can be done, which then does not read the line first.
void write_line(const float* line, float* to) {
#ifdef __AVX2__
  if (is_aligned(to)) {
    _mm256_stream_ps(to, _mm256_load_ps(line));
    _mm256_stream_ps(to + 8, _mm256_load_ps(line + 8));
    return;
  }
#endif
  std::memcpy(to, line, sizeof(float) * tile);
}

// to[j][i] = from[i][j]. Rows of the grid lie a power of two apart, in the same set of the nearest cache, so
// that a tile passes by a buffer, and each of its lines is read and written once, as a whole.
void transpose_here(const float* from, std::int64_t pitch, std::int64_t rows, std::int64_t columns, float* to,
                    std::int64_t pitch_of_result) {
  alignas(64) float in[tile * tile], out[tile * tile];
  const std::int64_t whole_rows = rows / tile * tile, whole_columns = columns / tile * tile;
  for (std::int64_t i0 = 0; i0 < whole_rows; i0 += tile)
    for (std::int64_t j0 = 0; j0 < whole_columns; j0 += tile) {
      for (std::int64_t i = 0; i < tile; ++i)
        std::memcpy(in + i * tile, from + (i0 + i) * pitch + j0, sizeof(float) * tile);
      transpose_tile(in, out);
      for (std::int64_t j = 0; j < tile; ++j)
        write_line(out + j * tile, to + (j0 + j) * pitch_of_result + i0);
    }
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = j < whole_columns ? whole_rows : 0; i < rows; ++i)
      to[j * pitch_of_result + i] = from[i * pitch + j];
}

// Each other rank's block is transposed into what is sent, and lies in columns of the result.
void transpose_all(const Floats& from, Floats& sent, Floats& received, Floats& to) {
  const Part rows = own(grid);
  const auto n = static_cast<std::size_t>(n_ranks);
  std::vector<int> counts(n), places(n);
  for (int r = 0; r < n_ranks; ++r) {
    const Part columns = part(grid, r, n_ranks);
    places[static_cast<std::size_t>(r)] = static_cast<int>(columns.begin * rows.size());
    if (r == rank) {
      transpose_here(from.data() + columns.begin, grid, rows.size(), columns.size(), to.data() + rows.begin,
                     grid);
      continue;
    }
    counts[static_cast<std::size_t>(r)] = static_cast<int>(columns.size() * rows.size());
    transpose_here(from.data() + columns.begin, grid, rows.size(), columns.size(),
                   sent.data() + columns.begin * rows.size(), rows.size());
  }
  // The blocks that come have the same sizes and places, as there are as many columns as rows.
  MPI_Alltoallv(sent.data(), counts.data(), places.data(), MPI_FLOAT, received.data(), counts.data(),
                places.data(), MPI_FLOAT, MPI_COMM_WORLD);
  for (int r = 0; r < n_ranks; ++r) {
    if (r == rank) continue;
    const Part columns = part(grid, r, n_ranks);
    for (std::int64_t i = 0; i < rows.size(); ++i)
      std::copy_n(received.data() + columns.begin * rows.size() + i * columns.size(), columns.size(),
                  to.data() + i * grid + columns.begin);
  }
}

void transpose() {
  const Part rows = own(grid);
  const Floats from = made(rows, grid, left);
  Floats sent(from.size()), received(from.size()), to(from.size());
  measure(
      "Transpose", grid, [&] { transpose_all(from, sent, received, to); },
      [&] { return weighted_sum(to, to.size(), rows.begin * grid); });
}

void multiply(const float* a, const float* b, float* c, std::int64_t rows) {
#ifdef BENCH_BLAS
  const int n = static_cast<int>(matrix);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(rows), n, n, 1, a, n, b, n, 0, c,
              n);
#else
  constexpr std::int64_t block = 64;
  std::fill_n(c, rows * matrix, 0.0f);
  for (std::int64_t k0 = 0; k0 < matrix; k0 += block)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t k = k0; k < k0 + block; ++k)
#pragma omp simd
        for (std::int64_t j = 0; j < matrix; ++j) c[i * matrix + j] += a[i * matrix + k] * b[k * matrix + j];
#endif
}

void product() {
  const Part rows = own(matrix);
  const Floats a = made(rows, matrix, left), b = made(rows, matrix, right);
  Floats all_b(static_cast<std::size_t>(matrix * matrix)), c(a.size());
  std::vector<int> counts, places;
  for (int r = 0; r < n_ranks; ++r) {
    counts.push_back(static_cast<int>(part(matrix, r, n_ranks).size() * matrix));
    places.push_back(static_cast<int>(part(matrix, r, n_ranks).begin * matrix));
  }
  measure(
      "Product", matrix,
      [&] {
        MPI_Allgatherv(b.data(), static_cast<int>(b.size()), MPI_FLOAT, all_b.data(), counts.data(),
                       places.data(), MPI_FLOAT, MPI_COMM_WORLD);
        multiply(a.data(), all_b.data(), c.data(), rows.size());
      },
      [&] { return weighted_sum(c, c.size(), rows.begin * matrix); });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  if (argc > 1) filter = argv[1];
  if (argc > 2) rounds = std::atoi(argv[2]);
  if (rank == 0) print_header();
  const std::pair<const char*, void (*)()> programs[] = {
      {"SAXPY", saxpy},   {"Dot", dot},   {"Scan", scan},           {"Filter", filtered},
      {"Jacobi", jacobi}, {"Sort", sort}, {"Transpose", transpose}, {"Product", product}};
  for (const auto& [name, run] : programs)
    if (std::regex_search(name, std::regex(filter))) run();
  MPI_Finalize();
  return 0;
}
