// "serial": definitions of the variants of reductions and scans with other operators, element
// types and tuple shapes; where rounding matters the reference computes in doubles.
#include "peers/dense_functions.h"

namespace bench {
namespace {

void sum_f64(Data& d) {
  double sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) sum += d.x_f64[i];
  d.results[0] = sum;
}

void sum_of_squares(Data& d) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) sum += std::int64_t{d.small[i]} * d.small[i];
  d.results[0] = static_cast<double>(sum);
}

void moments(Data& d) {
  Moments all{0, 0, 0};
  for (std::int64_t i = 0; i < d.n; ++i) {
    const double x = d.small[i];
    all.positive += d.small[i] > 0;
    all.sum += d.small[i];
    all.squares += x * x;
  }
  d.results[0] = all.positive;
  d.results[1] = static_cast<double>(all.sum);
  d.results[2] = all.squares;
}

void max_f32(Data& d) {
  float most = d.x[0];
  for (std::int64_t i = 0; i < d.n; ++i) most = std::max(most, d.x[i]);
  d.results[0] = most;
}

void min_f64(Data& d) {
  double least = d.x_f64[0];
  for (std::int64_t i = 0; i < d.n; ++i) least = std::min(least, d.x_f64[i]);
  d.results[0] = least;
}

void extent(Data& d) {
  Extent all{d.tied[0], d.tied[0]};
  for (std::int64_t i = 0; i < d.n; ++i)
    all = {std::min(all.least, d.tied[i]), std::max(all.most, d.tied[i])};
  d.results[0] = all.least;
  d.results[1] = all.most;
}

void index_of_min_f32(Data& d) {
  std::int64_t at = 0;
  for (std::int64_t i = 1; i < d.n; ++i)
    if (d.x[i] < d.x[at]) at = i;
  d.results[0] = d.x[at];
  d.results[1] = static_cast<double>(at);
}

void index_of_max_f64(Data& d) {
  std::int64_t at = 0;
  for (std::int64_t i = 1; i < d.n; ++i)
    if (d.x_f64[i] > d.x_f64[at]) at = i;
  d.results[0] = d.x_f64[at];
  d.results[1] = static_cast<double>(at);
}

void extremes(Data& d) {
  Extremes all{d.tied[0], 0, d.tied[0], 0};
  for (std::int64_t i = 1; i < d.n; ++i) {
    const auto at = static_cast<std::int32_t>(i);
    if (d.tied[i] > all.most) all.most = d.tied[i], all.most_at = at;
    if (d.tied[i] < all.least) all.least = d.tied[i], all.least_at = at;
  }
  d.results[0] = all.most;
  d.results[1] = all.most_at;
  d.results[2] = all.least;
  d.results[3] = all.least_at;
}

void index_of_min_packed(Data& d) {
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (std::int64_t i = 0; i < d.n; ++i)
    best = std::min(best, std::uint64_t{ordered_bits(d.x[i])} << 32 | static_cast<std::uint32_t>(i));
  d.results[0] = of_ordered_bits(static_cast<std::uint32_t>(best >> 32));
  d.results[1] = static_cast<std::uint32_t>(best);
}

void payload_of_max(Data& d) {
  std::int64_t best = std::numeric_limits<std::int64_t>::min();
  for (std::int64_t i = 0; i < d.n; ++i)
    best = std::max(best, std::int64_t{d.tied[i]} << 32 | static_cast<std::uint32_t>(d.unsorted[i]));
  d.results[0] = static_cast<std::int32_t>(best >> 32);
  d.results[1] = static_cast<std::uint32_t>(best);
}

void block_of_max(Data& d) {
  std::uint32_t best = 0;
  for (std::int64_t i = 0; i < d.n; ++i)
    best = std::max(best, static_cast<std::uint32_t>(d.any_u16[i]) << 16 |
                              static_cast<std::uint32_t>(~(i >> 16) & 0xFFFF));
  d.results[0] = best >> 16;
  d.results[1] = ~best & 0xFFFF;
}

void compose(Data& d) {
  Affine all{1, 0};
  for (std::int64_t i = 0; i < d.n; ++i) all = after(all, affine(d.small[i]));
  d.results[0] = all.factor;
  d.results[1] = all.summand;
}

template <class T>
void rotate(Data& d) {
  Quaternion<T> all{1, 0, 0, 0};
  for (std::int64_t i = 0; i < d.n; ++i) all = multiply(all, rotation<T>(d.x[i]));
  d.results[0] = all.w;
  d.results[1] = all.x;
  d.results[2] = all.y;
  d.results[3] = all.z;
}

template <class T>
void maximum_segment_sum(Data& d) {
  RealSegment<T> all{0, 0, 0, 0};
  for (std::int64_t i = 0; i < d.n; ++i) all = join(all, real_segment<T>(d.x[i]));
  d.results[0] = all.best;
  d.results[1] = all.prefix;
  d.results[2] = all.suffix;
  d.results[3] = all.total;
}

void longest_run(Data& d) {
  Stretch all{0, 0, 0, 0};
  for (std::int64_t i = 0; i < d.n; ++i) all = join(all, stretch(d.small[i]));
  d.results[0] = all.best;
  d.results[1] = all.prefix;
  d.results[2] = all.suffix;
  d.results[3] = all.length;
}

void scan_f64(Data& d) {
  double sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) d.out_f64[i] = sum += d.x_f64[i];
}

template <class T>
void recurrence(Data& d) {
  T y = 0;
  for (std::int64_t i = 0; i < d.n; ++i) {
    y = recurrence_factor(d.x[i]) * y + d.y[i];
    d.out[i] = static_cast<float>(y);
  }
}

}  // namespace

void add_serial_dense_map_variants(Peers& peers);

void add_serial_dense_variants_peers(Peers& peers) {
  auto add = [&](const char* benchmark, Run timed, Run reference = nullptr) {
    peers.add(benchmark, reference_name, reference ? reference : timed);
    peers.add(benchmark, "serial", timed);
  };
  add("ReducePlus-f64", sum_f64);
  add("ReducePlus-i64", sum_of_squares);
  add("ReducePlus-moments", moments);
  add("ReduceMax-f32", max_f32);
  add("ReduceMax-f64", min_f64);
  add("ReduceMax-extent", extent);
  add("IndexOfMax-f32", index_of_min_f32);
  add("IndexOfMax-f64", index_of_max_f64);
  add("IndexOfMax-extremes", extremes);
  add("IndexOfMaxPack-f32", index_of_min_packed);
  add("IndexOfMaxPack-payload", payload_of_max);
  add("IndexOfMaxPack-u16", block_of_max);
  add("Reduce2x2MM-affine", compose);
  add("Reduce2x2MM-quaternion", rotate<float>, rotate<double>);
  add("MSSP-f32", maximum_segment_sum<float>, maximum_segment_sum<double>);
  add("MSSP-run", longest_run);
  add("ScanPlus-f64", scan_f64);
  add("ScanPlus-recurrence", recurrence<float>, recurrence<double>);
  add_serial_dense_map_variants(peers);
}

}  // namespace bench
