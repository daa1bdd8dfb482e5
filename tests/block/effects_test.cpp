// What a kernel does in branches and loops besides computing: writes, atomic changes, syncs. They happen
// where the branch is taken and as often as the loop goes round, for each thread by itself, on every engine.
#include <algorithm>
#include <numeric>

#include "everywhere.h"
#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Level, k::Pull, k::Push;
using test::expect_everywhere, test::expect_says, test::numbers, test::refusal;
using Ints = std::vector<int>;

constexpr std::int64_t n = 64;  // elements of a block

/// A kernel of blocks of n ints whose result is `size` elements, pushed by f(write, a, i) of each instance i.
template <class F>
auto pushing(std::int64_t size, const F& f, std::int64_t instances = n) {
  return k::kernel("pushing", k::block<int>(n), [=](Pull<int> a) {
    return Push<int>(
        size, [=](const Push<int>::Write& write) { k::par(instances, [&](Index i) { f(write, a, i); }); });
  });
}
/// What f(write, a, i) of plain C++ writes, block by block.
template <class F>
Ints plainly(const Ints& xs, std::int64_t size, const F& f, std::int64_t instances = n) {
  Ints all;
  for (auto at = xs.begin(); at != xs.end(); at += n) {
    Ints block(static_cast<std::size_t>(size), -1);
    const Ints a(at, at + n);
    for (std::int64_t i = 0; i < instances; ++i)
      f([&](std::int64_t place, int x) { block.at(static_cast<std::size_t>(place)) = x; }, a, i);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}
int at(const Ints& a, std::int64_t i) {
  return a[static_cast<std::size_t>(i)];
}

TEST(Effects, WritesInBothBranchesOfACondition) {
  const auto staged = [](const auto& write, const Pull<int>& a, const Index& i) {
    cond(
        a[i] % 2 == 0, [&] { return write(2 * i, a[i]), write(2 * i + 1, -a[i]), Exp<int>(0); },
        [&] { return write(2 * i + 1, a[i] * 3), write(2 * i, Exp<int>(7)), Exp<int>(1); });
  };
  const auto plain = [](const auto& write, const Ints& a, std::int64_t i) {
    const int x = at(a, i);
    write(2 * i, x % 2 == 0 ? x : 7), write(2 * i + 1, x % 2 == 0 ? -x : x * 3);
  };
  expect_everywhere(plainly(numbers(3 * n), 2 * n, plain), pushing(2 * n, staged), numbers(3 * n));
}

TEST(Effects, WritesInOneBranchAndWhatBothGive) {
  // The branch writes the partner's place, and its value is used after it.
  const auto staged = [](const auto& write, const Pull<int>& a, const Index& i) {
    const Exp<int> which = cond(
        a[i] < a[i + n / 2], [&] { return write(i, a[i]), a[i] + 1; },
        [&] { return write(i, a[i + n / 2]), a[i + n / 2] * 2; });
    write(i + n / 2, which);
  };
  const auto plain = [](const auto& write, const Ints& a, std::int64_t i) {
    const int x = at(a, i), y = at(a, i + n / 2);
    write(i, std::min(x, y)), write(i + n / 2, x < y ? x + 1 : y * 2);
  };
  expect_everywhere(plainly(numbers(2 * n), n, plain, n / 2), pushing(n, staged, n / 2), numbers(2 * n));
}

TEST(Effects, WhenInWhenInLoops) {
  const auto staged = [](const auto& write, const Pull<int>& a, const Index& i) {
    k::loop(0, 4, [&](const Index& j) {
      const Index place = 4 * i + j;
      k::when(a[i] % 2 == 0, [&] {
        k::when(cast<int>(j) < a[i] % 4, [&] { write(place, a[i] + cast<int>(j)); });
        k::when(cast<int>(j) >= a[i] % 4, [&] { write(place, -cast<int>(j)); });
      });
      k::when(a[i] % 2 != 0, [&] { write(place, a[i]); });
    });
  };
  const auto plain = [](const auto& write, const Ints& a, std::int64_t i) {
    for (int j = 0; j < 4; ++j) {
      const int x = at(a, i);
      write(4 * i + j, x % 2 != 0 ? x : j < x % 4 ? x + j : -j);
    }
  };
  expect_everywhere(plainly(numbers(2 * n), 4 * n, plain), pushing(4 * n, staged), numbers(2 * n));
}

TEST(Effects, WritesInLoopsThatThreadsLeaveAtDifferentTimes) {
  // Element by element, a[i] % 5 of them one thing and the others another.
  const auto staged = [](const auto& write, const Pull<int>& a, const Index& i) {
    const Index few = cast<std::int64_t>(a[i] % 5);
    const Exp<int> last = iterate(
        few,
        [&](Index j, Exp<int> s) {
          write(5 * i + j, s);
          return s * 3 + a[0];
        },
        a[i]);
    while_loop([&](Index j, Exp<int>) { return j < 5; },
               [&](Index j, Exp<int> s) {
                 k::when(s % 2 == 0, [&] { write(5 * i + j, s); });
                 k::when(s % 2 != 0, [&] { write(5 * i + j, Exp<int>(-1)); });
                 return std::tuple{j + 1, s + 1};
               },
               few, last);
  };
  const auto plain = [](const auto& write, const Ints& a, std::int64_t i) {
    int s = at(a, i);
    std::int64_t j = 0;
    for (; j < at(a, i) % 5; ++j) write(5 * i + j, s), s = s * 3 + a[0];
    for (; j < 5; ++j, ++s) write(5 * i + j, s % 2 == 0 ? s : -1);
  };
  expect_everywhere(plainly(numbers(2 * n, 211), 5 * n, plain), pushing(5 * n, staged), numbers(2 * n, 211));
}

TEST(Effects, ReadsOfWhatTheLoopWrites) {
  // The element that a round writes is that which the next one reads, in an array of the thread.
  const auto staged = [](const auto& write, const Pull<int>& a, const Index& i) {
    const Exp<int> sum = iterate(
        3,
        [&](Index j, Exp<int> s) {
          const Pull<int> both = k::sync(k::push<Level::thread>(
              Pull<int>(2, [=](const Index& e) { return s + cast<int>(e + j) + a[i]; })));
          return both[0] + both[1] * 2;
        },
        1);
    write(i, sum);
  };
  const auto plain = [](const auto& write, const Ints& a, std::int64_t i) {
    int s = 1;
    for (int j = 0; j < 3; ++j) s = (s + j + at(a, i)) + (s + 1 + j + at(a, i)) * 2;
    write(i, s);
  };
  expect_everywhere(plainly(numbers(2 * n), n, plain), pushing(n, staged), numbers(2 * n));
}

TEST(Effects, ReadsInLoopsThatDoNotGoRound) {
  // No element is read where the loop has no round: a read that stands in it does not leave it. One that
  // stands before it does not come into it.
  const auto kernel =
      k::kernel("reads", k::block<int>(n), k::whole<int>(), [](Pull<int> a, k::Whole<int> table) {
        return Push<int>(n, [=](const Push<int>::Write& write) {
          k::par(n, [&](Index i) {
            const Exp<int> before = a[i];
            const Index trips = cast<std::int64_t>(a[i] % 3);
            const Index start = select(trips == 0, Index(1) << 40, trips);
            write(i, iterate(trips, [&](Index, Exp<int> s) { return s * before + table[start]; }, 1));
          });
        });
      });
  const Ints xs = numbers(2 * n), table{10, 20, 30};
  Ints expected;
  for (int x : xs) {
    unsigned s = 1;
    for (int j = 0; j < x % 3; ++j)
      s = s * static_cast<unsigned>(x) + static_cast<unsigned>(table[static_cast<std::size_t>(x % 3)]);
    expected.push_back(static_cast<int>(s));
  }
  expect_everywhere(expected, kernel, xs, table);
  const std::string text = k::to_ir(kernel);
  EXPECT_LT(text.find("= input0["), text.find("for ")) << text;
  EXPECT_GT(text.find("= input1["), text.find("for ")) << text;
}

TEST(Effects, AtomicsInBranchesAndLoops) {
  const auto counts = k::kernel("counts", k::block<int>(n), [](Pull<int> a) {
    return k::Accumulated<int>(plus, 6, 0, [=](const k::Accumulated<int>::Change& change) {
      k::par(n, [&](Index i) {
        cond(a[i] % 3 == 0, [&] { return change(0, a[i]); }, [&] { return Exp<int>(0); });
        k::when(a[i] % 3 == 1, [&] {
          // As often as a[i] % 4 says; what an element was before decides, too.
          iterate(
              cast<std::int64_t>(a[i] % 4), [&](Index j, Exp<int> s) { return s + change(1 + j, 1) * 0; }, 0);
        });
        while_loop([&](Exp<int> s) { return s % 4 != 0; },
                   [&](Exp<int> s) {
                     change(5, s);
                     return s + 1;
                   },
                   a[i]);
      });
    });
  });
  const Ints xs = numbers(3 * n, 97);
  Ints all(6, 0);
  for (int x : xs) {
    if (x % 3 == 0) all[0] += x;
    if (x % 3 == 1)
      for (int j = 0; j < x % 4; ++j) ++all[static_cast<std::size_t>(1 + j)];
    for (int s = x; s % 4 != 0; ++s) all[5] += s;
  }
  expect_everywhere(all, counts, xs);
}

TEST(Effects, BlocksBranchAndSync) {
  // A branch of the whole block: only one of the two reductions is computed.
  const auto kernel = k::kernel("either", k::block<int>(n), k::scalar<int>(), [](Pull<int> a, Exp<int> how) {
    const Exp<int> joined = cond(
        how > 0, [&] { return k::tree_reduce(plus, a)[0]; },
        [&] {
          return cond(how == 0, [&] { return k::tree_reduce(max, a)[0]; }, [] { return Exp<int>(-5); });
        });
    return k::map([=](Exp<int> x) { return x + joined; }, a);
  });
  const Ints xs = numbers(2 * n);
  for (const int how : {1, 0, -1}) {
    SCOPED_TRACE(how);
    Ints expected = xs;
    for (std::size_t b = 0; b < 2; ++b) {
      const auto first = expected.begin() + static_cast<std::ptrdiff_t>(b * n), last = first + n;
      const int joined = how > 0    ? std::accumulate(first, last, 0)
                         : how == 0 ? *std::max_element(first, last)
                                    : -5;
      std::for_each(first, last, [&](int& x) { x += joined; });
    }
    expect_everywhere(expected, kernel, xs, how);
  }
}

TEST(Effects, BlocksLoopAndSync) {
  // Each round's array lies where the last one's did; what a round found decides about the next.
  const auto counted =
      k::kernel("rounds", k::block<int>(n), k::scalar<std::int64_t>(), [](Pull<int> a, Index rounds) {
        const Exp<int> sum = iterate(
            rounds,
            [=](Index j, Exp<int> s) {
              const Pull<int> shifted =
                  k::sync(k::map([=](Exp<int> x) { return x % 7 + s + cast<int>(j); }, a));
              return shifted[0] * 3 + shifted[n - 1] + k::reverse(shifted)[1];
            },
            1);
        return k::map([=](Exp<int> x) { return x + sum; }, a);
      });
  const auto searched = k::kernel("search", k::block<int>(n), [](Pull<int> a) {
    // Halves the range of a[0] % n by sums of what is below it.
    const auto [low, high] = while_loop(
        [](Exp<int> from, Exp<int> to) { return to - from > 1; },
        [=](Exp<int> from, Exp<int> to) {
          const Exp<int> middle = (from + to) / 2;
          const Pull<int> below = k::sync(k::map([=](Exp<int> x) { return cast<int>(x < middle); }, a));
          const Exp<int> count = k::tree_reduce(plus, below)[0];
          return std::tuple{select(count <= 32, middle, from), select(count <= 32, to, middle)};
        },
        0, 20000);
    return Pull<int>(2, [=](const Index& i) { return select(i == 0, low, high); });
  });
  const Ints xs = numbers(2 * n);
  for (const std::int64_t rounds : {0, 1, 5}) {
    Ints expected = xs;
    for (std::size_t b = 0; b < 2; ++b) {
      int s = 1;
      const Ints a(xs.begin() + static_cast<std::ptrdiff_t>(b * n),
                   xs.begin() + static_cast<std::ptrdiff_t>((b + 1) * n));
      for (int j = 0; j < rounds; ++j) {
        const auto of = [&](int x) { return x % 7 + s + j; };
        s = of(a[0]) * 3 + of(a[n - 1]) + of(a[n - 2]);
      }
      for (std::size_t i = 0; i < n; ++i) expected[b * n + i] += s;
    }
    expect_everywhere(expected, counted, xs, rounds);
  }
  Ints expected;
  for (std::size_t b = 0; b < 2; ++b) {
    int from = 0, to = 20000;
    while (to - from > 1) {
      const int middle = (from + to) / 2;
      const auto count = std::count_if(xs.begin() + static_cast<std::ptrdiff_t>(b * n),
                                       xs.begin() + static_cast<std::ptrdiff_t>((b + 1) * n),
                                       [&](int x) { return x < middle; });
      (count <= 32 ? from : to) = middle;
    }
    expected.insert(expected.end(), {from, to});
  }
  expect_everywhere(expected, searched, xs);
}

TEST(Effects, ArraysOfOneBranchStayWhileTheOtherOnesBarriersAreNotMet) {
  // Threads that read what the first branch has synced meet no barrier before the next array is written.
  const auto kernel =
      k::kernel("branches", k::block<int>(n), k::scalar<int>(), [](Pull<int> a, Exp<int> how) {
        const Exp<int> found = cond(
            how > 0, [&] { return k::sync(k::reverse(a))[0]; },
            [&] {
              const Pull<int> other = k::sync(k::reverse(a));
              return k::sync(k::map([](Exp<int> x) { return x * 2; }, k::reverse(other)))[0];
            });
        return k::reverse(k::sync(k::map([=](Exp<int> x) { return x + found; }, a)));
      });
  const Ints xs = numbers(2 * n);
  for (const int how : {0, 1}) {
    Ints expected;
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t i = 0; i < n; ++i)
        expected.push_back(xs[b * n + n - 1 - i] + (how > 0 ? xs[b * n + n - 1] : xs[b * n] * 2));
    expect_everywhere(expected, kernel, xs, how);
  }
}

TEST(Effects, ThreadsDoNotSyncInWhatOneOfThemDecides) {
  unsigned line = 0;
  const auto message = refusal<TraceError>([&] {
    pushing(n, [&](const auto& write, const Pull<int>& a, const Index& i) {
      k::when(a[i] > 0, [&] {
        line = __LINE__ + 1;
        write(i, k::sync(a)[i]);
      });
    });
  });
  expect_says(message, "effects_test.cpp:" + std::to_string(line));
  expect_says(message, "sync outside of par(), or sync a push array of level thread");
}

TEST(Effects, WhatIsDecidedWhileRecordingLeavesNoBranch) {
  const auto kernel = pushing(n, [](const auto& write, const Pull<int>& a, const Index& i) {
    k::when(true, [&] { write(i, a[i]); });
    k::when(false, [&] { write(i, a[i] * 2); });
    write(i, cond(Exp<bool>(true), [&] { return a[i]; }, [&] { return a[i] * 2; }));
  });
  EXPECT_EQ(k::to_ir(kernel).find("if "), std::string::npos) << k::to_ir(kernel);
}

}  // namespace
}  // namespace fulgurite
