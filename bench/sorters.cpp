// The small sorters of DAMP 2012 (table 2: what the first phase of a large sorter costs): blocks of 512 i32
// of an array, sorted by kernels of the kernel language on this machine's cores, beside std::sort and qsort
// of each block on one core.
#include <fmt/format.h>
#include <fulgurite/kernel.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "stopwatch.h"

namespace {

namespace fg = fulgurite;
namespace k = fulgurite::kernel;
using k::Pull;

constexpr std::int64_t block = 512;
constexpr int samples = 7;

Pull<int> tsort_1(Pull<int> a) {
  for (int n = 1; n <= k::log2(a.size()); ++n) {
    a = k::sync(k::vee_1(n - 1, fg::min, fg::max, a));
    for (int i = n - 2; i >= 0; --i) a = k::sync(k::ilv_1(i, fg::min, fg::max, a));
  }
  return a;
}
Pull<int> tsort_2(Pull<int> a) {
  for (int n = 1; n <= k::log2(a.size()); ++n) {
    a = k::sync(k::vee(n - 1, fg::min, fg::max, a));
    for (int i = n - 2; i >= 0; --i) a = k::sync(k::ilv(i, fg::min, fg::max, a));
  }
  return a;
}
Pull<int> vsort_1(Pull<int> a) {
  const int n = k::log2(a.size());
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= i; ++j) a = k::sync(k::ilv_vee_1(n - i, i - j, fg::min, fg::max, a));
  return a;
}
Pull<int> vsort(Pull<int> a) {
  const int n = k::log2(a.size());
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= i; ++j) a = k::sync(k::ilv_vee(n - i, i - j, fg::min, fg::max, a));
  return a;
}

void require_sorted(const int* xs, std::size_t n, const char* name) {
  for (std::size_t at = 0; at < n; at += block)
    if (!std::is_sorted(xs + at, xs + at + block))
      throw std::runtime_error(fmt::format("{} does not sort", name));
}

template <class Sorter>
double kernel_ms(const char* name, const std::vector<int>& xs, const Sorter& sorter) {
  std::vector<double> times;
  for (int sample = 0; sample < samples; ++sample) {
    fg::Array<int, 1> sorted;
    times.push_back(bench::time_us([&] { sorted = k::execute(fg::cpu(), sorter, xs); }));
    require_sorted(sorted.data(), xs.size(), name);
  }
  return bench::median(times) / 1000;
}
template <class Sort>
double library_ms(const char* name, const std::vector<int>& xs, Sort&& sort) {
  std::vector<double> times;
  for (int sample = 0; sample < 3; ++sample) {
    std::vector<int> copy = xs;
    times.push_back(bench::time_us([&] {
      for (std::size_t at = 0; at < copy.size(); at += block) sort(copy.data() + at);
    }));
    require_sorted(copy.data(), copy.size(), name);
  }
  return bench::median(times) / 1000;
}

void row(const char* name, auto&& measure) {
  fmt::print("| {} |", name);
  for (int bits = 20; bits <= 24; ++bits) {
    std::mt19937 random(1);
    std::vector<int> xs(std::size_t{1} << bits);
    for (int& x : xs) x = static_cast<int>(random());
    fmt::print(" {:.2f} |", measure(xs));
    std::fflush(stdout);
  }
  fmt::print("\n");
}

template <class F>
void kernel_row(const char* name, F f) {
  const auto sorter = k::kernel(name, k::block<int>(block), f);
  row(name, [&](const std::vector<int>& xs) { return kernel_ms(name, xs, sorter); });
}

}  // namespace

int main() {
  try {
    fmt::print(
        "Blocks of {} i32, milliseconds.\n\n| sorter | 2^20 | 2^21 | 2^22 | 2^23 | 2^24 "
        "|\n|---|---:|---:|---:|---:|---:|\n",
        block);
    kernel_row("tsort1", tsort_1);
    kernel_row("tsort2", tsort_2);
    kernel_row("vsort1", vsort_1);
    kernel_row("vsort", vsort);
    row("std::sort, one core", [](const std::vector<int>& xs) {
      return library_ms("std::sort", xs, [](int* at) { std::sort(at, at + block); });
    });
    row("qsort, one core", [](const std::vector<int>& xs) {
      return library_ms("qsort", xs, [](int* at) {
        std::qsort(at, block, sizeof *at, [](const void* a, const void* b) {
          const int x = *static_cast<const int*>(a), y = *static_cast<const int*>(b);
          return (x > y) - (x < y);
        });
      });
    });
  } catch (const std::exception& error) {
    fmt::print(stderr, "sorters: {}\n", error.what());
    return 1;
  }
}
