// Sorters of elements that are keys and values.
#include <algorithm>
#include <random>

#include "everywhere.h"

namespace fulgurite {

struct Particle {
  float distance;
  std::int64_t id;
  bool operator==(const Particle&) const = default;
};

namespace {

namespace k = kernel;
using k::Pull;

template <class T, class Key>
Pull<T> tsort_by(const Key& key, Pull<T> a) {
  const auto low = k::min_by(key);
  const auto high = k::max_by(key);
  for (int n = 1; n <= k::log2(a.size()); ++n) {
    a = k::sync(k::vee(n - 1, low, high, a));
    for (int i = n - 2; i >= 0; --i) a = k::sync(k::ilv(i, low, high, a));
  }
  return a;
}
template <class T, class Key>
Pull<T> vsort_by(const Key& key, Pull<T> a) {
  const int n = k::log2(a.size());
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= i; ++j) a = k::sync(k::ilv_vee(n - i, i - j, k::min_by(key), k::max_by(key), a));
  return a;
}

// Blocks of n are sorted by their keys, and hold the elements that they held.
template <class T, class Key, class Sorter>
void expect_sorted(std::int64_t n, const std::vector<T>& xs, const Key& key, const Sorter& sorter) {
  const auto by_key = [&](const T& a, const T& b) { return key(a) < key(b); };
  test::on_every_engine(
      [&](const auto& result) {
        std::vector<T> found(result.begin(), result.end()), given = xs;
        ASSERT_EQ(found.size(), given.size());
        for (std::int64_t at = 0; at < static_cast<std::int64_t>(xs.size()); at += n) {
          const auto begin = found.begin() + at, end = begin + n;
          EXPECT_TRUE(std::is_sorted(begin, end, by_key));
          EXPECT_TRUE(std::is_permutation(begin, end, given.begin() + at));
        }
      },
      k::kernel("sorter", k::block<T>(n), sorter), xs);
}

using Pair = std::pair<std::int32_t, std::int32_t>;

TEST(KeyValue, PairsAreSortedByTheFirst) {
  std::mt19937 random(1);
  std::vector<Pair> xs;
  for (int i = 0; i < 3 * 64; ++i) xs.emplace_back(static_cast<int>(random() % 40), i);
  const auto staged = [](Exp<Pair> p) { return p.get<0>(); };
  const auto key = [](const Pair& p) { return p.first; };
  expect_sorted(64, xs, key, [=](Pull<Pair> a) { return vsort_by(staged, a); });
  expect_sorted(64, xs, key, [=](Pull<Pair> a) { return tsort_by(staged, a); });
}

TEST(KeyValue, StructsAreSortedByAMember) {
  std::mt19937 random(2);
  std::vector<Particle> xs;
  for (int i = 0; i < 2 * 32; ++i) xs.push_back({static_cast<float>(random() % 20) / 4, i});
  expect_sorted(
      32, xs, [](const Particle& p) { return p.distance; },
      [](Pull<Particle> a) { return vsort_by([](Exp<Particle> p) { return p.get<0>(); }, a); });
}

TEST(KeyValue, AKeyIsComputed) {
  std::vector<int> xs;
  for (int i = 0; i < 128; ++i) xs.push_back(i * 37 % 128 - 64);
  expect_sorted(
      128, xs, [](int x) { return std::abs(x); },
      [](Pull<int> a) { return vsort_by([](Exp<int> x) { return abs(x); }, a); });
}

// As many stages as of keys alone, still without conditions, each component in two arrays in turn.
TEST(KeyValue, CostsWhatItsComponentsDo) {
  const auto kernel = k::kernel("sorter", k::block<Pair>(256), [](Pull<Pair> a) {
    return vsort_by([](Exp<Pair> p) { return p.get<0>(); }, a);
  });
  EXPECT_EQ(k::depth(kernel), 36);
  const std::string ir = k::to_ir(kernel);
  EXPECT_EQ(ir.find("if "), ir.npos);
  const k::Traffic t = k::traffic(kernel, std::vector<Pair>(1024));
  EXPECT_EQ(t.shared_bytes, 4 * 256 * 4);
  EXPECT_EQ(t.bytes, t.least_bytes);
  EXPECT_EQ(t.transactions, t.least_transactions);
}

}  // namespace
}  // namespace fulgurite
