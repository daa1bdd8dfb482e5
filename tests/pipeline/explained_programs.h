// The programs of the benchmarks and of the guide with arguments that are large enough for what each block of
// threads has for itself to count little: what tests compare `explain` on.
#pragma once

#include <string>
#include <vector>

#include "../public/guide_arranging_programs.h"
#include "../public/guide_loops_programs.h"
#include "../public/guide_nesting_programs.h"
#include "../public/guide_programs.h"
#include "../public/guide_scanning_programs.h"
#include "../public/guide_scattering_programs.h"
#include "../soac/values.h"
#include "programs.h"
#include "trace/traced.h"

namespace fulgurite::testing_pipeline {

/// A program with its arguments.
struct Example {
  std::string name;
  soac::Program program;
  std::vector<soac::Value> arguments;
};

/// Traced with these constants in place of the parameters that are not staged.
template <class F, class... Constants>
Example example(std::string name, F f, std::vector<soac::Value> arguments, const Constants&... constants) {
  return {std::move(name), compile(f, {.engine = Engine::interpreter}).traced(constants...)->program(),
          std::move(arguments)};
}

using soac::array_value, soac::scalar_value;

/// n numbers from `from` on and below `from + below`, as if drawn.
template <class T>
std::vector<T> drawn(std::int64_t n, int below, int from = 0, std::uint32_t seed = 7) {
  std::vector<T> xs(static_cast<std::size_t>(n));
  for (T& x : xs) {
    seed = seed * 1664525U + 1013904223U;
    x = static_cast<T>(from + static_cast<int>((seed >> 8) % static_cast<std::uint32_t>(below)));
  }
  return xs;
}
template <class T>
soac::Value vector_value(std::int64_t n, int below, int from = 0) {
  return array_value(drawn<T>(n, below, from));
}
template <class T>
soac::Value matrix_value(std::int64_t rows, std::int64_t columns, int below, int from = 0) {
  return array_value<T>({rows, columns}, drawn<T>(rows * columns, below, from));
}

constexpr std::int64_t explained_n = 1 << 16, sorted_n = 1 << 14;  // more than one row (lower/radix.h)

inline std::vector<Example> benchmark_examples() {
  constexpr std::int64_t n = explained_n;
  const auto floats = [](int below = 1000) { return vector_value<float>(n, below, 1); };
  const auto ints = [] { return vector_value<int>(n, 20001, -10000); };
  const soac::Value size = scalar_value(std::int64_t{n});
  std::vector<soac::Value> weights;
  for (int k = 0; k < 15; ++k) weights.push_back(scalar_value(static_cast<float>(k)));
  std::vector<soac::Value> weighted = weights;
  weighted.push_back(floats());
  std::vector<int> starts{0};
  while (starts.back() < n)
    starts.push_back(
        std::min(static_cast<int>(n), starts.back() + static_cast<int>(starts.size() * 37 % 129)));
  const std::int64_t rows = static_cast<std::int64_t>(starts.size()) - 1;
  return {
      example("SAXPY", bench::saxpy, {scalar_value(2.0f), floats(), floats()}),
      example("SDOT", bench::sdot, {floats(), floats()}),
      example("RMSE", bench::rmse, {floats(), floats()}),
      example("ForwardDiff", bench::forward_difference, {floats()}),
      example("WMA15", bench::moving_average, weighted),
      example("Jacobi2D", bench::jacobi, {matrix_value<float>(256, 256, 1000)}),
      example("BlackScholesMap", bench::black_scholes_map, {floats(), floats(), floats(9)}),
      example("BlackScholesSum", bench::black_scholes_sum, {size}),
      example("ReducePlus", bench::reduce_plus, {ints()}),
      example("ReduceMax", bench::reduce_max, {ints()}),
      example("IndexOfMax", bench::index_of_max, {ints()}),
      example("IndexOfMaxPack", bench::index_of_max_packed, {ints()}),
      example("Reduce2x2MM", bench::reduce_2x2, {vector_value<int>(n / 8, 20001, -10000)}),
      example("MSSP", bench::maximum_segment_sum, {ints()}),
      example("MSPP", bench::maximum_segment_product, {floats()}),
      example("Product2x2", bench::product_of_matrices, {floats()}),
      example("ScanPlus", bench::scan_plus, {ints()}),
      example("ScanMax", bench::scan_max, {floats()}),
      example("Scan2x2MM", bench::scan_2x2, {ints()}),
      example("RedomapNT", bench::redomap, {size}),
      example("RedomapPaper", bench::redomap_of_paper, {size}),
      example("BlackScholesPaper", bench::black_scholes_of_paper, {size}),
      example("SMVM", bench::sparse_times_vector,
              {array_value(starts), vector_value<int>(n, static_cast<int>(rows)), floats(),
               vector_value<float>(rows, 1000)}),
      example("Hist256", bench::count_keys, {vector_value<int>(n, 256), scalar_value(std::int64_t{256})}),
      example("HistLeast256", bench::least_of_keys,
              {vector_value<int>(n, 256), ints(), scalar_value(std::int64_t{256})}),
      example("FilterEven", bench::filter_even, {ints()}),
      example("FilterFields", bench::filter_fields, {floats(2), floats(), floats()}),
      example("Sort", bench::sorted, {vector_value<int>(sorted_n, 20001, -10000)}),
      example("Mandelbrot", bench::mandelbrot_set, {scalar_value(std::int64_t{32})}),
      example("NBody", bench::n_body,
              {vector_value<float>(256, 100), vector_value<float>(256, 90), vector_value<float>(256, 80),
               vector_value<float>(256, 70)}),
      example("MatMul", bench::matrix_product,
              {matrix_value<float>(64, 64, 10), matrix_value<float>(64, 64, 10)}),
  };
}

inline std::vector<Example> guide_examples() {
  constexpr std::int64_t n = explained_n;
  const auto floats = [](int below = 1000) { return vector_value<float>(n, below, 1); };
  const auto ints = [](int below = 1000) { return vector_value<int>(n, below); };
  const auto matrix = [] { return matrix_value<float>(256, 256, 1000); };
  std::vector<int> permutation(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < permutation.size(); ++i)
    permutation[i] = static_cast<int>(i * 40503 % permutation.size());
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i <= n; i += 16) starts.push_back(i);
  const std::int64_t rows = static_cast<std::int64_t>(starts.size()) - 1;
  namespace arranging = guide::arranging;
  namespace loops = guide::loops;
  namespace nesting = guide::nesting;
  namespace scanning = guide::scanning;
  namespace scattering = guide::scattering;
  // It copies memory of its caller, which these arguments are not; guide_test.cpp has all that is said of it.
  static_cast<void>(guide::mean_in_front);
  return {
      example("saxpy", guide::saxpy, {scalar_value(2.0f), floats(), floats()}),
      example("decay", guide::decay, {floats()}),
      example("blend", guide::blend, {floats(), floats(), floats(3)}),
      example("sampled", guide::sampled, {scalar_value(n)}),
      example("mean_and_deviation", guide::mean_and_deviation, {floats()}),
      example("last_non_zero", guide::last_non_zero, {ints()}),
      example("from_hundred", guide::from_hundred, {ints()}),
      example("row_norms", guide::row_norms, {matrix()}),
      example("column_means", guide::column_means, {matrix()}),
      example("farthest_from_zero", guide::farthest_from_zero, {matrix()}),
      example("closing_balances", guide::closing_balances,
              {matrix_value<int>(256, 256, 1000), scalar_value(100)}),
      example("forward_difference", guide::forward_difference, {floats()}),
      example("corners", guide::corners, {matrix()}),
      example("is_palindrome", guide::is_palindrome, {ints(1)}),
      example("planes", guide::planes,
              {array_value<std::uint8_t>({128, 128, 4}, drawn<std::uint8_t>(n, 256))}),
      example("squared_distances", guide::squared_distances,
              {matrix_value<float>(128, 16, 100), matrix_value<float>(64, 16, 100)}),
      example("maximum_segment_sum", guide::maximum_segment_sum, {ints()}),
      example("safe_ratio", guide::safe_ratio, {scalar_value(3.0f), scalar_value(2.0f)}),
      example("escape_time", guide::escape_time, {scalar_value(0.1f), scalar_value(0.2f)}),
      example("newton_root", guide::newton_root, {scalar_value(2.0f)}),
      example("look_up", guide::look_up, {floats(), ints()}),
      example("powers", guide::powers, {floats()}, 3),
      example("closed", arranging::closed, {floats()}),
      example("with_margins", arranging::with_margins, {matrix()}),
      example("circular_difference", arranging::circular_difference, {floats()}),
      example("life", arranging::life, {matrix_value<int>(256, 256, 2)}),
      example("flow", arranging::flow, {floats(), floats(3)}),
      example("second_difference", arranging::second_difference, {floats(), scalar_value(2.0f)}),
      example("median", arranging::median, {vector_value<float>(sorted_n, 1000)}),
      example("by_score", arranging::by_score,
              {vector_value<float>(sorted_n, 1000), vector_value<int>(sorted_n, 99)}),
      example("medians", arranging::medians, {matrix()}),
      example("longest_first", arranging::longest_first, {matrix_value<float>(1024, 64, 1000)}),
      example("arranging ranks", arranging::ranks, {vector_value<int>(sorted_n, 1000)}),
      example("podium", arranging::podium, {vector_value<float>(sorted_n, 1000)}),
      example("normalised", loops::normalised, {floats()}),
      example("at_most", loops::at_most, {scalar_value(n / 2), ints()}),
      example("loops smoothed", loops::smoothed, {floats(), scalar_value(3)}),
      example("pascal", loops::pascal, {scalar_value(5)}),
      example("heat", loops::heat, {matrix(), scalar_value(500.0f)}),
      example("sieve", loops::sieve, {scalar_value(10)}),
      example("conjugate_gradient", loops::conjugate_gradient,
              {vector_value<double>(n, 9, 1), scalar_value(1e3)}),
      example("softmax", nesting::softmax, {matrix()}),
      example("ranges", nesting::ranges, {matrix()}),
      example("traces", nesting::traces, {array_value<float>({256, 16, 16}, drawn<float>(n, 9))}),
      example("potentials", nesting::potentials, {vector_value<double>(256, 100)}),
      example("trimmed_means", nesting::trimmed_means,
              {matrix_value<float>(128, 64, 1000), vector_value<std::int64_t>(128, 32, 32)}),
      example("survivors", nesting::survivors, {matrix_value<int>(128, 32, 1000)}),
      example("middle_binomials", nesting::middle_binomials, {vector_value<int>(128, 20)}),
      example("primes_below", nesting::primes_below, {vector_value<int>(128, 20)}),
      example("envelope", nesting::envelope, {matrix()}),
      example("composed", nesting::composed, {array_value<float>({64, 8, 8}, drawn<float>(64 * 64, 2))}),
      example("accumulated", nesting::accumulated, {matrix()}),
      example("gradient", nesting::gradient,
              {matrix(), vector_value<float>(256, 9), vector_value<float>(256, 9)}),
      example("covariance", nesting::covariance, {matrix_value<float>(256, 16, 10)}),
      example("nearest row", nesting::nearest, {matrix()}),
      example("balances", scanning::balances, {scalar_value(1.0f), floats()}),
      example("scanning smoothed", scanning::smoothed, {floats(), scalar_value(0.5f)}),
      example("best_trade", scanning::best_trade, {floats()}),
      example("cumulative_shares", scanning::cumulative_shares, {floats()}),
      example("area_table", scanning::area_table, {matrix()}),
      example("spmv", scanning::spmv,
              {array_value(starts), vector_value<int>(n, static_cast<int>(rows)), floats(),
               vector_value<float>(rows, 1000)}),
      example("lengths_of_runs", scanning::lengths_of_runs, {ints(2)}),
      example("positions_in_rows", scanning::positions_in_rows,
              {array_value(std::vector<int>(static_cast<std::size_t>(rows), 16)), floats()}),
      example("waiting_times", scanning::waiting_times,
              {array_value(std::vector<int>(static_cast<std::size_t>(rows), 16)), floats()}),
      example("monthly_sums", scanning::monthly_sums, {matrix(), array_value(std::vector<int>(16, 16))}),
      example("still_to_come", scanning::still_to_come, {matrix(), array_value(std::vector<int>(16, 16))}),
      example("without_gaps", scattering::without_gaps, {matrix()}),
      example("chosen_columns", scattering::chosen_columns,
              {matrix(), array_value(std::vector<bool>(256, true))}),
      example("mean_of_positive", scattering::mean_of_positive, {vector_value<float>(n, 1000, -500)}),
      example("by_sign", scattering::by_sign, {vector_value<int>(n, 1000, -500)}),
      example("sums_by_remainder", scattering::sums_by_remainder, {ints()}),
      example("shaded", scattering::shaded,
              {vector_value<float>(256, 1000), vector_value<std::uint8_t>(n, 256)}),
      example("diagonal", scattering::diagonal, {matrix()}),
      example("inverse", scattering::inverse, {array_value(permutation)}),
      example("dense", scattering::dense,
              {ints(256), vector_value<int>(n, 255), floats(), scalar_value(256)}),
      example("ranks", scattering::ranks, {vector_value<float>(sorted_n, 1000)}),
      example("inverse_of_known", scattering::inverse_of_known, {array_value(permutation)}),
      example("counts", scattering::counts, {ints(256), scalar_value(256)}),
      example("nearest", scattering::nearest, {ints(256), floats(), scalar_value(256)}),
      example("polynomial_product", scattering::polynomial_product,
              {vector_value<float>(16, 9), vector_value<float>(4096, 9)}),
      example("every_third", scattering::every_third, {ints()}),
      example("fibonacci", scattering::fibonacci, {scalar_value(40)}),
      example("framed", scattering::framed, {matrix()}),
  };
}

}  // namespace fulgurite::testing_pipeline
