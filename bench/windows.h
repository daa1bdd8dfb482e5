// The stencils, convolutions, computed and checked indices of the program nests.
#pragma once

#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "peers/nests.h"

namespace bench {

/// Measures `ours` beside `peer` and `limit`, unless the filter leaves the name out.
using Measure = std::function<void(const std::string& name, const std::function<void()>& ours,
                                   const std::function<void()>& peer, const std::function<void()>& limit)>;

/// From -0.5 to 0.5, in an order without a pattern.
inline std::vector<float> floats(std::int64_t n) {
  std::vector<float> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 10007) / 10007 - 0.5f;
  return x;
}

/// Ends the program where a result is not the peer's.
template <int N>
void require_close(const std::string& name, const fulgurite::Array<float, N>& ours, const float* theirs,
                   float tolerance) {
  for (std::int64_t i = 0; i < ours.size(); ++i) {
    const float a = ours.data()[i], b = theirs[i];
    if (std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
    fmt::print(stderr, "{}: element {} is {}, not {}\n", name, i, a, b);
    std::exit(1);
  }
}

/// One row of the table, of `n_results` floats, which have to be close to the peer's; the limit copies them.
template <int N, class F>
void floats_row(const Measure& measure, const std::string& name, std::int64_t n_results, const F& ours,
                const std::function<void(float*)>& peer) {
  std::vector<float> theirs(static_cast<std::size_t>(n_results)), copy(theirs.size());
  fulgurite::Array<float, N> result;
  measure(
      name, [&] { result = {}, result = ours(); }, [&] { peer(theirs.data()); },
      [&] { copy_all({1, n_results, theirs.data(), nullptr}, copy.data()); });
  if (result.size() == 0) return;
  peer(theirs.data());
  require_close(name, result, theirs.data(), 1e-3f);
}

/// The mean of the four neighbours, by cond: the border is kept.
fulgurite::Mat<float> jacobi_by_cond(fulgurite::Mat<float>);

void measure_stencils(const Measure&);
void measure_convolutions(const Measure&);
/// Indices computed with / and %, and loops over unchanged arrays.
void measure_computed(const Measure&);
/// Points that read by quotients and remainders of their index by small constants, and windows that are a few
/// elements apart.
void measure_interleaved(const Measure&);
/// Windows by slices, pools, and means of rows that data choose.
void measure_checked(const Measure&);
void measure_short_axes(const Measure&);
/// Rows of some columns, sorted, and their medians.
void measure_sorted_rows(const Measure&);

}  // namespace bench
