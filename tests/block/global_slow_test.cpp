// Arrays of a block in global memory.
#include <algorithm>
#include <numeric>

#include "everywhere.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Pull, k::Push;
using test::numbers, test::expect_everywhere;

std::vector<int> reversed(std::vector<int> xs, std::int64_t n) {
  for (auto at = xs.begin(); at != xs.end(); at += n) std::reverse(at, at + n);
  return xs;
}

TEST(ToGlobal, IsWhatSyncIsInOtherMemory) {
  const auto kernel =
      k::kernel("turned", k::block<int>(64), [](Pull<int> a) { return k::to_global(k::reverse(a)); });
  const std::vector<int> xs = numbers(64 * 5);
  expect_everywhere(reversed(xs, 64), kernel, xs);
  const auto merger = k::kernel("merger", k::block<int>(128), [](Pull<int> a) {
    for (int i = 6; i >= 0; --i) a = k::to_global(k::ilv(i, min, max, a));
    return a;
  });
  std::vector<int> ys = numbers(512), expected;
  for (auto at = ys.begin(); at != ys.end(); at += 128) {
    std::sort(at, at + 64);
    std::sort(at + 64, at + 128, std::greater());
  }
  expected = ys;
  for (auto at = expected.begin(); at != expected.end(); at += 128) std::sort(at, at + 128);
  expect_everywhere(expected, merger, ys);
  EXPECT_EQ(k::traffic(merger, ys).shared_bytes, 0);
}

TEST(ToGlobal, ArraysOfSeveralTypesBesideSharedOnes) {
  using Pair = std::pair<double, std::int16_t>;
  const auto kernel = k::kernel("mixed", k::block<int>(96), [](Pull<int> a) {
    const Pull<Pair> pairs = k::to_global(k::map(
        [](Exp<int> x) { return make<Pair>(cast<double>(x) / 2, cast<std::int16_t>(x)); }, k::reverse(a)));
    const Pull<int> shared = k::sync(k::map([](Exp<int> x) { return x + 1; }, k::reverse(a)));
    const Pull<double> turned =
        k::to_global(k::reverse(k::map([](Exp<Pair> p) { return p.get<0>(); }, pairs)));
    return k::zip_with([](Exp<int> s, Exp<double> t) { return s + cast<int>(t * 2); }, shared, turned);
  });
  const std::vector<int> xs = numbers(96 * 4);
  std::vector<int> expected = reversed(xs, 96);
  for (std::size_t i = 0; i < xs.size(); ++i) expected[i] += 1 + xs[i];
  expect_everywhere(expected, kernel, xs);
}

// Two arrays that are in use at a time take two slices, however many there are.
TEST(ToGlobal, ArraysShareMemoryWhereTheirLivesDoNotMeet) {
  const auto kernel = k::kernel("chain", k::block<int>(64), [](Pull<int> a) {
    for (int i = 0; i < 9; ++i) a = k::to_global(k::reverse(a));
    return a;
  });
  const std::string ir = k::to_ir(kernel);
  EXPECT_NE(ir.find("out scratch: i32[]"), ir.npos) << ir;
  EXPECT_NE(ir.find("bid * 128"), ir.npos) << ir;
  const std::vector<int> xs = numbers(64 * 3);
  expect_everywhere(reversed(xs, 64), kernel, xs);
}

TEST(ToGlobal, ForMoreThanThreadsShare) {
  const std::int64_t n = 20000;
  const auto kernel = k::kernel("large", k::block<int>(n), [](Pull<int> a) {
    return k::reverse(k::to_global(k::map([](Exp<int> x) { return x * 2; }, k::reverse(a))));
  });
  const std::vector<int> xs = numbers(2 * n);
  std::vector<int> expected = xs;
  for (int& x : expected) x *= 2;
  EXPECT_EQ(k::execute(cpu(), kernel, xs).to_vector(), expected);
  EXPECT_EQ(k::execute(emulator(), kernel, xs).to_vector(), expected);
}

TEST(ToGlobal, InLoopsAndParts) {
  const auto kernel = k::kernel("it", k::block<int>(64), k::scalar<std::int64_t>(), [](Pull<int> a, Index n) {
    const auto turned = [](Pull<int> part) { return k::to_global(k::reverse(part)); };
    return k::iterate(n, [=](Pull<int> x) { return k::two(turned, x); }, a);
  });
  const std::vector<int> xs = numbers(64 * 3);
  expect_everywhere(reversed(xs, 32), kernel, xs, std::int64_t{3});
}

const auto& turned_kernel() {
  static const auto kernel =
      k::kernel("turned", k::block<int>(64), [](Pull<int> a) { return k::to_global(k::reverse(a)); });
  return kernel;
}
Exp<int> total(Vec<int> xs) {
  return sum(map([](Exp<int> x, Exp<int> y) { return x * y; }, k::call(turned_kernel(), xs), xs));
}

TEST(ToGlobal, InArrayPrograms) {
  const std::vector<int> xs = [] {
    std::vector<int> small = numbers(256);
    for (int& x : small) x %= 10;
    return small;
  }();
  const std::vector<int> turned = reversed(xs, 64);
  const int expected = std::inner_product(xs.begin(), xs.end(), turned.begin(), 0);
  for (const Engine engine : {Engine::cpu, Engine::interpreter})
    EXPECT_EQ(compile(total, Options{.engine = engine})(xs), expected);
}

}  // namespace
}  // namespace fulgurite
