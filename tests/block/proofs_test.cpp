// What memory does not show: elements of results that nothing writes, and indices outside of pull arrays that
// are parts of larger ones. The emulator finds them; a number is refused while the kernel is recorded.
#include "everywhere.h"
#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Pull, k::Push;
using test::expect_says, test::numbers, test::refusal;

constexpr std::int64_t n = 64;

template <class K, class... Arguments>
std::string found(const K& kernel, const Arguments&... arguments) {
  return refusal<KernelError>([&] { k::execute(emulator(3), kernel, arguments...); });
}
std::string here(unsigned line) {
  return "proofs_test.cpp:" + std::to_string(line);
}

TEST(Proofs, PushArraysThatLeaveHolesInAResult) {
  const auto spread = [](bool to_all) {
    return [=](Pull<int> a) {
      return Push<int>(2 * n, [=](const Push<int>::Write& write) {
        k::par(n, [&](Index i) {
          write(2 * i, a[i]);
          if (to_all) write(2 * i + 1, a[i]);
        });
      });
    };
  };
  EXPECT_NO_THROW(k::execute(emulator(), k::kernel("all", k::block<int>(n), spread(true)), numbers(2 * n)));
  const unsigned line = __LINE__ + 1;
  const auto holes = k::kernel("holes", k::block<int>(n), spread(false));
  expect_says(found(holes, numbers(2 * n)), here(line));
  expect_says(found(holes, numbers(2 * n)), "nothing writes 'result0'[1], which has 256 elements");
}

TEST(Proofs, ResultsThatAreWrittenUnderACondition) {
  const auto positive = k::kernel("positive", k::block<int>(n), [](Pull<int> a) {
    return Push<int>(n, [=](const Push<int>::Write& write) {
      k::par(n, [&](Index i) { k::when(a[i] > 0, [&] { write(i, a[i]); }); });
    });
  });
  EXPECT_NO_THROW(k::execute(emulator(), positive, std::vector<int>(n, 3)));
  std::vector<int> xs(2 * n, 3);
  xs[100] = -1;
  expect_says(found(positive, xs), "nothing writes 'result0'[100], which has 128 elements");
}

TEST(Proofs, TilesThatAreNotAllOfAResult) {
  const auto by_tiles = [](std::int64_t fewer) {
    return k::kernel("tiles", k::whole<int>(), [=](k::Whole<int> a) {
      const k::Tiles tiles(32, a.size() / 32 - fewer, [](Index i) { return k::block_number() * 32 + i; });
      return k::tiled(a.size(), tiles, k::tile(a, tiles));
    });
  };
  EXPECT_NO_THROW(k::execute(emulator(), by_tiles(0), numbers(128)));
  expect_says(found(by_tiles(1), numbers(128)), "nothing writes 'result0'[96], which has 128 elements");
  expect_says(found(by_tiles(4), numbers(128)), "nothing writes 'result0'[0], which has 128 elements");
}

TEST(Proofs, WhatAResultWasBeforeIsNoHole) {
  const auto updated = k::kernel("updated", k::updated<int>(), [](k::Updated<int> a) {
    const k::Tiles first(8, 1, [](Index i) { return i; });
    return k::update(a, first, k::map([](Exp<int> x) { return x + 1; }, k::tile(a, first)));
  });
  EXPECT_EQ(k::execute(emulator(), updated, numbers(64))[9], numbers(64)[9]);
  const auto counts = k::kernel("counts", k::block<int>(n), [](Pull<int> a) {
    return k::accumulate(plus, 10, 7, k::map([](Exp<int> x) { return x * 0 + 3; }, a), a);
  });
  EXPECT_EQ(k::execute(emulator(), counts, numbers(n))[0], 7);
}

TEST(Proofs, IndicesOutsideOfAPart) {
  // All of these read what another part has.
  unsigned line = 0;
  const auto of_half = [&](const auto& index) {
    return k::kernel("of_half", k::block<int>(n), [&line, index](Pull<int> a) {
      const auto [low, high] = k::halve(a);
      line = __LINE__ + 1;
      return Pull<int>(n / 2, [=, part = low](const Index& i) { return part[index(a, i)]; });
    });
  };
  EXPECT_NO_THROW(k::execute(emulator(), of_half([](auto&, Index i) { return i; }), numbers(n)));
  const std::string said = "of a pull array, which has 32 elements";
  const auto next = of_half([](auto&, Index i) { return i + 1; });
  expect_says(found(next, numbers(n)), "reads element 32 " + said);
  expect_says(found(next, numbers(n)), here(line));
  expect_says(found(of_half([](auto&, Index i) { return i * 2; }), numbers(n)), "reads element 32 " + said);
  const auto by_data = of_half([](const Pull<int>& a, Index i) { return cast<std::int64_t>(a[i]); });
  EXPECT_NO_THROW(k::execute(emulator(), by_data, std::vector<int>(n, 31)));
  expect_says(found(by_data, std::vector<int>(n, 33)), "reads element 33 " + said);
  const auto of_scalar =
      k::kernel("of_scalar", k::block<int>(n), k::scalar<std::int64_t>(), [](Pull<int> a, Index by) {
        const auto [low, high] = k::halve(k::sync(a));
        return Pull<int>(1, [=, part = high](const Index&) { return part[by]; });
      });
  EXPECT_NO_THROW(k::execute(emulator(), of_scalar, numbers(n), 31));
  expect_says(found(of_scalar, numbers(n), std::int64_t{-1}), "reads element -1 " + said);
}

TEST(Proofs, ConditionsKeepIndicesInRange) {
  const auto shifted = [](bool is_kept) {
    return k::kernel("shifted", k::block<int>(n), [=](Pull<int> a) {
      const auto [low, high] = k::halve(a);
      return Pull<int>(n / 2, [=, part = low](const Index& i) {
        const auto next = [=] { return part[i + 1]; };
        return is_kept ? cond(i + 1 < n / 2, next, Exp<int>(0)) : select(i + 1 < n / 2, next(), Exp<int>(0));
      });
    });
  };
  EXPECT_NO_THROW(k::execute(emulator(), shifted(true), numbers(n)));
  expect_says(found(shifted(false), numbers(n)), "reads element 32 of a pull array");
  const auto in_loops = k::kernel("in_loops", k::block<int>(n), [](Pull<int> a) {
    return k::map([](Exp<int> x) { return x; }, Pull<int>(n, [=](const Index& i) {
                    return iterate(i, [&](Index j, Exp<int> s) { return s + a[n - 1 - j]; }, 0);
                  }));
  });
  EXPECT_NO_THROW(k::execute(emulator(), in_loops, numbers(n)));
}

TEST(Proofs, NumbersOutsideOfAnArrayAreRefused) {
  unsigned line = 0;
  const auto reading = [&](std::int64_t at) {
    return [&, at] {
      k::kernel("reading", k::block<int>(n), [&](Pull<int> a) {
        const auto [low, high] = k::halve(a);
        line = __LINE__ + 1;
        const Exp<int> one = low[at];
        return k::map([=](Exp<int> x) { return x + one; }, a);
      });
    };
  };
  EXPECT_NO_THROW(reading(31)());
  for (const std::int64_t at : {32, 64, -1}) {
    const std::string message = refusal<IndexError>(reading(at));
    expect_says(message, here(line));
    expect_says(message, "element " + std::to_string(at) + " of a pull array is read, which has 32 elements");
  }
}

TEST(Proofs, TrafficIsWhatTheKernelMoves) {
  // Looking whether indices are in range costs nothing that is counted.
  const auto kernel = [](bool by_data) {
    return k::kernel("moved", k::block<int>(n), [=](Pull<int> a) {
      return Pull<int>(
          n, [=](const Index& i) { return by_data ? a[cast<std::int64_t>(a[i]) & (n - 1)] : a[i]; });
    });
  };
  EXPECT_EQ(k::traffic(kernel(false), numbers(n)).bytes, 2 * 4 * n);
  EXPECT_EQ(k::traffic(kernel(true), numbers(n)).bytes, 3 * 4 * n);
}

}  // namespace
}  // namespace fulgurite
