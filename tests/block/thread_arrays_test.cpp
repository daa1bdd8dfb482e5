// Arrays of one thread: each instance has elements of its own, at places that are known when the kernel is
// made or not, on every engine and for every number of lanes.
#include <algorithm>

#include "block/block_kernel.h"
#include "emit/dialect.h"
#include "emit/printer.h"
#include "everywhere.h"
#include "refusals.h"
#include "tidy/passes.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Level, k::Pull, k::Push;
using test::expect_everywhere, test::expect_says, test::numbers, test::refusal;

template <class T>
Pull<T> own(std::int64_t n, const typename Pull<T>::At& at) {
  return k::sync(k::push<Level::thread>(Pull<T>(n, at)));
}

/// A kernel of blocks of n, of which f(a, i) is each element.
template <class T = int, class F>
auto by_thread(std::int64_t n, const F& f) {
  return k::kernel("by_thread", k::block<T>(n), [=](Pull<T> a) {
    return Push<T>(
        n, [=](const typename Push<T>::Write& write) { k::par(n, [&](Index i) { write(i, f(a, i)); }); });
  });
}
template <class T, class F>
std::vector<T> of_each(const std::vector<T>& xs, const F& f) {
  std::vector<T> ys;
  for (T x : xs) ys.push_back(f(x));
  return ys;
}

TEST(ThreadArrays, HoldUnequalValuesInEachThread) {
  const auto staged = [](const Pull<int>& a, const Index& i) {
    const Pull<int> mine = own<int>(4, [=](const Index& j) { return a[i] * 10 + cast<int>(j); });
    return mine[0] + 2 * mine[1] + 3 * mine[2] + 5 * mine[3];
  };
  const auto plain = [](int x) { return (x * 10) * 11 + 2 + 6 + 15; };
  for (const std::int64_t n : {1, 3, 16, 37}) {
    SCOPED_TRACE(n);
    expect_everywhere(of_each(numbers(2 * n), plain), by_thread(n, staged), numbers(2 * n));
  }
}

TEST(ThreadArrays, AreIndexedByData) {
  const auto staged = [](const Pull<int>& a, const Index& i) {
    const Pull<int> mine = own<int>(5, [=](const Index& j) { return a[i] - 3 * cast<int>(j); });
    const Index at = cast<std::int64_t>(a[i] % 5);
    return mine[at] * 7 + mine[4 - at];
  };
  const auto plain = [](int x) { return (x - 3 * (x % 5)) * 7 + x - 3 * (4 - x % 5); };
  for (const std::int64_t n : {16, 50})
    expect_everywhere(of_each(numbers(2 * n), plain), by_thread(n, staged), numbers(2 * n));
}

TEST(ThreadArrays, AreIndexedByLoopsAndByTheThread) {
  const auto staged = [](const Pull<int>& a, const Index& i) {
    const Pull<int> mine = own<int>(8, [=](const Index& j) { return a[i] ^ cast<int>(j * j); });
    return iterate(8, [&](Index j, Exp<int> s) { return s * 3 + mine[(j + i) % 8]; }, 0);
  };
  const std::int64_t n = 40;
  const std::vector<int> xs = numbers(2 * n);
  std::vector<int> expected;
  for (std::size_t at = 0; at < xs.size(); ++at) {
    const auto i = static_cast<int>(at % n);
    unsigned s = 0;
    for (int j = 0; j < 8; ++j) s = s * 3 + static_cast<unsigned>(xs[at] ^ ((j + i) % 8 * ((j + i) % 8)));
    expected.push_back(static_cast<int>(s));
  }
  expect_everywhere(expected, by_thread(n, staged), xs);
}

TEST(ThreadArrays, AreWrittenInBranchesAndLoops) {
  // Counts of the digits of a number, and a second array that is made only where they say so.
  const auto staged = [](const Pull<int>& a, const Index& i) {
    const Pull<int> digits = k::sync(Push<int, Level::thread>(6, [=](const auto& write) {
      iterate(
          6,
          [&](Index j, Exp<int> rest) {
            cond(
                rest % 2 == 0, [&] { return write(j, rest % 10), Exp<int>(0); },
                [&] { return write(j, -(rest % 10)), Exp<int>(0); });
            return rest / 10;
          },
          a[i]);
    }));
    return cond(
        digits[0] > 0,
        [&] {
          const Pull<int> twice = own<int>(6, [=](const Index& j) { return digits[5 - j] * 2; });
          return twice[cast<std::int64_t>(a[i] % 6)] + twice[5];
        },
        [&] { return digits[0] * 100 + digits[1]; });
  };
  const auto plain = [](int x) {
    int digits[6], rest = x;
    for (int& d : digits) d = rest % 2 == 0 ? rest % 10 : -(rest % 10), rest /= 10;
    return digits[0] > 0 ? digits[5 - x % 6] * 2 + digits[0] * 2 : digits[0] * 100 + digits[1];
  };
  for (const std::int64_t n : {24}) {
    const std::vector<int> xs = numbers(3 * n, 99991);
    expect_everywhere(of_each(xs, plain), by_thread(n, staged), xs);
  }
}

TEST(ThreadArrays, OfWideAndOfNarrowElements) {
  const auto wide = [](const Pull<double>& a, const Index& i) {
    const Pull<double> mine = own<double>(3, [=](const Index& j) { return a[i] * cast<double>(j + 1); });
    return mine[cast<std::int64_t>(a[i]) % 3] - mine[1];
  };
  std::vector<double> xs, expected;
  for (int i = 0; i < 40; ++i)
    xs.push_back(i * 5 % 17),
        expected.push_back(xs.back() * (static_cast<int>(xs.back()) % 3 + 1) - 2 * xs.back());
  expect_everywhere(expected, by_thread<double>(20, wide), xs);

  using Both = std::pair<bool, std::int8_t>;
  const auto narrow = [](const Pull<int>& a, const Index& i) {
    const Pull<Both> mine = k::sync(k::push<Level::thread>(Pull<Both>(4, [=](const Index& j) {
      return make<Both>((a[i] >> cast<int>(j) & 1) != 0, cast<std::int8_t>(a[i] % 50 + cast<int>(j)));
    })));
    const Exp<Both> one = mine[cast<std::int64_t>(a[i] % 4)];
    return select(one.template get<0>(), cast<int>(one.template get<1>()), -1);
  };
  const auto plain = [](int x) { return (x >> x % 4 & 1) != 0 ? x % 50 + x % 4 : -1; };
  expect_everywhere(of_each(numbers(66), plain), by_thread(33, narrow), numbers(66));
}

TEST(ThreadArrays, InComponents) {
  // The thread's array is not dealt to the component's groups, as an array of the block is.
  const auto kernel = k::kernel("parts", k::block<int>(32), [](Pull<int> a) {
    return k::two_k(
        2,
        [](Pull<int> part) {
          return k::sync(Push<int>(part.size(), [=](const Push<int>::Write& write) {
            k::par(part.size(), [&](Index i) {
              const Pull<int> mine = own<int>(3, [=](const Index& j) { return part[i] - cast<int>(j); });
              write(i, mine[cast<std::int64_t>(part[i] % 3)]);
            });
          }));
        },
        a);
  });
  expect_everywhere(of_each(numbers(64), [](int x) { return x - x % 3; }), kernel, numbers(64));
}

TEST(ThreadArrays, BesideAtomics) {
  // Which make a loop over single instances on a CPU.
  const auto kernel = k::kernel("sums", k::block<int>(48), [](Pull<int> a) {
    return k::Accumulated<int>(plus, 4, 0, [=](const k::Accumulated<int>::Change& change) {
      k::par(48, [&](Index i) {
        const Pull<int> mine = own<int>(4, [=](const Index& j) { return a[i] + cast<int>(j); });
        const Index at = cast<std::int64_t>(a[i] % 4);
        k::when(mine[at] > 50, [&] { change(at, mine[at]); });
      });
    });
  });
  const std::vector<int> xs = numbers(96, 101);
  std::vector<int> expected(4, 0);
  for (int x : xs)
    if (x + x % 4 > 50) expected[static_cast<std::size_t>(x % 4)] += x + x % 4;
  expect_everywhere(expected, kernel, xs);
}

// For vectors of each width: element e of lane l is at e * lanes + l.
TEST(ThreadArrays, HaveAPlaceForEachLane) {
  const auto recorded = by_thread(64, [](const Pull<int>& a, const Index& i) {
    const Pull<int> mine = own<int>(3, [=](const Index& j) { return a[i] + cast<int>(j); });
    return mine[cast<std::int64_t>(a[i] % 3)];
  });
  for (const int bytes : {16, 32, 64}) {
    const std::string text = emit::print_phases(
        tidy::run(tidy::Route::user_on_cpu, recorded.get().ir, {.vector_bytes = bytes}), emit::c);
    const std::string size = "[" + std::to_string(3 * bytes / 8) + "]";  // lanes of i64
    EXPECT_TRUE(text.find("[" + std::to_string(3 * bytes / 4) + "]") != text.npos ||
                text.find(size) != text.npos)
        << text;
  }
}

TEST(ThreadArrays, AreSmall) {
  const auto message = refusal<ShapeError>([] {
    by_thread(8, [](const Pull<int>& a, const Index& i) {
      return own<int>(1 << 20, [=](const Index&) { return a[i]; })[0];
    });
  });
  expect_says(message, "an array of one thread takes 4194304 bytes");
}

}  // namespace
}  // namespace fulgurite
