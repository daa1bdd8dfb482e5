// What rows of applications share: data, and a comparison before it is measured.
#pragma once

#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "nests_applications.h"
#include "peers/nests.h"

namespace bench {

/// From -0.5 to 0.5, in no order, other ones for each seed.
inline std::vector<float> scattered(std::int64_t n, unsigned seed = 1) {
  std::minstd_rand random(seed);
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& element : x) element = static_cast<float>(random() % 16777216) / 16777216 - 0.5f;
  return x;
}
inline fulgurite::Array<float, 2> scattered_matrix(std::int64_t rows, std::int64_t columns,
                                                   unsigned seed = 1) {
  return {scattered(rows * columns, seed), {rows, columns}};
}

/// Measures ours beside the peer, which writes to its argument, after their results have been compared.
/// The limit is to copy so many floats.
template <class R, class F, class Peer>
void application(const Table& table, const std::string& name, std::int64_t n_results, std::int64_t n_moved,
                 const F& f, const Peer& peer, double tolerance = 1e-3) {
  if (!table.wants(name)) return;
  std::vector<R> theirs(static_cast<std::size_t>(n_results));
  decltype(f()) result;
  const auto ours = [&] { result = {}, result = f(); };
  const auto by_hand = [&] { peer(theirs.data()); };
  ours(), by_hand();
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double a = static_cast<double>(result.data()[i]), b = static_cast<double>(theirs[i]);
    if (std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
    fmt::print(stderr, "{}: element {} is {}, not {}\n", name, i, a, b);
    std::exit(1);
  }
  const std::vector<float> from(static_cast<std::size_t>(n_moved), 1.f);
  std::vector<float> to(from.size());
  table.add(name, ours, by_hand, [&] { copy_all({1, n_moved, from.data(), nullptr}, to.data()); });
}

}  // namespace bench
