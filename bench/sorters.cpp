// The sorters of DAMP 2012 (tables 1 and 2) on this machine's cores: the large sorter with each of the
// paper's small sorters of 512 elements, what part of its time the small sorter takes, and the large sorter
// with wider blocks, beside libraries' sorts on one core. All with and without a copy of the numbers to where
// they are sorted and one of the sorted ones back (section 3.6).
#include <fmt/format.h>
#include <fulgurite/kernel.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <stdexcept>
#include <thread>

#include "../examples/large_sorter.h"
#include "stopwatch.h"
#ifdef BENCH_SORT
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace {

namespace fg = fulgurite;
namespace k = fulgurite::kernel;
using k::Pull;

constexpr std::int64_t block = 512;
constexpr int samples = 5;
constexpr int least_bits = 20, most_bits = 24;

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

// The bitonic sort that the paper writes by hand (appendix A), in the kernel language: a thread for each
// element; of two that meet the lower one compares and swaps, in the direction of their run.
Pull<int> bitonic(Pull<int> a) {
  a = k::sync(a);
  for (std::int64_t run = 2; run <= a.size(); run *= 2)
    for (std::int64_t distance = run / 2; distance > 0; distance /= 2)
      a = k::sync(k::Push<int>(a.size(), [=](const k::Push<int>::Write& write) {
        k::par(a.size(), [&](k::Index tid) {
          const k::Index partner = tid ^ distance;
          k::when(tid < partner, [&] {
            const fg::Exp<int> low = a[tid], high = a[partner];
            const fg::Exp<bool> swaps = fg::select((tid & run) == 0, high < low, low < high);
            write(tid, fg::select(swaps, high, low));
            write(partner, fg::select(swaps, low, high));
          });
        });
      }));
  return a;
}

// The bitonic sorter without the kernel language. Blocks are dealt to the cores.
void bitonic_by_hand(int* xs) {
  for (std::int64_t run = 2; run <= block; run *= 2)
    for (std::int64_t distance = run / 2; distance > 0; distance /= 2)
      for (std::int64_t i = 0; i < block; ++i) {
        const std::int64_t partner = i ^ distance;
        if (partner <= i) continue;
        const int low = std::min(xs[i], xs[partner]), high = std::max(xs[i], xs[partner]);
        const bool is_up = (i & run) == 0;
        xs[i] = is_up ? low : high;
        xs[partner] = is_up ? high : low;
      }
}
void sort_blocks_by_hand(std::vector<int>& xs) {
  const std::size_t n_cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t n_blocks = xs.size() / block;
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < n_cores; ++t)
    threads.emplace_back([&xs, n_blocks, n_cores, t] {
      for (std::size_t b = n_blocks * t / n_cores; b < n_blocks * (t + 1) / n_cores; ++b)
        bitonic_by_hand(xs.data() + b * block);
    });
}

int compare_ints(const void* a, const void* b) {
  const int x = *static_cast<const int*>(a), y = *static_cast<const int*>(b);
  return (x > y) - (x < y);
}

std::vector<int> random_ints(int bits) {
  std::mt19937 random(1);
  std::vector<int> xs(std::size_t{1} << bits);
  for (int& x : xs) x = static_cast<int>(random());
  return xs;
}

template <class Xs>
void require_sorted(const Xs& xs, std::size_t run, const std::string& name) {
  for (std::size_t at = 0; at < static_cast<std::size_t>(xs.size()); at += run)
    if (!std::is_sorted(xs.data() + at, xs.data() + at + run))
      throw std::runtime_error(fmt::format("{} does not sort", name));
}

struct Times {
  double small = 0, all = 0;  // milliseconds
  double with_copies = 0;     // of `all`
};

// What a call of `run` takes, which gives the sorted runs.
template <class Run>
double median_ms(const std::string& name, std::size_t run_size, Run&& run) {
  std::vector<double> times;
  for (int sample = 0; sample < samples; ++sample) {
    decltype(run()) sorted;
    times.push_back(bench::time_us([&] { sorted = run(); }));
    require_sorted(sorted, run_size, name);
  }
  return bench::median(times) / 1000;
}

// What `sort` takes that sorts the numbers where they are; copying them there is not counted.
template <class Sort>
double median_in_place_ms(const std::string& name, std::size_t run_size, const std::vector<int>& xs,
                          std::vector<int>& place, Sort&& sort) {
  std::vector<double> times;
  for (int sample = 0; sample < samples; ++sample) {
    std::copy(xs.begin(), xs.end(), place.begin());
    times.push_back(bench::time_us([&] { sort(place); }));
    require_sorted(place, run_size, name);
  }
  return bench::median(times) / 1000;
}

// The time in ms of a call of `sort` on a copy of the numbers, until the sorted ones are back in `xs`'s
// place.
template <class Sort>
double with_copies_ms(const std::string& name, const std::vector<int>& xs, Sort&& sort) {
  std::vector<int> back(xs.size()), there(xs.size());
  return median_ms(name, xs.size(), [&] {
    std::copy(xs.begin(), xs.end(), there.begin());
    const auto& sorted = sort(there);
    std::copy(sorted.data(), sorted.data() + xs.size(), back.begin());
    return std::span<const int>(back);
  });
}

class Tables {
 public:
  void kernel(const std::string& name, large_sorter::Widths widths, auto small) {
    const auto blocks =
        fg::compile([=](fg::Vec<int> xs) { return large_sorter::sorted_blocks(xs, widths, small); });
    const auto all = fg::compile([=](fg::Vec<int> xs) {
      return large_sorter::merged_blocks(large_sorter::sorted_blocks(xs, widths, small), widths);
    });
    row(name, [&](const std::vector<int>& xs) {
      return Times{median_ms(name, std::size_t{1} << widths.block_bits, [&] { return blocks(xs); }),
                   median_ms(name, xs.size(), [&] { return all(xs); }),
                   with_copies_ms(name, xs, [&](const std::vector<int>& there) { return all(there); })};
    });
  }
  void by_hand() {
    const auto merge =
        fg::compile([](fg::Vec<int> xs) { return large_sorter::merged_blocks(xs, large_sorter::Widths{}); });
    row("bitonic, plain C++", [&](const std::vector<int>& xs) {
      std::vector<int> blocks = xs;
      const double small = median_in_place_ms("bitonic", block, xs, blocks, sort_blocks_by_hand);
      return Times{small, small + median_ms("bitonic", xs.size(), [&] { return merge(blocks); }),
                   with_copies_ms("bitonic", xs, [&](std::vector<int>& there) {
                     sort_blocks_by_hand(there);
                     return merge(there);
                   })};
    });
  }
  void library(const std::string& name, void (*sort)(std::vector<int>&)) {
    row(name, [&](const std::vector<int>& xs) {
      std::vector<int> place = xs;
      return Times{0, median_in_place_ms(name, xs.size(), xs, place, sort),
                   with_copies_ms(name, xs, [&](std::vector<int>& there) -> const std::vector<int>& {
                     sort(there);
                     return there;
                   })};
    });
  }

  void print() const {
    print_times("Table 1: milliseconds for 2^k random i32.", &Times::all);
    print_times("\nTable 1 with a copy in and a copy out.", &Times::with_copies);
    fmt::print(
        "\nTable 2: the small sorter alone, 2^{} elements.\n\n| small sorter | ms | percent "
        "|\n|---|---:|---:|\n",
        most_bits);
    for (const auto& [name, times] : rows_)
      if (times.back().small > 0)
        fmt::print("| {} | {:.2f} | {:.1f} |\n", name, times.back().small,
                   100 * times.back().small / times.back().all);
  }

 private:
  void print_times(const char* title, double Times::* shown) const {
    fmt::print("{}\n\n| small sorter |", title);
    for (int bits = least_bits; bits <= most_bits; ++bits) fmt::print(" 2^{} |", bits);
    fmt::print("\n|---|");
    for (int bits = least_bits; bits <= most_bits; ++bits) fmt::print("---:|");
    fmt::print("\n");
    for (const auto& [name, times] : rows_) {
      fmt::print("| {} |", name);
      for (const Times& t : times) fmt::print(" {:.2f} |", t.*shown);
      fmt::print("\n");
    }
  }
  template <class Measure>
  void row(const std::string& name, Measure&& measure) {
    std::vector<Times> times;
    for (int bits = least_bits; bits <= most_bits; ++bits) times.push_back(measure(random_ints(bits)));
    rows_.emplace_back(name, std::move(times));
  }
  std::vector<std::pair<std::string, std::vector<Times>>> rows_;
};

}  // namespace

int main() {
  try {
    Tables tables;
    const large_sorter::Widths of_paper, wide{.block_bits = 12, .stages = 3, .columns = 256};
    tables.by_hand();
    tables.kernel("bitonic, 512", of_paper, bitonic);
    tables.kernel("tsort1, 512", of_paper, tsort_1);
    tables.kernel("tsort2, 512", of_paper, tsort_2);
    tables.kernel("vsort1, 512", of_paper, vsort_1);
    tables.kernel("vsort, 512", of_paper, vsort);
    tables.kernel("columns by one thread, 512", of_paper,
                  [](Pull<int> a) { return large_sorter::sorted_block(3, a); });
    tables.kernel("columns by one thread, 4096", wide,
                  [](Pull<int> a) { return large_sorter::sorted_block(3, a); });
    tables.library("std::sort, one core", [](std::vector<int>& xs) { std::sort(xs.begin(), xs.end()); });
#ifdef BENCH_SORT
    tables.library("vqsort, one core",
                   [](std::vector<int>& xs) { hwy::Sorter()(xs.data(), xs.size(), hwy::SortAscending()); });
#endif
    tables.library("qsort, one core",
                   [](std::vector<int>& xs) { std::qsort(xs.data(), xs.size(), sizeof(int), compare_ints); });
    tables.print();
  } catch (const std::exception& error) {
    fmt::print(stderr, "sorters: {}\n", error.what());
    return 1;
  }
}
