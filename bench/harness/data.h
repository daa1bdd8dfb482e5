// What every peer of a benchmark sees: inputs, places for results, and the list that it joins. A peer is one
// pair of benchmark and library. Definitions of the benchmarks themselves: serial.cpp, which is also their
// reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Data {
  std::int64_t n = 0;     // number of elements; of cells for Jacobi2D, of non-zeros for SMVM
  std::int64_t side = 0;  // of the square for Jacobi2D, Mandelbrot, MatMul

  const std::int32_t* small = nullptr;                                    // -10000..10000
  const std::int32_t* tied = nullptr;                                     // 0..999999, with ties
  const std::int32_t* unsorted = nullptr;                                 // any
  const float *x = nullptr, *y = nullptr, *z = nullptr, *mass = nullptr;  // 0..1
  const float *spot = nullptr, *strike = nullptr, *years = nullptr;       // options
  const float* weights = nullptr;                                         // 15
  const float *left = nullptr, *right = nullptr;                          // matrices, 1024 x 1024
  const std::int32_t* keys = nullptr;                                     // 0..bins-1
  std::int64_t bins = 0, rows = 0;                                        // of the histogram, the matrix
  const std::int32_t *row_starts = nullptr, *columns = nullptr;           // compressed sparse rows
  const float *values = nullptr, *vector = nullptr;
  const double *x_f64 = nullptr, *y_f64 = nullptr, *z_f64 = nullptr, *mass_f64 = nullptr;  // 0..1
  const std::uint8_t* small_u8 = nullptr;                                                  // 0..255
  const std::uint16_t* any_u16 = nullptr;                                                  // 0..65535

  std::int32_t *histogram = nullptr, *out_ints = nullptr;
  float *out = nullptr, *out2 = nullptr, *out3 = nullptr;
  std::int32_t* out_ints2 = nullptr;
  double *out_f64 = nullptr, *out2_f64 = nullptr, *out3_f64 = nullptr;
  std::int64_t *out_i64 = nullptr, *histogram_i64 = nullptr;
  std::uint8_t* out_u8 = nullptr;
  float* histogram_f32 = nullptr;
  double results[4] = {};
};

// Arrays have this many elements more than they need: whole vectors may be read past the end, not written.
constexpr std::int64_t padding = 64;

using Run = void (*)(Data&);

struct Peer {
  std::string benchmark, name;
  Run run;  // timed
  // Moves the results of a peer that returns fresh arrays to where Data wants them, and is not timed; may be
  // null.
  Run publish;
};

class Peers {
 public:
  void add(std::string benchmark, std::string name, Run run, Run publish = nullptr);
  const std::vector<Peer>& all() const { return all_; }

 private:
  std::vector<Peer> all_;
};

// A peer of this name is the untimed reference; peers whose names begin with "limit" only stream the arrays.
constexpr const char* reference_name = "reference";

// The peer that the others are there for, and the same without fusion: never "the best peer".
constexpr const char *our_name = "fulgurite", *unfused_name = "fulgurite-no-fuse";

void add_serial_peers(Peers& peers);
void add_serial_dense_variants_peers(Peers& peers);
void add_serial_irregular_variants_peers(Peers& peers);
void add_limit_peers(Peers& peers);
void add_expert_reduction_peers(Peers& peers);
void add_expert_scan_peers(Peers& peers);
void add_expert_map_peers(Peers& peers);
void add_expert_function_peers(Peers& peers);
void add_expert_paper_peers(Peers& peers);
void add_expert_irregular_peers(Peers& peers);
void add_expert_dense_peers(Peers& peers);
void add_expert_dense_variants_peers(Peers& peers);
void add_expert_filter_variants_peers(Peers& peers);
void add_expert_histogram_variants_peers(Peers& peers);
void add_expert_sparse_variants_peers(Peers& peers);
void add_expert_nested_variants_peers(Peers& peers);
void add_parallel_stl_peers(Peers& peers);
void add_tbb_peers(Peers& peers);
void add_thrust_omp_peers(Peers& peers);
void add_thrust_tbb_peers(Peers& peers);
void add_eigen_peers(Peers& peers);
void add_blas_peers(Peers& peers);
void add_xtensor_peers(Peers& peers);
void add_halide_peers(Peers& peers);
void add_sort_peers(Peers& peers);
void add_fulgurite_peers(Peers& peers);

}  // namespace bench
