// ./dev bench gpu_programs [--engine E] [--n N] [--filter TEXT]: programs of every combinator on a device,
// 10^8 elements in each unless --n says so. Arrays lie in the device's memory; a call's time is the median of
// 21, each from its start until its results are there. bench/gpu/torch_peers.py measures PyTorch's functions
// of the same names.
#include <fmt/format.h>
#include <fulgurite/device_memory.h>
#include <fulgurite/fulgurite.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "stopwatch.h"

namespace bench::gpu {
namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Vec, fg::Mat, fg::i64;

struct Options {
  fg::Engine engine = fg::Engine::cuda;
  i64 n = 100'000'000;
  std::string filter;
};

template <class T>
inline constexpr bool is_array = false;
template <class T, int N>
inline constexpr bool is_array<fg::Array<T, N>> = true;

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {
    fmt::print("program,microseconds,gb_per_s,gflop_per_s\n");
  }

  template <class T, class F>
  fg::Array<T> made(i64 n, F element) const {
    const auto make = [=](Exp<i64> m) { return fg::generate(m, element); };
    return fg::compile(make, {.engine = options_.engine})(n);
  }
  fg::Array<float, 2> square(i64 side, const fg::Array<float>& from) const {
    const auto make = [](Exp<i64> s, Vec<float> v) {
      return fg::generate({s, s}, [=](Exp<i64> i, Exp<i64> j) { return v[i * s + j]; });
    };
    return fg::compile(make, {.engine = options_.engine})(side, from);
  }

  /// `bytes` must move at least; `flops` are done.
  template <class F, class... Args>
  void row(std::string_view name, double bytes, double flops, F f, const Args&... args) const {
    if (name.find(options_.filter) == std::string_view::npos) return;
    const auto program = fg::compile(f, {.engine = options_.engine});
    auto results = program(args...);
    finish(results);
    std::vector<double> samples;
    for (int k = 0; k < rounds; ++k) {
      results = {};
      samples.push_back(time_us([&] {
        results = program(args...);
        finish(results);
      }));
    }
    const double us = median(samples);
    fmt::print("{},{:.1f},{:.0f},{:.0f}\n", name, us, bytes / us / 1e3, flops / us / 1e3);
    std::fflush(stdout);
  }

 private:
  static constexpr int rounds = 21;

  // Until the results are there.
  template <class R>
  void finish(const R& results) const {
    if constexpr (is_array<R>) {
      if (options_.engine == fg::Engine::cuda || options_.engine == fg::Engine::opencl)
        fg::device_memory(options_.engine, results);
    } else if constexpr (requires { std::tuple_size<R>::value; }) {
      std::apply([&](const auto&... each) { (finish(each), ...); }, results);
    }
  }

  const Options options_;
};

Exp<fg::u32> hash(Exp<i64> i) {
  auto h = fg::cast<fg::u32>(i) * 0x9E3779B9u;
  h = (h ^ (h >> 16)) * 0x21F0AAADu;
  h = (h ^ (h >> 15)) * 0x735A2D97u;
  return h ^ (h >> 15);
}
Exp<float> uniform(Exp<i64> i) {
  return fg::cast<float>(hash(i) >> 8) * 0x1p-24f;
}

void flat(const Bench& bench, i64 n, const fg::Array<float>& x, const fg::Array<int>& k) {
  const auto y = bench.made<float>(n, [](Exp<i64> i) { return uniform(i + 12345); });
  const auto d = bench.made<double>(n / 2, [](Exp<i64> i) { return fg::cast<double>(hash(i)) * 0x1p-32; });
  const auto bytes = static_cast<double>(n) * 4;
  const auto one = bench.made<float>(1000, [](Exp<i64> i) { return fg::cast<float>(i); });
  bench.row("map of 1000", 0, 0, [](Vec<float> a) { return a + 1.0f; }, one);
  bench.row("sum of 1000", 0, 0, [](Vec<float> a) { return fg::sum(a); }, one);
  bench.row("saxpy f32", 3 * bytes, 0, [](Vec<float> a, Vec<float> b) { return 2.5f * a + b; }, x, y);
  bench.row("dot f32", 2 * bytes, 0, [](Vec<float> a, Vec<float> b) { return fg::sum(a * b); }, x, y);
  bench.row("sum i32", bytes, 0, [](Vec<int> a) { return fg::sum(a); }, k);
  bench.row("sum f64", bytes, 0, [](Vec<double> a) { return fg::sum(a); }, d);
  bench.row("argmax i32", bytes, 0, [](Vec<int> a) { return fg::argmax(a); }, k);
  bench.row("scan i32", 2 * bytes, 0, [](Vec<int> v) { return fg::scan(fg::plus, 0, v & 255); }, k);
  bench.row("scan f32", 2 * bytes, 0, [](Vec<float> v) { return fg::scan(fg::plus, 0.0f, v); }, x);
  const auto is_even = [](Exp<int> q) { return (q & 1) == 0; };
  bench.row("filter i32", 1.5 * bytes, 0, [=](Vec<int> v) { return fg::filter(is_even, v); }, k);
  bench.row("sort i32", 0, 0, [](Vec<int> v) { return fg::sort(v); }, k);
  bench.row("sort f64", 0, 0, [](Vec<double> v) { return fg::sort(v); }, d);
  bench.row("gather", 3 * bytes, 0, [](Vec<float> v, Vec<int> q) { return fg::gather(v, q & 1023); }, x, k);
  const auto three = [](auto w) { return (w(-1) + w(0) + w(1)) / 3.0f; };
  bench.row(
      "stencil of 3", 2 * bytes, 0, [=](Vec<float> v) { return fg::stencil(three, fg::boundary::clamp, v); },
      x);
}

void histograms(const Bench& bench, i64 n, const fg::Array<float>& x, const fg::Array<int>& k) {
  const auto bytes = static_cast<double>(n) * 4;
  const auto count = [](i64 bins) {
    return [=](Vec<int> q) {
      return fg::histogram(fg::plus, 0, bins, q & static_cast<int>(bins - 1), fg::replicate(q.size(), 1));
    };
  };
  const auto add = [](i64 bins) {
    return [=](Vec<int> q, Vec<float> v) {
      return fg::histogram(fg::plus, 0.0f, bins, q & static_cast<int>(bins - 1), v);
    };
  };
  bench.row("histogram i32 of 256", bytes, 0, count(256), k);
  bench.row("histogram i32 of 2^20", bytes, 0, count(1 << 20), k);
  bench.row("histogram f32 of 256", 2 * bytes, 0, add(256), k, x);
  bench.row("histogram f32 of 2^20", 2 * bytes, 0, add(1 << 20), k, x);
}

void nests(const Bench& bench, i64 n, const fg::Array<float>& x) {
  const i64 side = std::max<i64>(64, static_cast<i64>(std::sqrt(static_cast<double>(n) * 0.671)) / 32 * 32);
  const double bytes = static_cast<double>(side * side) * 4;
  const fg::Array<float, 2> m = bench.square(side, x);
  bench.row("transpose", 2 * bytes, 0, [](Mat<float> v) { return fg::transpose(v) + 0.0f; }, m);
  bench.row("row sums", bytes, 0, [](Mat<float> v) { return fg::sum(v, fg::axis(1)); }, m);
  bench.row("column sums", bytes, 0, [](Mat<float> v) { return fg::sum(v, fg::axis(0)); }, m);
  const auto softmax = [](Vec<float> r) {
    const auto e = fg::exp(r - fg::max(r));
    return e / fg::sum(e);
  };
  bench.row("softmax of rows", 2 * bytes, 0, [=](Mat<float> v) { return fg::map(softmax, fg::rows(v)); }, m);
  const auto norm = [](Vec<float> r) {
    const auto count = fg::cast<float>(r.size());
    const auto q = r - fg::sum(r) / count;
    return q * fg::rsqrt(fg::sum(q * q) / count + 1e-5f);
  };
  bench.row("layer norm of rows", 2 * bytes, 0, [=](Mat<float> v) { return fg::map(norm, fg::rows(v)); }, m);
  bench.row(
      "scan of rows", 2 * bytes, 0, [](Mat<float> v) { return fg::scan(fg::plus, 0.0f, v, fg::axis(1)); }, m);
  bench.row(
      "scan of columns", 2 * bytes, 0, [](Mat<float> v) { return fg::scan(fg::plus, 0.0f, v, fg::axis(0)); },
      m);
  const auto cross = [](auto u) {
    return 0.5f * u(0, 0) + 0.125f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
  };
  bench.row(
      "stencil of 5", 2 * bytes, 0, [=](Mat<float> v) { return fg::stencil(cross, fg::boundary::mirror, v); },
      m);
  const i64 of_product = std::min<i64>(2048, side);
  const auto flops = 2 * std::pow(static_cast<double>(of_product), 3);
  const fg::Array<float, 2> a = bench.square(of_product, x);
  bench.row("product of 2048", 0, flops, [](Mat<float> p, Mat<float> q) { return fg::matmul(p, q); }, a, a);
}

Options parsed(const std::vector<std::string_view>& words) {
  Options options;
  for (std::size_t k = 0; k + 1 < words.size(); k += 2) {
    const std::string value(words[k + 1]);
    if (words[k] == "--n") options.n = std::atoll(value.c_str());
    if (words[k] == "--filter") options.filter = value;
    if (words[k] == "--engine")
      options.engine = value == "opencl"     ? fg::Engine::opencl
                       : value == "cpu"      ? fg::Engine::cpu
                       : value == "emulator" ? fg::Engine::emulator
                                             : fg::Engine::cuda;
  }
  return options;
}

void run(const Options& options) {
  const Bench bench(options);
  const auto x = bench.made<float>(options.n, uniform);
  const auto k = bench.made<int>(options.n, [](Exp<i64> i) { return fg::bitcast<int>(hash(i)); });
  flat(bench, options.n, x, k);
  histograms(bench, options.n, x, k);
  nests(bench, options.n, x);
}

}  // namespace
}  // namespace bench::gpu

int main(int argc, char** argv) {
  try {
    bench::gpu::run(bench::gpu::parsed({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_programs: {}\n", error.what());
    return 1;
  }
}
