// Push arrays whose elements are written under conditions, and of which the kernel counts how many there are.
#include <algorithm>
#include <numeric>

#include "../emit/nvrtc.h"
#include "everywhere.h"
#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Pull, k::Push;
using test::expect_everywhere, test::expect_says, test::numbers, test::refusal;
using Ints = std::vector<int>;

const auto is_odd = [](Exp<int> x) { return x % 2 != 0; };
bool is_odd_number(int x) {
  return x % 2 != 0;
}
constexpr std::int64_t n = 64;  // elements of a block

// The elements that are kept, block by block, with `fill` after them; and how many they are.
struct Blocks {
  Ints elements;
  std::vector<std::int64_t> sizes;
};
template <class Keeps>
Blocks kept_of(const Ints& xs, const Keeps& keeps, int fill, std::int64_t block = n) {
  Blocks all;
  for (auto at = xs.begin(); at != xs.end(); at += block) {
    const auto before = static_cast<std::ptrdiff_t>(all.elements.size());
    std::copy_if(at, at + block, std::back_inserter(all.elements), keeps);
    all.sizes.push_back(static_cast<std::ptrdiff_t>(all.elements.size()) - before);
    all.elements.resize(static_cast<std::size_t>(before + block), fill);
  }
  return all;
}
template <class K>
void expect_blocks(const Blocks& expected, const K& kernel, const Ints& xs) {
  test::on_every_engine(
      [&](const auto& result) {
        EXPECT_EQ(std::get<0>(result).to_vector(), expected.elements);
        EXPECT_EQ(std::get<1>(result).to_vector(), expected.sizes);
      },
      kernel, xs);
}
auto filled_and_size(const k::Kept<int>& kept) {
  return std::tuple(k::filled(-1, kept), k::size_of(kept));
}

TEST(Kept, SlowAFilterKeepsTheOrder) {
  const auto kernel = k::kernel("filter", k::block<int>(n),
                                [](Pull<int> a) { return filled_and_size(k::filter(is_odd, a)); });
  const Ints xs = numbers(5 * n);
  expect_blocks(kept_of(xs, is_odd_number, -1), kernel, xs);
  const Ints none(static_cast<std::size_t>(n), 2), all(static_cast<std::size_t>(n), 3);
  for (const Ints& same : {none, all})
    EXPECT_EQ(std::get<1>(k::execute(emulator(1), kernel, same))[0], same == all ? n : 0);
}

TEST(Kept, SlowFiltersOfFiltersAndOfPushArrays) {
  const auto thirds = [](Exp<int> x) { return x % 3 == 0; };
  const auto kernel = k::kernel("twice", k::block<int>(n), [=](Pull<int> a) {
    const k::Kept<int> odd = k::filter(is_odd, k::push(a));
    const k::Kept<int> both = k::filter(thirds, k::sync(odd));
    return filled_and_size(k::map([](Exp<int> x) { return x + 1; }, both));
  });
  const Ints xs = numbers(3 * n);
  Blocks expected = kept_of(xs, [](int x) { return x % 2 != 0 && x % 3 == 0; }, -2);
  for (int& x : expected.elements) ++x;
  expect_blocks(expected, kernel, xs);
}

// Threads beyond the size, which the kernel computes, have nothing to do.
TEST(Kept, SlowWhatIsSyncedIsReadUpToItsSize) {
  const auto kernel = k::kernel("sums", k::block<int>(n), [](Pull<int> a) {
    const k::Prefix<int> odd = k::sync(k::filter(is_odd, a));
    const Pull<int> sum(1, [=](const Index&) {
      return iterate(odd.size(), [=](Index i, Exp<int> all) { return all + odd[i]; }, Exp<int>(0));
    });
    return sum;
  });
  const Ints xs = numbers(3 * n, 1000);
  Ints expected;
  for (auto at = xs.begin(); at != xs.end(); at += n)
    expected.push_back(
        std::accumulate(at, at + n, 0, [](int sum, int x) { return is_odd_number(x) ? sum + x : sum; }));
  expect_everywhere(expected, kernel, xs);
  const auto behind = k::kernel("behind", k::block<int>(n), [](Pull<int> a) {
    const k::Prefix<int> odd = k::sync(k::filter(is_odd, a));
    return Pull<int>(1, [=](const Index&) { return odd[odd.size()]; });
  });
  EXPECT_THROW(k::execute(emulator(), behind, xs), KernelError);
}

// In parts of a block each part has a size of its own.
TEST(Kept, SlowPartsOfABlockKeepTheirOwn) {
  const auto of_part = [](Pull<int> part) { return k::filled(-1, k::filter(is_odd, part)); };
  const auto kernel =
      k::kernel("parts", k::block<int>(n), [=](Pull<int> a) { return k::two_k(2, of_part, a); });
  const Ints xs = numbers(3 * n);
  expect_everywhere(kept_of(xs, is_odd_number, -1, n / 4).elements, kernel, xs);
}

// All blocks' elements one after the other: each block takes places by one atomic operation.
TEST(Kept, SlowBlocksAppendTheirElements) {
  const auto kernel = k::kernel("append", k::block<int>(n, 0), k::updated<int>(), k::updated<int>(),
                                [](Pull<int> a, k::Updated<int> out, k::Updated<int> taken) {
                                  k::append(out, taken, k::filter(is_odd, a));
                                  return std::tuple(out, taken);
                                });
  const std::string ir = k::to_ir(kernel);
  EXPECT_EQ(ir.find("atomic"), ir.rfind("atomic")) << ir;
  const Ints xs = numbers(7 * n - 5);
  Ints expected;
  std::ranges::copy_if(xs, std::back_inserter(expected), is_odd_number);
  std::ranges::sort(expected);
  test::on_every_engine(
      [&](const auto& result) {
        const auto size = static_cast<std::size_t>(std::get<1>(result)[0]);
        ASSERT_EQ(size, expected.size());
        Ints found = std::get<0>(result).to_vector();
        found.resize(size);
        std::ranges::sort(found);  // blocks came in any order
        EXPECT_EQ(found, expected);
      },
      kernel, xs, Ints(xs.size()), Ints{0});
}

// Haskell's filter over an array of any size, as a program of kernels: blocks count, a scan says where each
// begins, and blocks write there.
Vec<int> odd_ones(Vec<int> xs) {
  const auto count =
      k::kernel("count", k::block<int>(n, 0), [](Pull<int> a) { return k::size_of(k::filter(is_odd, a)); });
  const auto write = k::kernel("write", k::block<int>(n, 0), k::block<std::int64_t>(1), k::updated<int>(),
                               [](Pull<int> a, Pull<std::int64_t> begin, k::Updated<int> out) {
                                 k::write_at(begin[0], out, k::filter(is_odd, a));
                                 return out;
                               });
  const auto [begins, size] = scan_with_total(plus, 0, k::call(count, xs));
  return take(k::call(write, xs, begins, replicate(xs.size(), 0)), size);
}
TEST(Kept, SlowAFilterOfAWholeArray) {
  for (const std::int64_t size : {0, 1, 64, 1000, 4096}) {
    const Ints xs = numbers(size);
    Ints expected;
    std::ranges::copy_if(xs, std::back_inserter(expected), is_odd_number);
    EXPECT_EQ(compile(odd_ones)(xs).to_vector(), expected) << size;
    EXPECT_EQ(compile(odd_ones, {.engine = Engine::interpreter})(xs).to_vector(), expected) << size;
    if (size == 1000 && test::has_opencl()) {
      EXPECT_EQ(compile(odd_ones, {.engine = Engine::opencl})(xs).to_vector(), expected);
    }
  }
}

// A push array of the user's, whose writes conditions guard: each pair of neighbours leaves its larger one,
// unless they are equal, at the place that a scan gives it.
TEST(Kept, SlowConditionalPushesOfAUser) {
  const auto larger = [](Pull<int> a) {
    const auto differ = [a](Index i) { return a[2 * i] != a[2 * i + 1]; };
    const Pull<int> flags(a.size() / 2, [=](Index i) { return cast<int>(differ(i)); });
    const Pull<int> ends = k::sklansky(plus, k::sync(flags));
    return k::Kept<int>(
        flags.size(), [=] { return cast<std::int64_t>(ends[ends.size() - 1]); },
        [=](const k::Kept<int>::Write& write) {
          k::par(flags.size(), [&](Index i) {
            k::when(differ(i), [&] { write(cast<std::int64_t>(ends[i]) - 1, max(a[2 * i], a[2 * i + 1])); });
          });
        });
  };
  const auto kernel =
      k::kernel("larger", k::block<int>(n), [=](Pull<int> a) { return filled_and_size(larger(a)); });
  const Ints xs = numbers(4 * n, 3);
  Blocks expected;
  for (auto at = xs.begin(); at != xs.end(); at += n) {
    const std::size_t before = expected.elements.size();
    for (auto pair = at; pair != at + n; pair += 2)
      if (pair[0] != pair[1]) expected.elements.push_back(std::max(pair[0], pair[1]));
    expected.sizes.push_back(static_cast<std::int64_t>(expected.elements.size() - before));
    expected.elements.resize(before + n / 2, -1);
  }
  expect_blocks(expected, kernel, xs);
}

TEST(Kept, SlowNvrtcCompilesIt) {
  const test::Nvrtc nvrtc;
  if (!nvrtc.is_there()) GTEST_SKIP() << "there is no libnvrtc.so";
  const auto kernel = k::kernel("append", k::block<int>(256, 0), k::updated<int>(), k::updated<int>(),
                                [](Pull<int> a, k::Updated<int> out, k::Updated<int> taken) {
                                  k::append(out, taken, k::filter(is_odd, a));
                                  return std::tuple(out, taken);
                                });
  const test::Nvrtc::Result result = nvrtc(k::to_cuda(kernel), "sm_90");
  EXPECT_TRUE(result.is_compiled) << result.log << k::to_cuda(kernel);
}

}  // namespace
}  // namespace fulgurite
