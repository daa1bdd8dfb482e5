// What the programs of bench/cluster compute on, and how they tell their results: the hand-written peer
// (peers/cluster_mpi.cpp) and ours take the same elements and print the same columns.
#pragma once

#include <cstdint>
#include <cstdio>

namespace bench::cluster {

constexpr std::int64_t elements = 10'000'000;  // of Dot, SAXPY, Scan, Filter, Sort
constexpr std::int64_t grid = 4096;            // rows and columns of Jacobi and Transpose
constexpr int jacobi_steps = 20;
constexpr std::int64_t matrix = 1024;  // rows and columns of Product
constexpr float saxpy_factor = 2;
constexpr float filter_limit = 0.5f;

/// In [0, 1): operands of Dot, SAXPY, Filter; Jacobi's grid, Transpose's and Product's matrices row by row.
inline float left(std::int64_t i) {
  return static_cast<float>(i * 7919 % 1009) / 1009;
}
inline float right(std::int64_t i) {
  return static_cast<float>(i * 104729 % 997) / 997;
}
/// Elements for Scan: running sums stay small.
inline float centred(std::int64_t i) {
  return left(i) - 0.5f;
}
inline std::int32_t key(std::int64_t i) {
  std::uint64_t h = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::int32_t>(h >> 32);
}

/// The part of a rank of n rows or elements: [begin, end).
struct Part {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};
inline Part part(std::int64_t n, int rank, int n_ranks) {
  return {n * rank / n_ranks, n * (rank + 1) / n_ranks};
}

/// A checksum is the sum over all elements of `value * weight(index)`, in double; Dot's is its result.
/// Weights tell orders apart.
inline double weight(std::int64_t index) {
  return static_cast<double>(index % 13 + 1);
}

inline void print_header() {
  std::printf("benchmark,implementation,ranks,n,median_us,checksum\n");
}
inline void print_row(const char* benchmark, const char* implementation, int n_ranks, std::int64_t n,
                      double median_us, double checksum) {
  std::printf("%s,%s,%d,%lld,%.1f,%.9g\n", benchmark, implementation, n_ranks, static_cast<long long>(n),
              median_us, checksum);
  std::fflush(stdout);
}

}  // namespace bench::cluster
