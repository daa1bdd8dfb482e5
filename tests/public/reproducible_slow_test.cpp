// The same bits on every run and for any number of threads, over enough chunks that the combination of
// partial results counts, with operators whose bits another chunking would change. The number of threads is
// read once in a process, so each number has its own: this executable again, with one test.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <string_view>

#include "engines.h"

namespace {

struct Affine {
  float scale, shift;
};

constexpr std::size_t n = 1'500'001;  // 92 chunks of 16384

std::vector<float> floats() {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> draw(-1.f, 1.f);
  std::vector<float> xs(n);
  for (float& x : xs) x = draw(random) * std::exp2(static_cast<float>(random() % 20));
  return xs;
}

class Digest {
 public:
  template <class T>
  void add(const T& value) {
    if constexpr (std::is_same_v<T, float>)
      mix(std::bit_cast<std::uint32_t>(value));
    else
      mix(static_cast<std::uint64_t>(value));
  }
  // Hashed as bytes by the C++ library, which is optimised as tests are not.
  template <class T>
  void add(const fg::Array<T, 1>& array) {
    const std::vector<T> values = array.to_vector();
    mix(std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}));
  }
  std::uint64_t value() const { return value_; }

 private:
  void mix(std::uint64_t bits) { value_ = (value_ ^ bits) * 0x9e3779b97f4a7c15u + (value_ >> 29); }
  std::uint64_t value_ = 1;
};

Exp<Affine> compose(Exp<Affine> f, Exp<Affine> g) {
  auto [a, b] = f;
  auto [c, d] = g;
  return fg::make<Affine>(c * a, c * b + d);
}

// What each program gives, as a digest; run so many times.
std::map<std::string, std::function<std::uint64_t()>> programs() {
  static const std::vector<float> xs = floats();
  static const std::vector<int> bins = [] {
    std::vector<int> b(n);
    for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<int>(i * 7919 % 1009);
    return b;
  }();
  std::map<std::string, std::function<std::uint64_t()>> all;
  all["sum"] = [f = fg::compile([](Vec<float> x) { return fg::sum(x); })] {
    Digest d;
    d.add(f(xs));
    return d.value();
  };
  all["composition"] = [f = fg::compile([](Vec<float> x) {
                          auto lift = [](Exp<float> v) { return fg::make<Affine>(fg::sin(v), v); };
                          auto [scale, shift] = fg::reduce(compose, Affine{1, 0}, fg::map(lift, x));
                          return std::tuple{scale, shift};
                        })] {
    Digest d;
    auto [scale, shift] = f(xs);
    d.add(scale);
    d.add(shift);
    return d.value();
  };
  all["scan"] = [f = fg::compile([](Vec<float> x) {
                   auto s = fg::scan(fg::plus, 0.f, x);
                   return std::tuple{s, fg::max(s), fg::sum(x)};
                 })] {
    Digest d;
    auto [s, most, total] = f(xs);
    d.add(s);
    d.add(most);
    d.add(total);
    return d.value();
  };
  all["histogram"] =
      [f = fg::compile([](Vec<int> b, Vec<float> x) { return fg::histogram(fg::plus, 0.f, 1009, b, x); })] {
        Digest d;
        d.add(f(bins, xs));
        return d.value();
      };
  all["columns"] = [f = fg::compile([](fg::Mat<float> m) {
                      auto lift = [](Exp<float> v) { return fg::make<Affine>(fg::sin(v), v); };
                      auto [scale, shift] =
                          fg::unzip(fg::reduce(compose, Affine{1, 0}, fg::map(lift, m), fg::axis(0)));
                      return std::tuple{fg::sum(m, fg::axis(0)), scale, shift};
                    })] {
    Digest d;
    for (std::int64_t columns : {16, 1000}) {
      const auto rows = static_cast<std::int64_t>(n) / columns;
      const std::vector<float> of_rows(xs.begin(), xs.begin() + rows * columns);
      auto [sums, scale, shift] = f(fg::Array<float, 2>(of_rows, {rows, columns}));
      d.add(sums);
      d.add(scale);
      d.add(shift);
    }
    return d.value();
  };
  all["product"] = [f = fg::compile([](fg::Mat<float> a, fg::Mat<float> b) { return fg::matmul(a, b); })] {
    Digest d;
    for (std::int64_t k : {37, 600, 5000}) {
      const std::vector<float> a(xs.begin(), xs.begin() + 131 * k), b(xs.end() - 150 * k, xs.end());
      for (float x : f(fg::Array<float, 2>(a, {131, k}), fg::Array<float, 2>(b, {k, 150})).to_vector())
        d.add(x);
    }
    return d.value();
  };
  all["scanned columns"] = [f = fg::compile([](fg::Mat<float> m) {
                              auto lift = [](Exp<float> v) { return fg::make<Affine>(fg::sin(v), v); };
                              auto [scale, shift] =
                                  fg::unzip(fg::scan(compose, Affine{1, 0}, fg::map(lift, m), fg::axis(0)));
                              auto sums = fg::scan(fg::plus, 0.f, m, fg::axis(0));
                              return std::tuple{fg::flatten(sums), fg::flatten(scale), fg::flatten(shift)};
                            })] {
    Digest d;
    for (std::int64_t columns : {16, 1000, 30000}) {
      const auto rows = static_cast<std::int64_t>(n) / columns;
      const std::vector<float> of_rows(xs.begin(), xs.begin() + rows * columns);
      auto [sums, scale, shift] = f(fg::Array<float, 2>(of_rows, {rows, columns}));
      d.add(sums);
      d.add(scale);
      d.add(shift);
    }
    return d.value();
  };
  all["scatter"] = [f = fg::compile([](Vec<int> b, Vec<float> x) {
                      auto zeros = fg::replicate(1009, Exp<float>(0.f));
                      auto [first, second] = fg::unzip(fg::scatter(fg::zip(zeros, zeros), b, fg::zip(x, -x)));
                      return std::tuple{fg::scatter(zeros, b, x), first, second};
                    })] {
    Digest d;
    auto [last, first, second] = f(bins, xs);
    d.add(last);
    d.add(first);
    d.add(second);
    return d.value();
  };
  all["filter"] = [f = fg::compile([](Vec<float> x) {
                     auto kept = fg::filter([](Exp<float> v) { return v > 0.25f; }, x);
                     return std::tuple{kept, fg::sum(kept)};
                   })] {
    Digest d;
    auto [kept, total] = f(xs);
    d.add(kept);
    d.add(total);
    return d.value();
  };
  return all;
}

void expect_equal_runs(int n_runs) {
  for (const auto& [name, run] : programs()) {
    const std::uint64_t first = run();
    for (int k = 1; k < n_runs; ++k) ASSERT_EQ(run(), first) << name << ", run " << k;
    std::printf("digest %s %016llx\n", name.c_str(), static_cast<unsigned long long>(first));
  }
}
TEST(Reproducible, SlowManyRuns) {
  expect_equal_runs(100);
}
TEST(Reproducible, SlowSomeRuns) {
  expect_equal_runs(10);
}

std::map<std::string, std::string> digests(int threads) {
  const std::string command = "FULGURITE_THREADS=" + std::to_string(threads) +
                              " exec env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX /proc/$PPID/exe "
                              "--gtest_filter=Reproducible.SlowSomeRuns";
  std::map<std::string, std::string> found;
  FILE* output = popen(command.c_str(), "r");
  EXPECT_NE(output, nullptr);
  char line[256], name[64], digest[64];
  while (std::fgets(line, sizeof line, output))
    if (std::sscanf(line, "digest %63s %63s", name, digest) == 2) found[name] = digest;
  EXPECT_EQ(pclose(output), 0) << "with " << threads << " threads";
  return found;
}

TEST(Reproducible, SlowFewerAndMoreThreads) {
  const auto one = digests(1);
  EXPECT_EQ(one.size(), programs().size());
  for (int threads : {2, 3, 8}) EXPECT_EQ(digests(threads), one) << threads << " threads";
}

// The sums above would show another chunking.
TEST(Reproducible, BitsDependOnTheOrder) {
  const std::vector<float> xs = floats();
  float forwards = 0, in_chunks = 0;
  for (float x : xs) forwards += x;
  for (std::size_t from = 0; from < n; from += 10'000) {
    float chunk = 0;
    for (std::size_t i = from; i < std::min(n, from + 10'000); ++i) chunk += xs[i];
    in_chunks += chunk;
  }
  EXPECT_NE(std::bit_cast<std::uint32_t>(forwards), std::bit_cast<std::uint32_t>(in_chunks));
}

}  // namespace
