// The memory that the programs of the benchmark table move on a GPU, as the emulator counts it, is hardly
// more than each array once, and warps touch hardly more sectors of 32 bytes than that needs (`./dev bench
// traffic` prints both).
#include <gtest/gtest.h>

#include <functional>

#include "engines/emulator_device.h"
#include "programs.h"

namespace fulgurite {
namespace {

template <class T>
Array<T> numbers(std::size_t n, int below, int from = 0) {
  std::vector<T> xs(n);
  std::uint32_t state = 7;
  for (T& x : xs) {
    state = state * 1664525U + 1013904223U;
    x = static_cast<T>(from + static_cast<int>((state >> 8) % static_cast<std::uint32_t>(below)));
  }
  return Array<T>(xs);
}

/// `least`: bytes of what is read and written.
template <class F, class... Args>
void expect_little(const char* name, double least, double at_most, F program, const Args&... arguments) {
  SCOPED_TRACE(name);
  const auto f = compile(program, {.engine = Engine::emulator});
  EmulatorDevice::shared().take_counts();
  f(arguments...);
  const kernel::PhaseCounts c = EmulatorDevice::shared().take_counts();
  const auto moved = static_cast<double>(c.global_read + c.global_written);
  EXPECT_LE(moved, at_most * least);
  EXPECT_GE(moved, 0.999 * least) << "less than the least";
  EXPECT_GE(static_cast<double>(c.least_transactions), 0.95 * static_cast<double>(c.transactions));
}

constexpr double bar = 1.05;
constexpr std::size_t n = 1 << 16;
constexpr double bytes = 4.0 * n;

TEST(Traffic, OfMapsAndStencils) {
  const Array<float> x = numbers<float>(n, 1000, 1), y = numbers<float>(n, 900, 1),
                     z = numbers<float>(n, 9, 1);
  const Array<float, 2> square(x.to_vector(), {256, 256});
  expect_little("SAXPY", 3 * bytes, bar, bench::saxpy, 2.0f, x, y);
  expect_little("ForwardDiff", 2 * bytes, bar, bench::forward_difference, x);
  expect_little("WMA15", 2 * bytes, bar, bench::moving_average, bench::Weights{1, 2, 3}, x);
  expect_little("Jacobi2D", 2 * bytes, bar, bench::jacobi, square);
  expect_little("BlackScholesMap", 5 * bytes, bar, bench::black_scholes_map, x, y, z);
  expect_little("transpose", 2 * bytes, bar, [](Mat<float> a) { return transpose(a); }, square);
}

TEST(Traffic, OfReductions) {
  const Array<float> x = numbers<float>(n, 1000), y = numbers<float>(n, 900);
  const Array<int> k = numbers<int>(n, 20001, -10000);
  expect_little("SDOT", 2 * bytes, bar, bench::sdot, x, y);
  expect_little("RMSE", 2 * bytes, bar, bench::rmse, x, y);
  expect_little("ReducePlus", bytes, bar, bench::reduce_plus, k);
  expect_little("ReduceMax", bytes, bar, bench::reduce_max, k);
  expect_little("IndexOfMax", bytes, bar, bench::index_of_max, k);
  expect_little("IndexOfMaxPack", bytes, bar, bench::index_of_max_packed, k);
  expect_little("Reduce2x2MM", bench::products_2x2 * bytes, bar, bench::reduce_2x2, k);
  expect_little("MSSP", bytes, bar, bench::maximum_segment_sum, k);
  expect_little("MSPP", bytes, bar, bench::maximum_segment_product, x);
  expect_little("Product2x2", bytes, bar, bench::product_of_matrices, x);
  expect_little("RedomapNT", 2 * bytes, bar, bench::redomap, std::int64_t{n});
}

TEST(Traffic, OfScansAndFilters) {
  const Array<int> k = numbers<int>(n, 20001, -10000);
  const Array<float> x = numbers<float>(n, 2), y = numbers<float>(n, 9), z = numbers<float>(n, 5);
  expect_little("ScanPlus", 2 * bytes, bar, bench::scan_plus, k);
  expect_little("ScanMax", 2 * bytes, bar, bench::scan_max, x);
  expect_little("Scan2x2MM", 2 * bytes, bar, bench::scan_2x2, k);
  double n_even = 0, n_below = 0;
  for (const int v : k.to_vector()) n_even += v % 2 == 0;
  for (const float v : x.to_vector()) n_below += v < 0.5f;
  expect_little("FilterEven", bytes + 4 * n_even, bar, bench::filter_even, k);
  expect_little("FilterFields", 3 * bytes + 12 * n_below, bar, bench::filter_fields, x, y, z);
}

TEST(Traffic, OfRows) {
  const Array<float> x = numbers<float>(n, 1000);
  for (const std::int64_t rows : {4, 128, 4096}) {
    const Array<float, 2> matrix(x.to_vector(), {rows, static_cast<std::int64_t>(n) / rows});
    expect_little(
        "sums of rows", bytes + 4 * static_cast<double>(rows), bar,
        [](Mat<float> a) { return sum(a, axis(1)); }, matrix);
  }
}

// Where rows begin is read twice: to see that they are in order, and to take them.
TEST(Traffic, OfRowsOfAnyLengths) {
  constexpr int many = 1 << 20;
  std::vector<int> starts{0};
  while (starts.back() < many)
    starts.push_back(std::min(many, starts.back() + static_cast<int>(starts.size() * 37 % 129)));
  expect_little(
      "segments", 4.0 * many + 8 * static_cast<double>(starts.size()), bar,
      [](Vec<int> begin, Vec<float> v) { return segmented_reduce(plus, 0.0f, offsets(begin), v); },
      Array<int>(starts), numbers<float>(many, 1000));
}

// Blocks are as many as fill a device, and each joins its bins: that is little beside a million points.
TEST(Traffic, OfHistograms) {
  constexpr std::size_t many = 1 << 21;
  for (const int bins : {10, 256}) {
    const Array<int> keys = numbers<int>(many, bins);
    expect_little("Hist", 4.0 * (many + static_cast<double>(bins)), bar, bench::count_keys, keys,
                  std::int64_t{bins});
    if (bins == 256)
      expect_little("HistLeast256", 4.0 * (2 * many + 256), bar, bench::least_of_keys, keys,
                    numbers<int>(many, 1000000), std::int64_t{bins});
  }
}

}  // namespace
}  // namespace fulgurite
