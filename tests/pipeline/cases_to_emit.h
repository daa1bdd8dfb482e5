// The programs that tests emit for every target, with arguments of each size.
#pragma once

#include <fulgurite/emitted.h>

#include <functional>
#include <string>
#include <vector>

#include "../soac/values.h"
#include "programs.h"
#include "programs_to_emit.h"
#include "trace/traced.h"

namespace fulgurite::emitted_programs {

using scalar::Kind;
using soac::Value;

using Arguments = std::function<std::vector<Value>(const soac::Program&, std::int64_t n)>;

// Arrays of n or n x n elements.
inline std::vector<Value> usual(const soac::Program& program, std::int64_t n) {
  std::vector<Value> all;
  std::uint32_t state = 7;
  for (const scalar::Var p : program.params) {
    const scalar::VarInfo& info = program.arena->info(p);
    const Kind kind = info.type.kind;
    std::int64_t count = 1;
    std::vector<std::int64_t> shape;
    for (std::size_t k = 0; k < info.shape.size(); ++k) {
      shape.push_back(info.shape.size() == 1 ? n : k == 0 ? n / 7 : 9);
      count *= shape.back();
    }
    Value value{kind, shape, std::vector<std::byte>(static_cast<std::size_t>(count) * scalar::size_of(kind))};
    for (std::size_t i = 0; i < value.size(); ++i) {
      state = state * 1664525U + 1013904223U;
      const int x = static_cast<int>((state >> 8) % 1000);
      value.set(i, kind == Kind::f32   ? scalar::to_bits(static_cast<float>(x + 1) / 512)
                   : kind == Kind::f64 ? scalar::to_bits(static_cast<double>(x + 1) / 512)
                                       : scalar::evaluate(scalar::Op::cast, Kind::i64, kind,
                                                          scalar::to_bits(std::int64_t{x})));
    }
    all.push_back(std::move(value));
  }
  return all;
}

struct Case {
  EmittedProgram program;
  std::vector<std::int64_t> sizes = {0, 1, 17, 5000};
  Arguments arguments = usual;
  std::int64_t largest = 1'000'000;  // where programs run as code of the host
  Precision precision = Precision::fast;
};

inline std::vector<Value> sparse(const soac::Program&, std::int64_t n) {
  std::vector<int> starts{0}, columns;
  std::vector<float> values, vector;
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < row % 5; ++k) {
      columns.push_back(static_cast<int>((row * 7 + k * 3) % n));
      values.push_back(static_cast<float>(k + 1) / 4);
    }
    starts.push_back(static_cast<int>(columns.size()));
    vector.push_back(static_cast<float>(row % 13) - 6);
  }
  return {soac::array_value(starts), soac::array_value(columns), soac::array_value(values),
          soac::array_value(vector)};
}

// A scalar: how many elements are made.
inline std::vector<Value> count(const soac::Program&, std::int64_t n) {
  return {soac::scalar_value(n)};
}

inline std::vector<Case> cases() {
  const std::vector<std::int64_t> some = {1, 17, 5000};
  return {{{"saxpy", bench::saxpy, {"alpha", "x", "y"}}},
          {{"sdot", bench::sdot, {"x", "y"}}},
          {{"rmse", bench::rmse, {"measured", "predicted"}}, some},
          {{"forward_difference", bench::forward_difference, {"x"}}, some},
          {{"moving_average", bench::moving_average}, {17, 5000}},
          {{"jacobi", bench::jacobi, {"u"}}, {30, 700}},
          {{"black_scholes", bench::black_scholes_map, {"spot", "strike", "years"}}},
          {{"reduce_plus", bench::reduce_plus, {"xs"}}},
          {{"reduce_max", bench::reduce_max, {"xs"}}},
          {{"index_of_max", bench::index_of_max, {"xs"}}, some},
          {{"index_of_max_packed", bench::index_of_max_packed, {"xs"}}, some},
          {{"reduce_2x2", bench::reduce_2x2, {"xs"}}, {0, 1, 17, 5000}, usual, 20'000},
          {{"maximum_segment_sum", bench::maximum_segment_sum, {"xs"}}},
          {{"maximum_segment_product", bench::maximum_segment_product, {"xs"}}},
          {{"product_of_matrices", bench::product_of_matrices, {"xs"}}, {0, 1, 17, 500}},
          {{"scan_plus", bench::scan_plus, {"xs"}}},
          {{"redomap", bench::redomap_of_paper, {"n"}}, some, count},
          {{"black_scholes_sum", bench::black_scholes_of_paper, {"n"}}, {0, 1, 17, 5000}, count},
          {{"scan_max", bench::scan_max, {"xs"}}},
          {{"scan_2x2", bench::scan_2x2, {"xs"}}},
          {{"filter_even", bench::filter_even, {"xs"}}},
          {{"sorted", bench::sorted, {"xs"}}, {0, 1, 17, 600}},
          {{"sparse_times_vector", bench::sparse_times_vector}, {1, 17, 500}, sparse},
          {{"n_body", bench::n_body, {"x", "y", "z", "mass"}}, {1, 17, 100}, usual, 300},
          {{"matrix_product", bench::matrix_product}, {63}, usual, 0},
          {{"total_and_squares", total_and_squares, {"xs"}}},
          {EmittedProgram("power_3", power, {"x"}).with(3)},
          {{"halved", halved, {"x"}}},
          {{"sieve", sieve, {"xs"}}},
          {{"relaxed", relaxed, {"x"}}, {17, 64}, usual, 20'000},
          {{"leftovers", leftovers, {"x", "unread", "most", "divisor"}}},
          {{"swapped", swapped, {"xs"}}, {0, 128, 1280}, usual, 128 * 7813},
          {{"looked_up", looked_up, {"xs"}}}};
}

/// With the arrays that the program captured, which are its last parameters.
inline std::vector<Value> with_captured(const detail::TracedProgram& traced, std::vector<Value> arguments) {
  for (const detail::Capture& capture : traced.captures()) {
    Value value{
        static_cast<Kind>(capture.view.kind), {capture.extents, capture.extents + capture.view.rank}, {}};
    std::size_t bytes = scalar::size_of(value.kind);
    for (const std::int64_t extent : value.shape) bytes *= static_cast<std::size_t>(extent);
    const auto* const data = static_cast<const std::byte*>(capture.view.on_host());
    value.bytes.assign(data, data + bytes);
    arguments.push_back(std::move(value));
  }
  return arguments;
}

/// A kind as C has it.
inline std::string type_of(detail::Kind kind) {
  constexpr const char* types[] = {"bool",     "int8_t",   "int16_t",  "int32_t", "int64_t", "uint8_t",
                                   "uint16_t", "uint32_t", "uint64_t", "float",   "double"};
  return types[static_cast<std::size_t>(kind)];
}

}  // namespace fulgurite::emitted_programs
