// "fulgurite": the variants of reductions, scans, maps and stencils.
#include <algorithm>

#include "dense_map_variants.h"
#include "dense_variants.h"
#include "fulgurite_program.h"

namespace bench {
namespace {

// Results that are one scalar, a tuple of scalars, or one array.
template <auto program>
void publish_scalar(Data& d) {
  d.results[0] = static_cast<double>(Program<program>::result);
}
template <auto program>
void publish_scalars(Data& d) {
  std::apply(
      [&](auto... value) {
        int k = 0;
        ((d.results[k++] = static_cast<double>(value)), ...);
      },
      Program<program>::result);
}
template <auto program, auto array>
void publish_array(Data& d) {
  copy(Program<program>::result, d.*array);
}
template <auto program, auto first, auto second>
void publish_arrays(Data& d) {
  copy(std::get<0>(Program<program>::result), d.*first);
  copy(std::get<1>(Program<program>::result), d.*second);
}
template <auto program, auto first, auto second>
void publish_redomap(Data& d) {
  const auto& [sum, least, most, x, y] = Program<program>::result;
  d.results[0] = sum;
  d.results[1] = least;
  d.results[2] = most;
  copy(x, d.*first);
  copy(y, d.*second);
}
template <auto program, auto input, auto output>
void publish_inner(Data& d) {
  const auto& inner = Program<program>::result;
  const std::int64_t n = d.side;
  std::copy_n(d.*input, n * n, d.*output);
  for (std::int64_t i = 1; i < n - 1; ++i)
    for (std::int64_t j = 1; j < n - 1; ++j) (d.*output)[i * n + j] = inner(i - 1, j - 1);
}

void add_reductions(Peers& peers) {
  peers.add(
      "ReducePlus-f64", our_name, [](Data& d) { Program<sum_f64>::run(view(d.x_f64, d.n)); },
      publish_scalar<sum_f64>);
  peers.add(
      "ReducePlus-i64", our_name, [](Data& d) { Program<sum_of_squares>::run(view(d.small, d.n)); },
      publish_scalar<sum_of_squares>);
  peers.add(
      "ReducePlus-moments", our_name, [](Data& d) { Program<moments>::run(view(d.small, d.n)); },
      [](Data& d) {
        const Moments& all = Program<moments>::result;
        d.results[0] = all.positive;
        d.results[1] = static_cast<double>(all.sum);
        d.results[2] = all.squares;
      });
  peers.add(
      "ReduceMax-f32", our_name, [](Data& d) { Program<max_f32>::run(view(d.x, d.n)); },
      publish_scalar<max_f32>);
  peers.add(
      "ReduceMax-f64", our_name, [](Data& d) { Program<min_f64>::run(view(d.x_f64, d.n)); },
      publish_scalar<min_f64>);
  peers.add(
      "ReduceMax-extent", our_name, [](Data& d) { Program<extent>::run(view(d.tied, d.n)); },
      [](Data& d) {
        d.results[0] = Program<extent>::result.least;
        d.results[1] = Program<extent>::result.most;
      });
  peers.add(
      "IndexOfMax-f32", our_name, [](Data& d) { Program<index_of_min_f32>::run(view(d.x, d.n)); },
      publish_scalars<index_of_min_f32>);
  peers.add(
      "IndexOfMax-f64", our_name, [](Data& d) { Program<index_of_max_f64>::run(view(d.x_f64, d.n)); },
      publish_scalars<index_of_max_f64>);
  peers.add(
      "IndexOfMax-extremes", our_name, [](Data& d) { Program<extremes>::run(view(d.tied, d.n)); },
      [](Data& d) {
        const Extremes& all = Program<extremes>::result;
        d.results[0] = all.most;
        d.results[1] = all.most_at;
        d.results[2] = all.least;
        d.results[3] = all.least_at;
      });
  peers.add(
      "IndexOfMaxPack-f32", our_name, [](Data& d) { Program<index_of_min_packed>::run(view(d.x, d.n)); },
      [](Data& d) {
        const std::uint64_t packed = Program<index_of_min_packed>::result;
        d.results[0] = of_ordered_bits(static_cast<std::uint32_t>(packed >> 32));
        d.results[1] = static_cast<std::uint32_t>(packed);
      });
  peers.add(
      "IndexOfMaxPack-payload", our_name,
      [](Data& d) { Program<payload_of_max>::run(view(d.tied, d.n), view(d.unsorted, d.n)); },
      [](Data& d) {
        const std::int64_t packed = Program<payload_of_max>::result;
        d.results[0] = static_cast<std::int32_t>(packed >> 32);
        d.results[1] = static_cast<std::uint32_t>(packed);
      });
  peers.add(
      "IndexOfMaxPack-u16", our_name, [](Data& d) { Program<block_of_max>::run(view(d.any_u16, d.n)); },
      [](Data& d) {
        d.results[0] = Program<block_of_max>::result >> 16;
        d.results[1] = ~Program<block_of_max>::result & 0xFFFF;
      });
}

void add_ordered(Peers& peers) {
  peers.add(
      "Reduce2x2MM-affine", our_name, [](Data& d) { Program<compose>::run(view(d.small, d.n)); },
      [](Data& d) {
        d.results[0] = Program<compose>::result.factor;
        d.results[1] = Program<compose>::result.summand;
      });
  peers.add(
      "Reduce2x2MM-quaternion", our_name, [](Data& d) { Program<rotate>::run(view(d.x, d.n)); },
      [](Data& d) {
        const Quaternion<float>& all = Program<rotate>::result;
        d.results[0] = all.w;
        d.results[1] = all.x;
        d.results[2] = all.y;
        d.results[3] = all.z;
      });
  peers.add(
      "MSSP-f32", our_name, [](Data& d) { Program<maximum_segment_sum_f32>::run(view(d.x, d.n)); },
      [](Data& d) {
        const RealSegment<float>& all = Program<maximum_segment_sum_f32>::result;
        d.results[0] = all.best;
        d.results[1] = all.prefix;
        d.results[2] = all.suffix;
        d.results[3] = all.total;
      });
  peers.add(
      "MSSP-run", our_name, [](Data& d) { Program<longest_run>::run(view(d.small, d.n)); },
      [](Data& d) {
        const Stretch& all = Program<longest_run>::result;
        d.results[0] = all.best;
        d.results[1] = all.prefix;
        d.results[2] = all.suffix;
        d.results[3] = all.length;
      });
  peers.add(
      "ScanPlus-f64", our_name, [](Data& d) { Program<scan_f64>::run(view(d.x_f64, d.n)); },
      publish_array<scan_f64, &Data::out_f64>);
  peers.add(
      "ScanPlus-recurrence", our_name,
      [](Data& d) { Program<recurrence>::run(view(d.x, d.n), view(d.y, d.n)); },
      publish_array<recurrence, &Data::out>);
}

void add_functions(Peers& peers) {
  peers.add(
      "RedomapNT-f64", our_name, [](Data& d) { Program<redomap_f64>::run(d.n); },
      publish_redomap<redomap_f64, &Data::out_f64, &Data::out2_f64>);
  peers.add(
      "RedomapNT-i32", our_name, [](Data& d) { Program<redomap_i32>::run(view(d.small, d.n)); },
      publish_redomap<redomap_i32, &Data::out_ints, &Data::out_ints2>);
  peers.add(
      "BlackScholesMap-f64", our_name,
      [](Data& d) {
        Program<black_scholes_f64>::run(view(d.spot, d.n), view(d.strike, d.n), view(d.years, d.n));
      },
      publish_arrays<black_scholes_f64, &Data::out_f64, &Data::out2_f64>);
  peers.add(
      "BlackScholesMap-greeks", our_name,
      [](Data& d) { Program<greeks_map>::run(view(d.spot, d.n), view(d.strike, d.n), view(d.years, d.n)); },
      [](Data& d) {
        publish_arrays<greeks_map, &Data::out, &Data::out2>(d);
        copy(std::get<2>(Program<greeks_map>::result), d.out3);
      });
  peers.add(
      "BlackScholesSum-pair", our_name, [](Data& d) { Program<black_scholes_pair>::run(d.n); },
      publish_scalars<black_scholes_pair>);
}

void add_maps(Peers& peers) {
  peers.add(
      "SAXPY-f64", our_name,
      [](Data& d) { Program<saxpy_f64>::run(double{saxpy_alpha}, view(d.x_f64, d.n), view(d.y_f64, d.n)); },
      publish_array<saxpy_f64, &Data::out_f64>);
  peers.add(
      "SAXPY-i32", our_name,
      [](Data& d) { Program<saxpy_i32>::run(saxpy_factor, view(d.small, d.n), view(d.tied, d.n)); },
      publish_array<saxpy_i32, &Data::out_ints>);
  peers.add(
      "SAXPY-complex", our_name,
      [](Data& d) {
        Program<saxpy_complex>::run(saxpy_real, saxpy_imaginary, view(d.x, d.n), view(d.y, d.n),
                                    view(d.z, d.n), view(d.mass, d.n));
      },
      publish_arrays<saxpy_complex, &Data::out, &Data::out2>);
  peers.add(
      "SDOT-f64", our_name, [](Data& d) { Program<dot_f64>::run(view(d.x_f64, d.n), view(d.y_f64, d.n)); },
      publish_scalar<dot_f64>);
  peers.add(
      "SDOT-i64", our_name, [](Data& d) { Program<dot_i64>::run(view(d.small, d.n), view(d.tied, d.n)); },
      publish_scalar<dot_i64>);
  peers.add(
      "SDOT-complex", our_name,
      [](Data& d) {
        Program<dot_complex>::run(view(d.x, d.n), view(d.y, d.n), view(d.z, d.n), view(d.mass, d.n));
      },
      publish_scalars<dot_complex>);
  peers.add(
      "RMSE-f64", our_name, [](Data& d) { Program<rmse_f64>::run(view(d.x_f64, d.n), view(d.y_f64, d.n)); },
      publish_scalar<rmse_f64>);
  peers.add(
      "RMSE-absolute", our_name,
      [](Data& d) { Program<absolute_error>::run(view(d.x, d.n), view(d.y, d.n)); },
      publish_scalar<absolute_error>);
  peers.add(
      "RMSE-largest", our_name, [](Data& d) { Program<largest_error>::run(view(d.x, d.n), view(d.y, d.n)); },
      publish_scalars<largest_error>);
}

void add_stencils(Peers& peers) {
  peers.add(
      "WMA15-f64", our_name,
      [](Data& d) {
        DoubleWeights weights;
        std::copy_n(d.weights, weights.size(), weights.begin());
        Program<moving_average_f64>::run(weights, view(d.x_f64, d.n));
      },
      publish_array<moving_average_f64, &Data::out_f64>);
  peers.add(
      "WMA15-max7", our_name, [](Data& d) { Program<moving_maximum>::run(view(d.small, d.n)); },
      publish_array<moving_maximum, &Data::out_ints>);
  peers.add(
      "WMA15-minmod", our_name, [](Data& d) { Program<limited_slopes>::run(view(d.x, d.n)); },
      publish_array<limited_slopes, &Data::out>);
  peers.add(
      "Jacobi2D-f64", our_name,
      [](Data& d) { Program<jacobi_f64>::run(fg::view(d.x_f64, {d.side, d.side})); },
      publish_inner<jacobi_f64, &Data::x_f64, &Data::out_f64>);
  peers.add(
      "Jacobi2D-nine", our_name, [](Data& d) { Program<nine_points>::run(fg::view(d.x, {d.side, d.side})); },
      publish_inner<nine_points, &Data::x, &Data::out>);
  peers.add(
      "Jacobi2D-dilation", our_name,
      [](Data& d) { Program<dilation>::run(fg::view(d.small, {d.side, d.side})); },
      publish_inner<dilation, &Data::small, &Data::out_ints>);
}

}  // namespace

void add_fulgurite_dense_variants(Peers& peers) {
  add_reductions(peers);
  add_ordered(peers);
  add_functions(peers);
  add_maps(peers);
  add_stencils(peers);
}

}  // namespace bench
