// Random nests as programs with arguments: a parameter for each number of sizes and for each read.
#pragma once

#include "nests_traced.h"
#include "random_program.h"

namespace fulgurite::programs::nests {

using Sizes = std::array<std::int64_t, n_run_sizes>;

inline std::int64_t size_in(const Sizes& sizes, std::size_t number) {
  return number < n_run_sizes ? sizes[number] : static_sizes[number - n_run_sizes];
}

/// The extents of what a read has in memory.
inline std::vector<std::int64_t> shape_of(const Nest& nest, const Read& read, const Sizes& sizes) {
  std::vector<std::int64_t> shape;
  for (const Along& along : read.along) {
    const std::int64_t first = size_in(sizes, nest.sizes[along.first]);
    const std::int64_t second =
        along.second < 0 ? 1 : size_in(sizes, nest.sizes[static_cast<std::size_t>(along.second)]);
    if (read.has_border())
      shape.push_back(first);
    else if (first == 0 || second == 0)
      shape.push_back(along.from);
    else
      shape.push_back(along.factor * (first - 1) + second + along.from);
  }
  if (read.way == Way::sliced) shape[read.axis] = 2 * shape[read.axis] + 1;
  if (read.way == Way::transposed) std::ranges::reverse(shape);
  return shape;
}

inline std::int64_t n_elements(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return n;
}

/// The sizes of a run, of which the largest ones are lessened until no nest has more points than the plan
/// says.
inline Sizes sizes_of(const Plan& plan, std::array<std::size_t, n_run_sizes> run) {
  const auto sizes = [&] {
    Sizes all;
    for (std::size_t k = 0; k < n_run_sizes; ++k) all[k] = sizes_of_runs[run[k]];
    return all;
  };
  for (const Nest& nest : plan.nests) {
    const auto is_too_large = [&] {
      std::int64_t n = 1;
      for (const std::size_t size : nest.sizes) n *= std::max<std::int64_t>(size_in(sizes(), size), 1);
      if (nest.form == Form::small) n *= 20;
      return n > plan.most_points || std::ranges::any_of(nest.reads, [&](const Read& read) {
               return n_elements(shape_of(nest, read, sizes())) > 4 * plan.most_points;
             });
    };
    while (is_too_large()) {
      std::size_t& largest = *std::ranges::max_element(run);
      if (largest < 2) break;
      --largest;
    }
  }
  return sizes();
}

/// For operands of floats: numbers whose products and sums are exact, none of them zero. For integers:
/// `is_wide` says whether they are of all sizes.
inline scalar::Bits element(std::mt19937& random, scalar::Kind kind, bool becomes_float, bool is_wide) {
  const auto cast = [&](scalar::Kind from, scalar::Bits bits) {
    return scalar::evaluate(scalar::Op::cast, from, kind, bits);
  };
  if (becomes_float) {
    auto number = static_cast<int>(random() % 8) - 4;
    if (number >= 0) ++number;
    if (scalar::is_float(kind))
      return cast(scalar::Kind::f64, scalar::to_bits(static_cast<double>(number) / 2));
    return cast(scalar::Kind::i64, static_cast<scalar::Bits>(std::abs(number) / 3 + 1));
  }
  const std::uint64_t bits = static_cast<std::uint64_t>(random()) << 32 | random();
  const auto small = static_cast<std::int64_t>(random() % 9) - 3;
  return cast(scalar::Kind::i64, is_wide ? bits : static_cast<scalar::Bits>(small));
}

/// Tiles so small that small arrays have several.
inline constexpr const char* small_tiles =
    "tile_least_rows=1 tile_least_depth=1 tile_rows=3 tile_chained_rows_16_registers=3 tile_task_rows=5 "
    "tile_task_columns=64 tile_depth=7 tile_small_rows=3 mirror_depth=1 fold_chain=3 fold_rows=1 "
    "fold_least_columns=1 "
    "fold_least_rows=5 fold_block=64 cheap_tile=64 moderate_tile=64 expensive_tile=64 "
    "outer_scan_block=64 run_tile=64";

/// Traces the plan, and fills its arguments.
class Program {
 public:
  explicit Program(const Plan& plan) : plan_(plan) {
    unsigned number = 0;
    for (std::size_t k = 0; k < n_run_sizes; ++k) infos_.push_back({Kind::i64, 0, true, ++number});
    for (const Nest& nest : plan.nests)
      for (const Read& read : nest.reads)
        infos_.push_back({read.kind, static_cast<std::uint8_t>(read.along.size()), true, ++number});
  }

  Drawn drawn() {
    const auto call = [](void* program, std::span<const Value> staged, const void*) {
      return (*static_cast<Program**>(program))->trace(staged);
    };
    Drawn drawn;
    const detail::Traceable traceable(this, call, infos_, nullptr);
    drawn.traced = detail::trace("nests", traceable, nullptr, false, Here::current());
    drawn.precision = plan_.precision;
    if (plan_.has_small_tiles) drawn.policy = small_tiles;
    for (const auto& run : plan_.runs) drawn.arguments.push_back(arguments(sizes_of(plan_, run)));
    return drawn;
  }

 private:
  Values trace(std::span<const Value> staged) const {
    Values results;
    std::size_t at = n_run_sizes;
    for (const Nest& nest : plan_.nests) {
      results.push_back(
          TracedNest(nest, staged.first(n_run_sizes), staged.subspan(at, nest.reads.size())).result());
      at += nest.reads.size();
    }
    return results;
  }

  std::vector<soac::Value> arguments(const Sizes& sizes) const {
    std::mt19937 random(plan_.seed);
    std::vector<soac::Value> all;
    for (const std::int64_t size : sizes)
      all.push_back(soac::Value::scalar(scalar::Kind::i64, static_cast<scalar::Bits>(size)));
    for (const Nest& nest : plan_.nests)
      for (const Read& read : nest.reads) {
        soac::Value value{static_cast<scalar::Kind>(read.kind), shape_of(nest, read, sizes), {}};
        const auto n = static_cast<std::size_t>(n_elements(value.shape));
        value.bytes.resize(n * scalar::size_of(value.kind));
        const bool is_wide = random() % 4 == 0;
        for (std::size_t i = 0; i < n; ++i)
          value.set(i, element(random, value.kind, is_float(nest.kind), is_wide));
        all.push_back(std::move(value));
      }
    return all;
  }

  const Plan& plan_;
  std::vector<detail::ParameterInfo> infos_;
};

inline Numbers draw_numbers_of_nests(std::mt19937_64& random) {
  Numbers numbers(2 + random() % 4 / 3);
  for (auto& of_nest : numbers) {
    of_nest.resize(&of_nest == numbers.data() ? 20 + 12 * most_runs() : 120);
    for (auto& number : of_nest) number = static_cast<std::uint8_t>(random());
  }
  return numbers;
}

/// Nothing if shapes that are known while tracing do not fit.
inline std::optional<Drawn> draw_nests(const Numbers& numbers) {
  try {
    const Plan plan = draw_plan(numbers);
    if (plan.nests.empty()) return {};
    return Program(plan).drawn();
  } catch (const ShapeError&) {
    return {};
  } catch (const IndexError&) {
    return {};
  }
}

}  // namespace fulgurite::programs::nests
