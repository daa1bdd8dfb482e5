#include "harness/benchmarks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <numeric>

namespace bench {
namespace {

std::int64_t all(const Data& d) {
  return d.n;
}
std::int64_t all_bins(const Data& d) {
  return d.bins;
}

class Sequence {  // linear congruential; sizes do not change it
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }

 private:
  std::uint64_t state_;
};

template <int bins>
void set_up_keys(Data& d, Memory& memory) {
  d.bins = bins;
  Sequence sequence(12345);
  auto* keys = static_cast<std::uint32_t*>(memory.inputs[static_cast<int>(Input::keys)]);
  for (std::int64_t i = 0; i < d.n; ++i) keys[i] = sequence.next() % bins;
}

void set_up_square(Data& d, Memory&) {
  d.side = std::lround(std::sqrt(static_cast<double>(d.n)));
}

void set_up_rows(Data& d, Memory& memory) {  // n non-zeros, about n/16 rows of 0..32 elements
  Sequence sequence(777);
  const auto rows = static_cast<std::uint32_t>(std::max<std::int64_t>(1, d.n / 16));
  std::int32_t filled = 0, row = 0;
  memory.row_starts[0] = 0;
  while (filled < d.n) {
    const auto length =
        std::min(static_cast<std::int32_t>(sequence.next() % 33), static_cast<std::int32_t>(d.n) - filled);
    for (std::int32_t k = 0; k < length; ++k)
      memory.columns[filled + k] = static_cast<std::int32_t>(sequence.next() % rows);
    filled += length;
    memory.row_starts[++row] = filled;
  }
  d.rows = row;
}

void copy_unsorted(Data& d, Memory&) {
  std::memcpy(d.out_ints, d.unsorted, static_cast<std::size_t>(d.n) * 4);
}

std::int64_t all_cells(const Data& d) {
  return d.side * d.side;
}

// Other operators, element types and tuple shapes of the benchmarks above.
std::vector<Benchmark> dense_variants() {
  using I = Input;
  return {
      {"ReducePlus-f64", {}, no_array, 1e-9, {I::x_f64}, all},
      {"ReducePlus-i64", {}, no_array, 0, {I::small}, all},
      {"ReducePlus-moments", {}, no_array, 1e-12, {I::small}, all},
      {"ReduceMax-f32", {}, no_array, 0, {I::x}, all},
      {"ReduceMax-f64", {}, no_array, 0, {I::x_f64}, all},
      {"ReduceMax-extent", {}, no_array, 0, {I::tied}, all},
      {"IndexOfMax-f32", {}, no_array, 0, {I::x}, all},
      {"IndexOfMax-f64", {}, no_array, 0, {I::x_f64}, all},
      {"IndexOfMax-extremes", {}, no_array, 0, {I::tied}, all},
      {"IndexOfMaxPack-f32", {}, no_array, 0, {I::x}, all},
      {"IndexOfMaxPack-payload", {}, no_array, 0, {I::tied, I::unsorted}, all},
      {"IndexOfMaxPack-u16", {}, no_array, 0, {I::any_u16}, all},
      {"Reduce2x2MM-affine", {}, no_array, 0, {I::small}, all},
      {"Reduce2x2MM-quaternion", {}, no_array, 2e-3, {I::x}, all},
      {"MSSP-f32", {}, no_array, 2e-3, {I::x}, all},
      {"MSSP-run", {}, no_array, 0, {I::small}, all},
      {"ScanPlus-f64", {}, out_f64, 1e-9, {I::x_f64}, all},
      {"ScanPlus-recurrence", {}, out, 1e-4, {I::x, I::y}, all},
      {"RedomapNT-f64", {}, out_f64 | out2_f64, 1e-9, {}, all},
      {"RedomapNT-i32", {}, ints | ints2, 0, {I::small}, all},
      {"BlackScholesMap-f64", {}, out_f64 | out2_f64, 1e-6, {I::spot, I::strike, I::years}, all},
      {"BlackScholesMap-greeks", {}, out | out2 | out3, 2e-4, {I::spot, I::strike, I::years}, all},
      {"BlackScholesSum-pair", {}, no_array, 2e-3, {}, all},
      {"SAXPY-f64", {}, out_f64, 1e-12, {I::x_f64, I::y_f64}, all},
      {"SAXPY-i32", {}, ints, 0, {I::small, I::tied}, all},
      {"SAXPY-complex", {}, out | out2, 1e-5, {I::x, I::y, I::z, I::mass}, all},
      {"SDOT-f64", {}, no_array, 1e-9, {I::x_f64, I::y_f64}, all},
      {"SDOT-i64", {}, no_array, 0, {I::small, I::tied}, all},
      {"SDOT-complex", {}, no_array, 2e-3, {I::x, I::y, I::z, I::mass}, all},
      {"RMSE-f64", {}, no_array, 1e-9, {I::x_f64, I::y_f64}, all},
      {"RMSE-absolute", {}, no_array, 2e-3, {I::x, I::y}, all},
      {"RMSE-largest", {}, no_array, 2e-3, {I::x, I::y}, all},
      {"WMA15-f64", {}, out_f64, 1e-12, {I::x_f64}, [](const Data& d) { return d.n - 14; }},
      {"WMA15-max7", {}, ints, 0, {I::small}, [](const Data& d) { return d.n - 6; }},
      {"WMA15-minmod", {}, out, 1e-4, {I::x}, [](const Data& d) { return d.n - 2; }},
      {"Jacobi2D-f64", {}, out_f64, 1e-12, {I::x_f64}, all_cells, set_up_square},
      {"Jacobi2D-nine", {}, out, 1e-4, {I::x}, all_cells, set_up_square},
      {"Jacobi2D-dilation", {}, ints, 0, {I::small}, all_cells, set_up_square},
  };
}

// The sorts of other types: the same keys, spread over the type's range, both signs.
void copy_unsorted_f32(Data& d, Memory&) {
  std::transform(d.unsorted, d.unsorted + d.n, d.out,
                 [](std::int32_t x) { return static_cast<float>(x) * 1e-3f; });
}
void copy_unsorted_i64(Data& d, Memory&) {
  std::transform(d.unsorted, d.unsorted + d.n, d.out_i64, [](std::int32_t x) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u);
  });
}
void copy_unsorted_pairs(Data& d, Memory& memory) {
  copy_unsorted(d, memory);
  std::iota(d.out_ints2, d.out_ints2 + d.n, 0);
}

std::int64_t all_rows(const Data& d) {
  return d.rows;
}
std::int64_t all_kept(const Data& d) {
  return static_cast<std::int64_t>(d.results[0]);
}
void set_up_bytes(Data& d, Memory&) {
  d.bins = 256;
}

std::vector<Benchmark> irregular_variants() {
  using I = Input;
  const std::vector<std::int64_t> sorted{1 << 20, 1 << 22, 1 << 24};
  return {
      {"FilterEven-f64", {}, out_f64, 0, {I::x_f64}, all_kept},
      {"FilterEven-u8", {}, out_u8, 0, {I::small_u8}, all_kept},
      {"FilterEven-partition", {}, ints, 0, {I::small}, all},
      {"Hist10-f32", {}, histogram_f32, 2e-3, {I::keys, I::x}, all_bins, set_up_keys<10>},
      {"Hist10-max", {}, histogram, 0, {I::keys, I::tied}, all_bins, set_up_keys<10>},
      {"Hist10-count-sum", {}, histogram | histogram_f32, 2e-3, {I::keys, I::x}, all_bins, set_up_keys<10>},
      {"Hist256-f32", {}, histogram_f32, 2e-3, {I::keys, I::x}, all_bins, set_up_keys<256>},
      {"Hist256-u8", {}, histogram, 0, {I::small_u8}, all_bins, set_up_bytes},
      {"Hist256-i64", {}, histogram_i64, 0, {I::keys, I::small}, all_bins, set_up_keys<256>},
      {"Hist1M-f32", {}, histogram_f32, 1e-5, {I::keys, I::x}, all_bins, set_up_keys<1000000>},
      {"Hist1M-max", {}, histogram, 0, {I::keys, I::tied}, all_bins, set_up_keys<1000000>},
      {"Hist1M-or", {}, histogram, 0, {I::keys, I::small}, all_bins, set_up_keys<1000000>},
      {"SMVM-f64", {}, out_f64, 1e-13, {I::x_f64, I::y_f64}, all_rows, set_up_rows},
      {"SMVM-minplus", {}, out, 0, {I::values, I::vector}, all_rows, set_up_rows},
      {"SMVM-sum-max", {}, out | out2, 1e-6, {I::values, I::vector}, all_rows, set_up_rows},
      {"Sort-f32", sorted, out, 0, {I::unsorted}, all, nullptr, copy_unsorted_f32},
      {"Sort-i64", sorted, out_i64, 0, {I::unsorted}, all, nullptr, copy_unsorted_i64},
      {"Sort-pairs", sorted, ints | ints2, 0, {I::unsorted}, all, nullptr, copy_unsorted_pairs},
      {"Mandelbrot-f64", {1 << 20}, ints, 2e-4, {}, all, set_up_square},
      {"Mandelbrot-julia", {1 << 20}, ints, 2e-4, {}, all, set_up_square},
      {"Mandelbrot-collatz", {1 << 20}, ints, 0, {}, all},
      {"NBody-f64",
       {8192},
       out_f64 | out2_f64 | out3_f64,
       1e-10,
       {I::x_f64, I::y_f64, I::z_f64, I::mass_f64},
       all},
      {"NBody-potential", {8192}, out | out2, 1e-5, {I::x, I::y, I::z, I::mass}, all},
      {"NBody-nearest", {8192}, ints, 0, {I::x, I::y, I::z}, all},
  };
}

std::vector<Benchmark> make() {
  using I = Input;
  return {
      {"SAXPY", {}, out, 1e-5, {I::x, I::y}, all},
      {"SDOT", {}, no_array, 2e-3, {I::x, I::y}, all},
      {"RMSE", {}, no_array, 2e-3, {I::x, I::y}, all},
      {"ForwardDiff", {}, out, 1e-4, {I::x}, [](const Data& d) { return d.n - 1; }},
      {"WMA15", {}, out, 1e-4, {I::x}, [](const Data& d) { return d.n - 14; }},
      {"Jacobi2D", {}, out, 1e-4, {I::x}, [](const Data& d) { return d.side * d.side; }, set_up_square},
      {"BlackScholesMap", {}, out | out2, 2e-4, {I::spot, I::strike, I::years}, all},
      {"BlackScholesSum", {}, no_array, 2e-3, {}, all},
      {"ReducePlus", {}, no_array, 0, {I::small}, all},
      {"ReduceMax", {}, no_array, 0, {I::tied}, all},
      {"IndexOfMax", {}, no_array, 0, {I::tied}, all},
      {"IndexOfMaxPack", {}, no_array, 0, {I::tied}, all},
      {"Reduce2x2MM", {}, no_array, 0, {I::small}, all},
      {"MSSP", {}, no_array, 0, {I::small}, all},
      {"MSPP", {}, no_array, 1e-9, {I::x}, all},
      {"Product2x2", {}, no_array, 1e-9, {I::x}, all},
      {"ScanPlus", {}, ints, 0, {I::small}, all},
      {"ScanMax", {}, out, 0, {I::x}, all},
      {"Scan2x2MM", {}, ints, 0, {I::small}, all},
      {"RedomapNT", {}, out | out2, 2e-4, {}, all},
      {"RedomapNT-paper", {}, out | out2, 2e-4, {}, all},
      {"BlackScholes-paper", {}, no_array, 2e-3, {}, all},
      {"SMVM", {}, out, 1e-4, {I::values, I::vector}, [](const Data& d) { return d.rows; }, set_up_rows},
      {"Hist10", {}, histogram, 0, {I::keys}, all_bins, set_up_keys<10>},
      {"Hist256", {}, histogram, 0, {I::keys}, all_bins, set_up_keys<256>},
      {"Hist1M", {}, histogram, 0, {I::keys}, all_bins, set_up_keys<1000000>},
      {"HistLeast256", {}, histogram, 0, {I::keys, I::tied}, all_bins, set_up_keys<256>},
      {"FilterEven",
       {},
       ints,
       0,
       {I::small},
       [](const Data& d) { return static_cast<std::int64_t>(d.results[0]); }},
      {"FilterFields",
       {},
       out | out2 | out3,
       0,
       {I::x, I::y, I::z},
       [](const Data& d) { return static_cast<std::int64_t>(d.results[0]); }},
      {"Sort", {1 << 20, 1 << 22, 1 << 24}, ints, 0, {I::unsorted}, all, nullptr, copy_unsorted},
      {"Mandelbrot", {1 << 20}, ints, 2e-4, {}, all, set_up_square},
      {"NBody", {8192}, out | out2 | out3, 1e-2, {I::x, I::y, I::z, I::mass}, all},
      {"MatMul", {1 << 20}, out, 1e-3, {I::left, I::right}, all, set_up_square},
  };
}

}  // namespace

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> table = [] {
    std::vector<Benchmark> table_of_all = make();
    for (const std::vector<Benchmark>& variants : {dense_variants(), irregular_variants()})
      std::ranges::copy(variants, std::back_inserter(table_of_all));
    return table_of_all;
  }();
  return table;
}

}  // namespace bench
