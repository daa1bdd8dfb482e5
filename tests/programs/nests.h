// Random nests of axes, as plain data: which axes, what is read along which of them and in which way, how it
// is combined and folded. nests_traced.h traces them as a user's function, nests_arguments.h has arguments.
#pragma once

#include "draw.h"

namespace fulgurite::programs::nests {

/// Sizes of axes have numbers: first those that each run brings, then some that are known while tracing.
constexpr std::size_t n_run_sizes = 6;
constexpr std::int64_t static_sizes[] = {4, 3, 2, 5, 8, 16, 1};

/// The place on an axis of an array: `first * factor + second + from` of index variables.
struct Along {
  std::size_t first = 0;
  int second = -1;  // -1: none
  int factor = 1, from = 0;

  bool operator==(const Along&) const = default;
};

/// How elements of an array are read; all but the last three change what the array in memory looks like.
enum class Way : std::uint8_t {
  direct,
  transposed,  // its axes are in the opposite order in memory
  flipped,     // along one axis
  sliced,      // every other element along one axis, from the second on
  flat,        // as a vector, at a place computed from all indices
  made,        // each element is computed first
  branched,    // the axis is as long as `first`'s; outside of it an `fg::cond` gives 1
  selected,    // likewise, by fg::select of a place within
  padded,      // likewise, of an array with borders of ones
};
constexpr std::size_t n_ways = 9;

struct Read {
  Kind kind = Kind::f32;
  std::vector<Along> along;
  Way way = Way::direct;
  std::size_t axis = 0;  // which one the way is about
  std::size_t array = 0;

  bool has_border() const { return way >= Way::branched; }
};

enum class Form : std::uint8_t { folded, along_axis, rows, copy, stencil, small };

struct Nest {
  Form form = Form::folded;
  Kind kind = Kind::f32;
  std::size_t rank = 1;            // axes of the map; the variables after them are folded
  std::vector<std::size_t> sizes;  // of all variables
  std::vector<Read> reads;
  std::size_t combine = 0, fold = 0, inner = 0, bound = 0, epilogue = 0, axis = 0, variant = 0;
  bool is_flat = false;  // one loop over all points of the map, whose indices are quotients and remainders
  bool asks_arrays = false;  // extents are arrays', not numbers
  std::vector<int> order;    // of the axes of a copy
};

/// What a program is made of.
struct Plan {
  std::vector<Nest> nests;
  std::vector<std::array<std::size_t, n_run_sizes>> runs;  // places in sizes_of_runs
  std::uint32_t seed = 1;
  Precision precision = Precision::fast;
  bool has_small_tiles = false;
  std::int64_t most_points = 20000;
};

/// Around vectors of every width, tiles, chains, panels and tasks.
constexpr std::int64_t sizes_of_runs[] = {1,   0,   2,   3,   4,   5,   6,   7,    8,    9,    11,  12,  13,
                                          15,  16,  17,  18,  23,  24,  25,  29,   31,   32,   33,  37,  47,
                                          48,  49,  61,  63,  64,  65,  96,  97,   127,  128,  129, 131, 255,
                                          256, 257, 263, 511, 512, 513, 521, 1023, 1025, 2053, 4099};

inline Kind draw_kind_of_nest(Draw& d) {
  static constexpr Kind kinds[] = {Kind::f32, Kind::f32, Kind::i32, Kind::f64, Kind::i32,
                                   Kind::i64, Kind::u8,  Kind::i16, Kind::i8};
  return kinds[d.below(std::size(kinds))];
}
/// One that converts to `to` without loss.
inline Kind draw_narrower(Draw& d, Kind to) {
  static constexpr Kind narrow[] = {Kind::u8, Kind::i8, Kind::i16};
  if (to == Kind::u8 || to == Kind::i8 || to == Kind::i16 || !d.one_in(4)) return to;
  if (to == Kind::f64 && d.one_in(2)) return Kind::f32;
  return narrow[d.below(3)];
}

inline std::size_t draw_size(Draw& d) {
  return d.one_in(6) ? n_run_sizes + d.below(std::size(static_sizes)) : d.below(n_run_sizes);
}

/// Draws `n` variables, of which the ones from `rank` on are folded.
inline Along draw_along(Draw& d, std::size_t n) {
  Along along{.first = d.below(n)};
  if (d.one_in(4)) along.second = static_cast<int>(d.below(n));
  if (d.one_in(6)) along.factor = static_cast<int>(2 + d.below(2));
  if (d.one_in(4)) along.from = static_cast<int>(d.below(4));
  return along;
}

inline Read draw_read(Draw& d, const Nest& nest, std::size_t number) {
  const std::size_t n = nest.sizes.size(), rank = nest.rank;
  Read read{.kind = draw_narrower(d, nest.kind), .along = {}, .way = Way::direct, .axis = 0, .array = 0};
  const bool is_product = nest.form == Form::folded && n > rank && !d.one_in(3);
  if (is_product) {  // along the folded axis and one of the map, the operands of a batch along its others too
    const bool is_right = number % 2 == 1;
    const std::size_t free = rank < 2 || !is_right ? rank - std::min<std::size_t>(rank, 2) : rank - 1;
    read.along = {{.first = free}, {.first = rank}};
    if (is_right && !d.one_in(3)) std::swap(read.along[0], read.along[1]);
    if (rank > 2 && d.one_in(2)) read.along.insert(read.along.begin(), {.first = 0});
    if (d.one_in(8)) read.along.erase(read.along.begin());
  } else {
    for (std::size_t k = 1 + d.below(3); k > 0; --k) read.along.push_back(draw_along(d, n));
  }
  if (d.one_in(2)) read.way = static_cast<Way>(d.below(n_ways));
  if (read.has_border()) {
    for (Along& along : read.along) along.factor = 1, along.from = static_cast<int>(d.below(3));
  }
  read.axis = d.below(read.along.size());
  return read;
}

inline void draw_axes(Draw& d, Nest& nest) {
  static constexpr std::size_t ranks[] = {2, 2, 1, 3, 2, 4};
  nest.rank = ranks[d.below(std::size(ranks))];
  std::size_t n = nest.rank;
  if (nest.form == Form::folded) n += d.one_in(8) ? 0u : d.one_in(5) ? 2u : 1u;
  if (nest.form == Form::along_axis || nest.form == Form::rows)
    n = nest.rank = std::max<std::size_t>(nest.rank, 2);
  if (nest.form == Form::stencil) n = nest.rank = std::min<std::size_t>(nest.rank, 3);
  for (std::size_t k = 0; k < n; ++k) nest.sizes.push_back(draw_size(d));
}

inline Nest draw_nest(Draw& d) {
  static constexpr Form forms[] = {Form::folded,     Form::folded, Form::folded, Form::folded,
                                   Form::along_axis, Form::rows,   Form::copy,   Form::along_axis,
                                   Form::stencil,    Form::small};
  Nest nest;
  nest.form = forms[d.below(std::size(forms))];
  nest.kind = draw_kind_of_nest(d);
  draw_axes(d, nest);
  const std::size_t n_reads = 1 + d.below(3);
  for (std::size_t k = 0; k < n_reads; ++k) nest.reads.push_back(draw_read(d, nest, k));
  nest.combine = d.below(8), nest.fold = d.below(12), nest.inner = d.below(10), nest.bound = d.below(10);
  nest.epilogue = d.below(10), nest.axis = d.below(nest.rank), nest.variant = d.below(64);
  nest.is_flat = d.one_in(6), nest.asks_arrays = d.one_in(2);
  for (std::size_t k = 0; k < nest.rank; ++k)
    nest.order.insert(nest.order.begin() + static_cast<std::ptrdiff_t>(d.below(k + 1)), static_cast<int>(k));
  return nest;
}

/// How often one program runs: RC_PARAMS="runs=100", as compiling takes longer than a run.
inline std::size_t most_runs() {
  return std::min<std::size_t>(parameter("runs", 16), 256);
}

/// Each statement's numbers are a nest's; the frame's say on what and how the program runs.
inline Plan draw_plan(const Numbers& numbers) {
  Draw d(numbers);
  Plan plan;
  d.enter(0);
  plan.precision = d.one_in(3) ? Precision::strict : Precision::fast;
  plan.has_small_tiles = d.one_in(3);
  plan.seed = static_cast<std::uint32_t>(1 + d.below(256));
  if (d.one_in(8)) plan.most_points = 200000;
  for (std::size_t k = 1 + d.below(most_runs()); k > 0; --k) {
    auto& run = plan.runs.emplace_back();
    // Most sizes of a run are below 50, so that others have room.
    for (std::size_t& size : run) size = d.below(d.one_in(3) ? std::size(sizes_of_runs) : 28);
  }
  for (std::size_t k = 1; k <= d.n_statements(); ++k) {
    d.enter(k);
    plan.nests.push_back(draw_nest(d));
  }
  std::size_t n_arrays = 0;
  for (Nest& nest : plan.nests)
    for (Read& read : nest.reads) read.array = n_arrays++;
  return plan;
}

}  // namespace fulgurite::programs::nests
