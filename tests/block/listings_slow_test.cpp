// Each listing of the papers, at the size that its text is printed for, on every engine, against plain C++.
#include <algorithm>
#include <numeric>
#include <random>

#include "everywhere.h"
#include "programs.h"

namespace fulgurite {
namespace {

using namespace papers;
using Ints = std::vector<int>;

constexpr std::int64_t blocks = 5;

Ints numbers(std::int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  Ints xs(static_cast<std::size_t>(n));
  for (int& x : xs) x = static_cast<int>(random() % 1000) - 300;
  return xs;
}

/// `prepare` makes what each block expects, `plain` what it gives.
template <class F>
void expect_listing(
    std::int64_t n, const F& f, const std::function<Ints(Ints)>& plain,
    const std::function<void(Ints&)>& prepare = [](Ints&) {}) {
  Ints xs, expected;
  const Ints drawn = numbers(n * blocks);
  for (auto at = drawn.begin(); at != drawn.end(); at += n) {
    Ints block(at, at + n);
    prepare(block);
    xs.insert(xs.end(), block.begin(), block.end());
    const Ints made = plain(block);
    expected.insert(expected.end(), made.begin(), made.end());
  }
  test::expect_everywhere(expected, k::kernel("listing", k::block<int>(n), f), xs);
}

Ints sorted(Ints xs) {
  std::ranges::sort(xs);
  return xs;
}
Ints summed(const Ints& xs) {
  return {std::accumulate(xs.begin(), xs.end(), 0)};
}
Ints scanned(Ints xs) {
  std::inclusive_scan(xs.begin(), xs.end(), xs.begin());
  return xs;
}
Ints twice_and_one(Ints xs) {
  for (int& x : xs) x = x * 2 + 1;
  return xs;
}

void sort_halves(Ints& xs) {
  const auto middle = xs.begin() + static_cast<std::ptrdiff_t>(xs.size() / 2);
  std::sort(xs.begin(), middle);
  std::sort(middle, xs.end());
}
void make_bitonic(Ints& xs) {
  sort_halves(xs);
  std::reverse(xs.begin() + static_cast<std::ptrdiff_t>(xs.size() / 2), xs.end());
}
void sort_evens_and_odds(Ints& xs) {
  Ints parts[2];
  for (std::size_t i = 0; i < xs.size(); ++i) parts[i % 2].push_back(xs[i]);
  for (Ints& part : parts) std::ranges::sort(part);
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = parts[i % 2][i / 2];
}

TEST(Listings, SlowMapsReductionsScans) {
  expect_listing(32, map_fusion, twice_and_one);
  expect_listing(32, map_unfused, twice_and_one);
  expect_listing(8, pair_sum, summed);
  expect_listing(8, tree_sum, summed);
  expect_listing(8, reduce_s, summed);
  expect_listing(8, scan_add, scanned);
  expect_listing(8, scan_add_2, scanned);
  expect_listing(64, scan_add, scanned);
  expect_listing(256, rev_add, [](Ints xs) {
    std::ranges::reverse(xs);
    for (int& x : xs) ++x;
    return xs;
  });
}

TEST(Listings, SlowTwoArraysThatBecomeOne) {
  const auto check = [](std::int64_t n, const auto& f, bool zipped) {
    const Ints a = numbers(n * blocks), b = sorted(a);
    Ints expected;
    for (std::size_t block = 0; block < blocks; ++block)
      for (std::size_t i = 0; i < 2 * static_cast<std::size_t>(n); ++i) {
        const auto size = static_cast<std::size_t>(n);
        const Ints& from = (zipped ? i % 2 : i / size) == 0 ? a : b;
        expected.push_back(from[block * size + (zipped ? i / 2 : i % size)]);
      }
    test::expect_everywhere(expected, k::kernel("listing", k::block<int>(n), k::block<int>(n), f), a, b);
  };
  check(16, cat_arrays, false);
  check(16, cat_arrays_p, false);
  check(32, zip_unpair, true);
  check(32, zip_unpair_p, true);
}

TEST(Listings, SlowMergers) {
  expect_listing(16, [](Pull<int> a) { return bmerge(4, a); }, sorted, make_bitonic);
  expect_listing(16, [](Pull<int> a) { return bmerge_2(4, a); }, sorted, make_bitonic);
  expect_listing(16, [](Pull<int> a) { return tmerge(4, a); }, sorted, sort_halves);
  expect_listing(16, [](Pull<int> a) { return tmerge_2(4, a); }, sorted, sort_halves);
  expect_listing(16, [](Pull<int> a) { return bpmerge_2(4, a); }, sorted, sort_evens_and_odds);
}

TEST(Listings, SlowSorters) {
  for (const auto& f : {tsort_1, tsort_2, vsort_1, vsort, vsort_r, periodic}) expect_listing(16, f, sorted);
}

}  // namespace
}  // namespace fulgurite
