// Kernels over tiles of whole arrays: what is dealt to the blocks of a launch, in place and to new arrays, on
// all engines.
#include <fulgurite/kernel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../runtime/pocl.h"
#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index;
using k::Pull;
using k::Push;
using test::expect_says, test::refusal;

std::vector<int> random_ints(std::size_t n) {
  std::mt19937 random(7);
  std::vector<int> xs(n);
  for (int& x : xs) x = static_cast<int>(random() % 1000);
  return xs;
}

template <class F>
void on_all_engines(F&& check) {
  runtime::test::prepare_pocl();
  check(cpu());
  check(opencl());
  for (std::uint64_t seed = 0; seed < 20; ++seed) check(emulator(seed));
}

// One column of comparators, `stride` apart, as a whole array has it.
std::vector<int> compared(std::vector<int> xs, std::size_t stride) {
  for (std::size_t i = 0; i < xs.size(); ++i)
    if ((i & stride) == 0 && xs[i] > xs[i + stride]) std::swap(xs[i], xs[i + stride]);
  return xs;
}
std::vector<int> compared_mirrored(std::vector<int> xs, std::size_t run) {
  for (std::size_t first = 0; first < xs.size(); first += run)
    for (std::size_t i = 0; i < run / 2; ++i)
      if (xs[first + i] > xs[first + run - 1 - i]) std::swap(xs[first + i], xs[first + run - 1 - i]);
  return xs;
}

TEST(Tiles, RowsThatAreApartAreComparedInPlace) {
  const auto swap =
      k::kernel("i_swap", k::updated<int>(), k::scalar<std::int64_t>(), [](k::Updated<int> a, Index stride) {
        const k::Tiles rows = k::rows_apart(a.size(), 2, 32, stride);
        return k::update(a, rows, k::ilv(5, min, max, k::tile(a, rows)));
      });
  const std::vector<int> xs = random_ints(1024);
  on_all_engines([&](k::Runner engine) {
    for (const std::int64_t stride : {32, 64, 128, 256, 512})
      EXPECT_EQ(k::execute(engine, swap, xs, stride).to_vector(),
                compared(xs, static_cast<std::size_t>(stride)));
  });
}

TEST(Tiles, MirroredRowsMeetFromBothEnds) {
  const auto swap =
      k::kernel("v_swap", k::updated<int>(), k::scalar<std::int64_t>(), [](k::Updated<int> a, Index stride) {
        const k::Tiles rows = k::rows_apart(a.size(), 4, 16, stride, k::Upper::mirrored);
        const auto meet = [](std::vector<Exp<int>> x) {
          return std::vector<Exp<int>>{min(x[0], x[3]), min(x[1], x[2]), max(x[1], x[2]), max(x[0], x[3])};
        };
        return k::update(a, rows, k::ilv_k(4, 2, meet, k::tile(a, rows)));
      });
  const std::vector<int> xs = random_ints(512);
  on_all_engines([&](k::Runner engine) {
    for (const std::int64_t stride : {16, 32, 64, 128})
      EXPECT_EQ(k::execute(engine, swap, xs, stride).to_vector(),
                compared_mirrored(xs, static_cast<std::size_t>(4 * stride)));
  });
}

TEST(Tiles, NewArraysOfAnySize) {
  const auto twice = k::kernel("twice", k::whole<int>(), [](k::Whole<int> a) {
    const k::Tiles to = k::neighbours(a.size() * 2, 8);
    return k::tiled(a.size() * 2, to, Pull<int>(8, [=](Index i) { return a[to.place(i) / 2]; }));
  });
  const auto halves = k::kernel("halves", k::whole<float>(), [](k::Whole<float> a) {
    const k::Tiles from = k::neighbours(a.size(), 16), to = k::neighbours(a.size() / 2, 8);
    const auto [low, high] = k::halve(k::tile(a, from));
    return std::tuple{k::tiled(a.size() / 2, to, low), k::tiled(a.size() / 2, to, high)};
  });
  on_all_engines([&](k::Runner engine) {
    const std::vector<int> xs = random_ints(64);
    const std::vector<int> doubled = k::execute(engine, twice, xs).to_vector();
    ASSERT_EQ(doubled.size(), 128u);
    for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(doubled[i], xs[i / 2]);
    EXPECT_EQ(k::execute(engine, twice, std::vector<int>()).size(), 0);

    std::vector<float> ys(64);
    for (std::size_t i = 0; i < 64; ++i) ys[i] = static_cast<float>(i);
    const auto [low, high] = k::execute(engine, halves, ys);
    EXPECT_EQ(low[8], 16.0f);
    EXPECT_EQ(high[8], 24.0f);
    EXPECT_EQ(low.size(), 32);
  });
}

TEST(Tiles, UpdatesKeepWhatIsInNoTile) {
  const auto raise =
      k::kernel("raise", k::updated<std::pair<int, double>>(), k::scalar<int>(),
                [](k::Updated<std::pair<int, double>> a, Exp<int> by) {
                  const k::Tiles first(4, a.size() / 8, [](Index i) { return k::block_number() * 8 + i; });
                  const auto raised = k::map(
                      [by](Exp<std::pair<int, double>> x) {
                        return make<std::pair<int, double>>(x.get<0>() + by, x.get<1>());
                      },
                      k::tile(a, first));
                  return k::update(a, first, raised);
                });
  std::vector<std::pair<int, double>> xs(24, {1, 0.5});
  on_all_engines([&](k::Runner engine) {
    const auto result = k::execute(engine, raise, xs, 10);
    for (std::int64_t i = 0; i < 24; ++i) {
      EXPECT_EQ((std::pair<int, double>(result[i])).first, i % 8 < 4 ? 11 : 1);
      EXPECT_EQ((std::pair<int, double>(result[i])).second, 0.5);
    }
  });
  EXPECT_EQ(xs[0].first, 1);  // the argument stays
}

TEST(Tiles, LaunchesThatMakeNoSenseAreRefused) {
  const auto swap =
      k::kernel("i_swap", k::updated<int>(), k::scalar<std::int64_t>(), [](k::Updated<int> a, Index stride) {
        const k::Tiles rows = k::rows_apart(a.size(), 2, 32, stride);
        return k::update(a, rows, k::ilv(5, min, max, k::tile(a, rows)));
      });
  const std::vector<int> xs(96);
  expect_says(refusal([&] { k::execute(cpu(), swap, xs, 32); }),
              "ShapeError: an array of 96 elements is no tiles of 2 rows that are 32 apart");
  expect_says(refusal([&] { k::execute(cpu(), swap, xs, 0); }),
              "rows of 32 neighbours cannot be 0 elements apart");
  expect_says(refusal([&] { k::execute(cpu(), swap, xs, 48); }), "cannot be 48 elements apart");
  expect_says(refusal([&] { k::execute(cpu(), swap, xs, std::int64_t{1} << 62); }),
              "cannot be 4611686018427387904 elements apart");
  expect_says(refusal([&] { k::execute(cpu(), swap, xs, -32); }), "cannot be -32 elements apart");

  expect_says(refusal([] {
                k::kernel("it", k::updated<int>(), k::block<int>(4),
                          [](k::Updated<int>, Pull<int> b) { return b; });
              }),
              "argument 1 of kernel 'it' is updated, so one of its results is update() of it: there are 0");
  expect_says(refusal([] {
                k::kernel("it", k::whole<int>(),
                          [](k::Whole<int> a) { return Pull<int>(4, [a](Index i) { return a[i]; }); });
              }),
              "nothing before it says how many blocks there are");
  expect_says(refusal([] {
                k::kernel("it", k::whole<std::int64_t>(), [](k::Whole<std::int64_t> a) {
                  const k::Tiles tiles(4, a[0], [](Index i) { return i; });
                  return k::tiled(a.size(), tiles, k::tile(a, tiles));
                });
              }),
              "the number of blocks of kernel 'it' is known before it runs");
  expect_says(refusal([] {
                k::kernel("it", k::whole<int>(), [](k::Whole<int> a) {
                  const k::Tiles tiles = k::neighbours(a.size(), 4);
                  return k::tiled(a.size(), tiles, k::even(k::tile(a, tiles)));
                });
              }),
              "a tile of 4 elements cannot take 2");
  const auto two = k::kernel("two", k::whole<int>(), k::block<int>(4), [](k::Whole<int> a, Pull<int> b) {
    return k::tiled(a.size(), k::neighbours(a.size(), 4), b);
  });
  expect_says(refusal([&] { k::execute(cpu(), two, xs, std::vector<int>(4)); }),
              "result 1 of kernel 'two' has 24 blocks, what is before it 1");
}

// Tiles that overlap: two blocks write what one of them reads.
TEST(Tiles, BlocksThatMeetAreARace) {
  const auto meet = k::kernel("meet", k::updated<int>(), [](k::Updated<int> a) {
    const k::Tiles tiles(4, a.size() / 4, [](Index i) { return k::block_number() * 3 + i; });
    return k::update(a, tiles, k::tile(a, tiles));
  });
  EXPECT_THROW(k::execute(emulator(), meet, std::vector<int>(16)), KernelError);
}

}  // namespace
}  // namespace fulgurite
