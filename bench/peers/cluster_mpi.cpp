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

#ifdef BENCH_BLAS
#include <cblas.h>
#endif

#include "cluster_data.h"
#include "peers/cluster_kernels.h"
#include "stopwatch.h"

namespace {

using namespace bench::cluster;

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

// How many elements the ranks before this one have.
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

void saxpy() {
  const Floats x = made(own(elements), 1, left), y = made(own(elements), 1, right);
  Floats z(x.size());
  measure(
      "SAXPY", elements, [&] { saxpy_here(x.data(), y.data(), z.data(), x.size()); },
      [&] { return weighted_sum(z, z.size(), own(elements).begin); });
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
