// Arrays that a launch is given and that a kernel writes to where its data say: elements, places from
// atomics, reads of what was written.
#include <algorithm>
#include <numeric>

#include "everywhere.h"
#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Pull, k::Updated;
using test::expect_says, test::numbers, test::on_every_engine, test::refusal;
using Ints = std::vector<int>;

auto odd_ones() {
  return k::kernel("odd_ones", k::block<int>(64, 0), k::updated<int>(), k::updated<int>(),
                   [](Pull<int> a, Updated<int> out, Updated<int> counter) {
                     k::par(a.size(), [&](Index i) {
                       k::when(a[i] % 2 != 0, [&] { out.write(k::atomic_add(counter, 1), a[i]); });
                     });
                     return std::tuple(out, counter);
                   });
}
Ints odd_of(const Ints& xs) {
  Ints odd;
  std::ranges::copy_if(xs, std::back_inserter(odd), [](int x) { return x % 2 != 0; });
  std::ranges::sort(odd);
  return odd;
}

TEST(Written, ElementsFindPlacesByAtomics) {
  const Ints xs = numbers(300);
  const Ints expected = odd_of(xs);
  on_every_engine(
      [&](const auto& results) {
        const auto& [out, counter] = results;
        ASSERT_EQ(counter[0], static_cast<int>(expected.size()));
        Ints kept = out.to_vector();
        EXPECT_TRUE(std::all_of(kept.begin() + counter[0], kept.end(), [](int x) { return x == -7; }));
        kept.resize(expected.size());
        std::ranges::sort(kept);
        EXPECT_EQ(kept, expected);
      },
      odd_ones(), xs, Ints(300, -7), Ints{0});
}

TEST(Written, NothingWhereThereIsNoElement) {
  const Ints xs(200, 1);
  on_every_engine(
      [&](const auto& results) {
        const auto& [out, counter] = results;
        EXPECT_EQ(out.to_vector(), Ints(10, 1));
        EXPECT_EQ(counter[0], 200);
      },
      odd_ones(), xs, Ints(10, 0), Ints{0});
}

TEST(Written, ReadsGiveWhatIsThereWhenTheyAreMade) {
  const auto kernel =
      k::kernel("swapped", k::block<int>(32), k::updated<int>(), [](Pull<int> a, Updated<int> to) {
        k::par(16, [&](Index t) {
          const Index low = k::block_number() * 32 + 2 * t, high = low + 1;
          const Exp<int> before = to[low];
          to.write(low, to[high] + a[0]);
          to.write(high, before * 2);
          k::when(to[low] > to[high], [&] { to.write(low, to[low] - to[high]); });
        });
        return to;
      });
  const Ints xs = numbers(96), ys = numbers(96, 31);
  Ints expected = ys;
  for (std::size_t i = 0; i < 96; i += 2) {
    const int before = expected[i];
    expected[i] = expected[i + 1] + xs[i / 32 * 32];
    expected[i + 1] = before * 2;
    if (expected[i] > expected[i + 1]) expected[i] -= expected[i + 1];
  }
  on_every_engine([&](const auto& result) { EXPECT_EQ(result.to_vector(), expected); }, kernel, xs, ys);
}

TEST(Written, OfManyComponentsInLoops) {
  using Both = std::pair<int, float>;
  const auto kernel = k::kernel("pairs", k::block<int>(16), k::updated<Both>(), k::updated<int>(),
                                [](Pull<int> a, Updated<Both> out, Updated<int> most) {
                                  k::par(16, [&](Index i) {
                                    iterate(
                                        cast<std::int64_t>(a[i] % 3),
                                        [&](Index j, Exp<int> s) {
                                          const Index at = (k::block_number() * 16 + i) * 3 + j;
                                          out.write(at, make<Both>(s, cast<float>(s) / 2));
                                          k::atomic(max, most, 0, s);
                                          return s + 1;
                                        },
                                        a[i]);
                                  });
                                  return std::tuple(out, most);
                                });
  const Ints xs = numbers(48, 100);
  std::vector<Both> expected(144, Both{-1, 0.5f});
  int most = -1;
  for (std::size_t i = 0; i < xs.size(); ++i)
    for (int j = 0; j < xs[i] % 3; ++j) {
      const int s = xs[i] + j;
      expected[i * 3 + static_cast<std::size_t>(j)] = {s, static_cast<float>(s) / 2};
      most = std::max(most, s);
    }
  on_every_engine(
      [&](const auto& results) {
        const auto& [out, found] = results;
        EXPECT_EQ(found[0], most);
        EXPECT_EQ(out.to_vector(), expected);
      },
      kernel, xs, std::vector<Both>(144, Both{-1, 0.5f}), Ints{-1});
}

TEST(Written, InAProgram) {
  const auto kernel = odd_ones();
  const auto program = [=](Vec<int> xs) {
    const auto [out, counter] = k::call(kernel, xs, replicate(xs.size(), 0), replicate(1, 0));
    return std::tuple{sum(out), counter[0]};
  };
  const Ints xs = numbers(1000);
  const Ints odd = odd_of(xs);
  for (const Engine engine : {Engine::cpu, Engine::interpreter}) {
    const auto [total, count] = compile(program, {.engine = engine})(xs);
    EXPECT_EQ(total, std::accumulate(odd.begin(), odd.end(), 0));
    EXPECT_EQ(count, static_cast<int>(odd.size()));
  }
}

TEST(Written, ByThreadsOnly) {
  unsigned line = 0;
  const auto message = refusal<TraceError>([&] {
    line = __LINE__ + 1;
    k::kernel("outside", k::block<int>(16), k::updated<int>(), [](Pull<int>, Updated<int> to) {
      to.write(Index(0), Exp<int>(1));
      return to;
    });
  });
  expect_says(message, "written_test.cpp:" + std::to_string(line));
  expect_says(message, "outside of par()");
}

TEST(Written, TwiceIsARace) {
  const auto kernel =
      k::kernel("twice", k::block<int>(64), k::updated<int>(), [](Pull<int> a, Updated<int> to) {
        k::par(64, [&](Index i) { k::when(a[i] > 3, [&] { to.write(i % 32, a[i]); }); });
        return to;
      });
  expect_says(refusal<KernelError>([&] { k::execute(emulator(), kernel, Ints(64, 4), Ints(64)); }),
              "data race");
  EXPECT_NO_THROW(k::execute(emulator(), kernel, Ints(64, 3), Ints(64)));
}

}  // namespace
}  // namespace fulgurite
