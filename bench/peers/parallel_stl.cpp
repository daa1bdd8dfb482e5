// "stdpar": the C++17 parallel algorithms of libstdc++, which run on oneTBB.
#include <algorithm>
#include <cstddef>
#include <execution>
#include <functional>
#include <iterator>
#include <numeric>

#include "harness/data.h"
#include "peers/element_functions.h"

namespace bench {
namespace {

constexpr auto& par_unseq = std::execution::par_unseq;

// Counts 0, 1, 2...: a random access iterator, as the parallel algorithms want.
struct Index {
  using difference_type = std::ptrdiff_t;
  using value_type = std::int32_t;
  using pointer = const std::int32_t*;
  using reference = std::int32_t;
  using iterator_category = std::random_access_iterator_tag;
  std::int64_t i = 0;
  std::int32_t operator*() const { return static_cast<std::int32_t>(i); }
  std::int32_t operator[](difference_type k) const { return static_cast<std::int32_t>(i + k); }
  Index& operator++() { return *this += 1; }
  Index& operator--() { return *this -= 1; }
  Index operator++(int) { return Index{i++}; }
  Index operator--(int) { return Index{i--}; }
  Index& operator+=(difference_type k) {
    i += k;
    return *this;
  }
  Index& operator-=(difference_type k) { return *this += -k; }
  friend Index operator+(Index a, difference_type k) { return Index{a.i + k}; }
  friend Index operator+(difference_type k, Index a) { return Index{a.i + k}; }
  friend Index operator-(Index a, difference_type k) { return Index{a.i - k}; }
  friend difference_type operator-(Index a, Index b) { return a.i - b.i; }
  auto operator<=>(const Index&) const = default;
};

void count_keys(Data& d) {
  std::fill(par_unseq, d.histogram, d.histogram + d.bins, 0);
  auto h = d.histogram;
  std::for_each(std::execution::par, d.keys, d.keys + d.n,
                [=](std::int32_t k) { __atomic_fetch_add(&h[k], 1, __ATOMIC_RELAXED); });
}

}  // namespace

void add_parallel_stl_peers(Peers& peers) {
  peers.add("ReducePlus", "stdpar",
            [](Data& d) { d.results[0] = std::reduce(par_unseq, d.small, d.small + d.n, std::int32_t(0)); });

  peers.add("ReduceMax", "stdpar", [](Data& d) {
    d.results[0] = std::reduce(par_unseq, d.tied, d.tied + d.n, INT32_MIN,
                               [](std::int32_t a, std::int32_t b) { return std::max(a, b); });
  });

  peers.add("IndexOfMax", "stdpar", [](Data& d) {
    auto b = d.tied;
    put(d, std::transform_reduce(par_unseq, Index{0}, Index{d.n}, Indexed{INT32_MIN, INT32_MAX},
                                 larger_then_first, [=](std::int32_t i) { return Indexed{b[i], i}; }));
  });

  peers.add("IndexOfMax", "stdpar-max_element", [](Data& d) {
    auto p = std::max_element(par_unseq, d.tied, d.tied + d.n);
    d.results[0] = *p;
    d.results[1] = p - d.tied;
  });

  peers.add("IndexOfMaxPack", "stdpar", [](Data& d) {
    auto b = d.tied;
    put_packed(d, std::transform_reduce(
                      par_unseq, Index{0}, Index{d.n}, INT64_MIN,
                      [](std::int64_t a, std::int64_t b) { return std::max(a, b); },
                      [=](std::int32_t i) { return pack(b[i], i); }));
  });

  // Not commutative, so outside the contract of std::transform_reduce; its TBB back end happens to keep the
  // order.
  peers.add("Reduce2x2MM", "stdpar-par", [](Data& d) {
    std::uint32_t s = seed_2x2;
    for (int k = 0; k < products_2x2; k++)
      s = std::transform_reduce(std::execution::par, d.small, d.small + d.n, identity_2x2, multiply_2x2,
                                [=](std::int32_t x) { return lift_2x2(x, s); });
    d.results[0] = s;
  });

  peers.add("MSSP", "stdpar-par", [](Data& d) {
    put(d, std::transform_reduce(std::execution::par, d.small, d.small + d.n, Segment{0, 0, 0, 0}, Join{},
                                 lift));
  });

  peers.add("ScanPlus", "stdpar", [](Data& d) {
    std::inclusive_scan(par_unseq, d.small, d.small + d.n, d.out_ints, std::plus<std::int32_t>(),
                        std::int32_t(0));
  });

  peers.add("RedomapNT", "stdpar", [](Data& d) {
    put(d, std::transform_reduce(par_unseq, Index{0}, Index{d.n}, empty_extent, Join{},
                                 RedomapAt{8.f / d.n, redomap_scale, d.out, d.out2}));
  });

  peers.add("BlackScholesSum", "stdpar", [](Data& d) {
    const float rn = 1.f / d.n;
    d.results[0] = std::transform_reduce(par_unseq, Index{0}, Index{d.n}, 0.f, std::plus<float>(),
                                         [=](std::int32_t i) { return black_scholes_day(i, rn); });
  });

  peers.add("BlackScholesMap", "stdpar", [](Data& d) {
    auto S = d.spot, X = d.strike, T = d.years;
    auto c = d.out, p = d.out2;
    std::for_each(par_unseq, Index{0}, Index{d.n}, [=](std::int32_t i) {
      float u, v;
      black_scholes(S[i], X[i], T[i], u, v);
      c[i] = u;
      p[i] = v;
    });
  });

  peers.add("SAXPY", "stdpar", [](Data& d) {
    std::transform(par_unseq, d.x, d.x + d.n, d.y, d.out,
                   [](float x, float y) { return saxpy_alpha * x + y; });
  });

  peers.add("SDOT", "stdpar",
            [](Data& d) { d.results[0] = std::transform_reduce(par_unseq, d.x, d.x + d.n, d.y, 0.f); });

  peers.add("RMSE", "stdpar", [](Data& d) {
    d.results[0] = std::sqrt(std::transform_reduce(par_unseq, d.x, d.x + d.n, d.y, 0.f, std::plus<float>(),
                                                   [](float x, float y) { return (x - y) * (x - y); }) /
                             d.n);
  });

  peers.add("ForwardDiff", "stdpar", [](Data& d) {
    std::transform(par_unseq, d.x + 1, d.x + d.n, d.x, d.out, [](float a, float b) { return a - b; });
  });

  peers.add("WMA15", "stdpar", [](Data& d) {
    std::transform(par_unseq, Index{0}, Index{d.n - 14}, d.out, MovingAverageAt{d.x, d.weights});
  });

  peers.add("Jacobi2D", "stdpar", [](Data& d) {
    std::transform(par_unseq, Index{0}, Index{d.side * d.side}, d.out, JacobiAt{d.x, (std::int32_t)d.side});
  });

  peers.add("SMVM", "stdpar", [](Data& d) {
    std::transform(par_unseq, Index{0}, Index{d.rows}, d.out,
                   RowTimesVector{d.row_starts, d.columns, d.values, d.vector});
  });

  peers.add("Hist10", "stdpar-atomic", [](Data& d) { count_keys(d); });

  peers.add("Hist256", "stdpar-atomic", [](Data& d) { count_keys(d); });

  peers.add("Hist1M", "stdpar-atomic", [](Data& d) { count_keys(d); });

  peers.add("FilterEven", "stdpar", [](Data& d) {
    d.results[0] =
        std::copy_if(par_unseq, d.small, d.small + d.n, d.out_ints, [](std::int32_t x) { return !(x & 1); }) -
        d.out_ints;
  });

  peers.add("Sort", "stdpar", [](Data& d) { std::sort(par_unseq, d.out_ints, d.out_ints + d.n); });
  peers.add("Sort-f32", "stdpar", [](Data& d) { std::sort(par_unseq, d.out, d.out + d.n); });
  peers.add("Sort-i64", "stdpar", [](Data& d) { std::sort(par_unseq, d.out_i64, d.out_i64 + d.n); });

  peers.add("Mandelbrot", "stdpar", [](Data& d) {
    std::transform(par_unseq, Index{0}, Index{d.side * d.side}, d.out_ints,
                   MandelbrotAt{(std::int32_t)d.side, 3.f / d.side});
  });

  peers.add("NBody", "stdpar",
            [](Data& d) { std::for_each(par_unseq, Index{0}, Index{d.n}, AccelerationOf{&d}); });

  peers.add("MatMul", "stdpar-rows", [](Data& d) {
    std::for_each(std::execution::par, Index{0}, Index{d.side},
                  MatrixRow{d.left, d.right, d.out, (std::int32_t)d.side});
  });
}

}  // namespace bench
