#include "harness/benchmarks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

namespace bench {
namespace {

std::int64_t all(const Data& d) {
  return d.n;
}
std::int64_t all_bins(const Data& d) {
  return d.bins;
}

class Sequence {  // linear congruential: the same for every size
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
  std::uint32_t* keys = memory.inputs[static_cast<int>(Input::keys)];
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
      {"ReducePlus-f64", {}, no_array, 1e-9, {I::x64}, all},
      {"ReducePlus-i64", {}, no_array, 0, {I::small}, all},
      {"ReducePlus-moments", {}, no_array, 1e-12, {I::small}, all},
      {"ReduceMax-f32", {}, no_array, 0, {I::x}, all},
      {"ReduceMax-f64", {}, no_array, 0, {I::x64}, all},
      {"ReduceMax-extent", {}, no_array, 0, {I::tied}, all},
      {"IndexOfMax-f32", {}, no_array, 0, {I::x}, all},
      {"IndexOfMax-f64", {}, no_array, 0, {I::x64}, all},
      {"IndexOfMax-extremes", {}, no_array, 0, {I::tied}, all},
      {"IndexOfMaxPack-f32", {}, no_array, 0, {I::x}, all},
      {"IndexOfMaxPack-payload", {}, no_array, 0, {I::tied, I::unsorted}, all},
      {"IndexOfMaxPack-u16", {}, no_array, 0, {I::x16}, all},
      {"Reduce2x2MM-affine", {}, no_array, 0, {I::small}, all},
      {"Reduce2x2MM-quaternion", {}, no_array, 2e-3, {I::x}, all},
      {"MSSP-f32", {}, no_array, 2e-3, {I::x}, all},
      {"MSSP-run", {}, no_array, 0, {I::small}, all},
      {"ScanPlus-f64", {}, doubles, 1e-9, {I::x64}, all},
      {"ScanPlus-recurrence", {}, out, 1e-4, {I::x, I::y}, all},
      {"RedomapNT-f64", {}, doubles | doubles2, 1e-9, {}, all},
      {"RedomapNT-i32", {}, ints | ints2, 0, {I::small}, all},
      {"BlackScholesMap-f64", {}, doubles | doubles2, 1e-6, {I::spot, I::strike, I::years}, all},
      {"BlackScholesMap-greeks", {}, out | out2 | out3, 2e-4, {I::spot, I::strike, I::years}, all},
      {"BlackScholesSum-pair", {}, no_array, 2e-3, {}, all},
      {"SAXPY-f64", {}, doubles, 1e-12, {I::x64, I::y64}, all},
      {"SAXPY-i32", {}, ints, 0, {I::small, I::tied}, all},
      {"SAXPY-complex", {}, out | out2, 1e-5, {I::x, I::y, I::z, I::mass}, all},
      {"SDOT-f64", {}, no_array, 1e-9, {I::x64, I::y64}, all},
      {"SDOT-i64", {}, no_array, 0, {I::small, I::tied}, all},
      {"SDOT-complex", {}, no_array, 2e-3, {I::x, I::y, I::z, I::mass}, all},
      {"RMSE-f64", {}, no_array, 1e-9, {I::x64, I::y64}, all},
      {"RMSE-absolute", {}, no_array, 2e-3, {I::x, I::y}, all},
      {"RMSE-largest", {}, no_array, 2e-3, {I::x, I::y}, all},
      {"WMA15-f64", {}, doubles, 1e-12, {I::x64}, [](const Data& d) { return d.n - 14; }},
      {"WMA15-max7", {}, ints, 0, {I::small}, [](const Data& d) { return d.n - 6; }},
      {"WMA15-minmod", {}, out, 1e-4, {I::x}, [](const Data& d) { return d.n - 2; }},
      {"Jacobi2D-f64", {}, doubles, 1e-12, {I::x64}, all_cells, set_up_square},
      {"Jacobi2D-nine", {}, out, 1e-4, {I::x}, all_cells, set_up_square},
      {"Jacobi2D-dilation", {}, ints, 0, {I::small}, all_cells, set_up_square},
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
    std::vector<Benchmark> all_of_them = make();
    std::ranges::move(dense_variants(), std::back_inserter(all_of_them));
    return all_of_them;
  }();
  return table;
}

}  // namespace bench
