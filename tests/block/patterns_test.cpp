// Patterns that say how indices and networks are built, beside their own definition on the host.
#include <fulgurite/kernel.h>
#include <gtest/gtest.h>

#include <numeric>

namespace fulgurite::test {
namespace {

namespace k = kernel;

constexpr std::int64_t n = 64;

std::vector<int> numbers() {
  std::vector<int> xs(n);
  std::iota(xs.begin(), xs.end(), 0);
  return xs;
}
template <class F>
std::vector<int> made_by(const F& f) {
  return k::execute(emulator(1), k::kernel("made", k::block<int>(n), f), numbers()).to_vector();
}
/// What the index `at` computes of 0 to 31 or 63.
template <class F>
void expect_indices(const F& at, const std::function<std::int64_t(std::int64_t)>& of_host) {
  const std::vector<int> found =
      made_by([&](k::Pull<int> a) { return k::Pull<int>(n, [=](k::Index i) { return a[at(i & 31)]; }); });
  for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], of_host(i & 31)) << i;
}

TEST(Patterns, BitsOfIndices) {
  EXPECT_EQ(k::one_bits(0), 0);
  EXPECT_EQ(k::one_bits(3), 7);
  expect_indices([](k::Index i) { return k::insert_zero(2, i); },
                 [](std::int64_t i) { return ((i >> 2) << 3) | (i & 3); });
  expect_indices([](k::Index i) { return k::flip_bit(4, i); }, [](std::int64_t i) { return i ^ 16; });
  expect_indices([](k::Index i) { return k::flip_bits_from(1, 2, i); },
                 [](std::int64_t i) { return i ^ 14; });
}

// Six riffles of 64 elements bring each back to its place.
TEST(Patterns, RepeatedRiffles) {
  const auto riffled = [](int times) {
    return made_by([=](k::Pull<int> a) {
      return k::rep(times, [](const k::Pull<int>& x) { return k::sync(k::riffle(x)); }, a);
    });
  };
  EXPECT_EQ(riffled(6), numbers());
  EXPECT_EQ(riffled(1)[1], 32);
}

TEST(Patterns, MoreSharedMemoryThanTheEmulatorIsToldOf) {
  EXPECT_EQ(emulator(1).shared_bytes, k::default_shared_bytes);
  const auto turned = k::kernel("turned", k::block<int>(n),
                                [](k::Pull<int> a) { return k::reverse(k::sync(k::reverse(k::sync(a)))); });
  EXPECT_EQ(k::execute(emulator(1, 8 * n), turned, numbers()).to_vector(), numbers());
  EXPECT_THROW(k::execute(emulator(1, 4 * n - 1), turned, numbers()), Error);
}

}  // namespace
}  // namespace fulgurite::test
