// "tbb": oneTBB with plain inner loops.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <functional>

#include "harness/data.h"
#include "peers/element_functions.h"

namespace bench {
namespace {

using Range = tbb::blocked_range<std::int64_t>;
constexpr std::size_t grain = 16384;

template <class T, class Element, class Operator>
T reduce(std::int64_t n, std::size_t grain_size, T neutral, Element element, Operator combine) {
  return tbb::parallel_reduce(
      Range(0, n, grain_size), neutral,
      [&](const Range& r, T sum) {
        for (std::int64_t i = r.begin(); i < r.end(); ++i) sum = combine(sum, element(i));
        return sum;
      },
      combine);
}

}  // namespace

void add_tbb_peers(Peers& peers) {
  peers.add("ReducePlus", "tbb", [](Data& d) {
    auto p = d.small;
    d.results[0] = reduce<std::int32_t>(
        d.n, grain, 0, [=](std::int64_t i) { return p[i]; },
        [](std::int32_t a, std::int32_t b) { return a + b; });
  });

  peers.add("ReduceMax", "tbb", [](Data& d) {
    auto p = d.tied;
    d.results[0] = reduce<std::int32_t>(
        d.n, grain, INT32_MIN, [=](std::int64_t i) { return p[i]; },
        [](std::int32_t a, std::int32_t b) { return std::max(a, b); });
  });

  peers.add("IndexOfMax", "tbb", [](Data& d) {
    auto p = d.tied;
    put(d, reduce<Indexed>(
               d.n, grain, Indexed{INT32_MIN, INT32_MAX},
               [=](std::int64_t i) { return Indexed{p[i], (std::int32_t)i}; }, larger_then_first));
  });

  peers.add("Reduce2x2MM", "tbb", [](Data& d) {
    auto p = d.small;
    std::uint32_t s = seed_2x2;
    for (int k = 0; k < products_2x2; k++)
      s = reduce<std::uint32_t>(
          d.n, grain, identity_2x2, [=](std::int64_t i) { return lift_2x2(p[i], s); }, multiply_2x2);
    d.results[0] = s;
  });

  peers.add("MSSP", "tbb", [](Data& d) {
    auto p = d.small;
    put(d,
        reduce<Segment>(d.n, grain, Segment{0, 0, 0, 0}, [=](std::int64_t i) { return lift(p[i]); }, Join{}));
  });

  peers.add("ScanPlus", "tbb", [](Data& d) {
    auto p = d.small;
    auto o = d.out_ints;
    tbb::parallel_scan(
        Range(0, d.n, 65536), std::int32_t(0),
        [=](const Range& r, std::int32_t s, bool fin) {
          if (fin)
            for (std::int64_t i = r.begin(); i < r.end(); i++) {
              s += p[i];
              o[i] = s;
            }
          else
            for (std::int64_t i = r.begin(); i < r.end(); i++) s += p[i];
          return s;
        },
        std::plus<std::int32_t>());
  });

  peers.add("RedomapNT", "tbb", [](Data& d) {
    put(d,
        reduce<Extent>(d.n, 2048, empty_extent, RedomapAt{8.f / d.n, redomap_scale, d.out, d.out2}, Join{}));
  });

  peers.add("BlackScholesSum", "tbb", [](Data& d) {
    const float rn = 1.f / d.n;
    d.results[0] = reduce<float>(
        d.n, 2048, 0.f, [=](std::int64_t i) { return black_scholes_day((std::int32_t)i, rn); },
        [](float a, float b) { return a + b; });
  });

  peers.add("SAXPY", "tbb", [](Data& d) {
    auto x = d.x, y = d.y;
    auto o = d.out;
    tbb::parallel_for(Range(0, d.n, grain), [=](const Range& r) {
      for (std::int64_t i = r.begin(); i < r.end(); i++) o[i] = saxpy_alpha * x[i] + y[i];
    });
  });

  peers.add("SDOT", "tbb", [](Data& d) {
    auto x = d.x, y = d.y;
    d.results[0] = reduce<float>(
        d.n, grain, 0.f, [=](std::int64_t i) { return x[i] * y[i]; }, [](float a, float b) { return a + b; });
  });

  peers.add("Sort", "tbb", [](Data& d) { tbb::parallel_sort(d.out_ints, d.out_ints + d.n); });
}

}  // namespace bench
