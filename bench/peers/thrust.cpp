// Thrust (CCCL) on its OpenMP system, "thrust-omp", or, compiled with BENCH_THRUST_TBB, on its oneTBB system,
// "thrust-tbb".
// "-fused": iterators and functors as a tuned user would write; "-naive": one algorithm an operator, with
// arrays between.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#ifdef BENCH_THRUST_TBB
#include <thrust/system/tbb/execution_policy.h>
#else
#include <thrust/system/omp/execution_policy.h>
#endif

#include <string>

#include "harness/data.h"
#include "peers/element_functions.h"

namespace bench {
namespace {

using namespace THRUST_CUB_WRAPPED_NAMESPACE;  // the two systems in one program
#ifdef BENCH_THRUST_TBB
constexpr auto& policy = thrust::tbb::par;
#else
constexpr auto& policy = thrust::omp::par;
#endif
using Index = thrust::counting_iterator<std::int32_t>;

struct LargerThenFirst {
  Indexed operator()(Indexed a, Indexed b) const { return larger_then_first(a, b); }
};
struct Multiply2x2 {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return multiply_2x2(a, b); }
};
template <class T>
struct Larger {
  T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T>
struct Smaller {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T>
struct Plus {
  T operator()(T a, T b) const { return a + b; }
};

// A histogram by sorting.
void count_keys(Data& d) {
  std::int32_t* t = scratch<std::int32_t>(0, d.n);
  thrust::copy(policy, d.keys, d.keys + d.n, t);
  thrust::sort(policy, t, t + d.n);
  thrust::upper_bound(policy, t, t + d.n, Index(0), Index(d.bins), d.histogram);
  std::int32_t* u = scratch<std::int32_t>(1, d.bins);
  thrust::adjacent_difference(policy, d.histogram, d.histogram + d.bins, u);
  thrust::copy(policy, u, u + d.bins, d.histogram);
}

}  // namespace

#ifdef BENCH_THRUST_TBB
void add_thrust_tbb_peers(Peers& peers) {
  const std::string name = "thrust-tbb";
#else
void add_thrust_omp_peers(Peers& peers) {
  const std::string name = "thrust-omp";
#endif

  peers.add("ReducePlus", name, [](Data& d) {
    d.results[0] = thrust::reduce(policy, d.small, d.small + d.n, std::int32_t(0), Plus<std::int32_t>());
  });

  peers.add("ReduceMax", name, [](Data& d) {
    d.results[0] = thrust::reduce(policy, d.tied, d.tied + d.n, INT32_MIN, Larger<std::int32_t>());
  });

  peers.add("IndexOfMax", name + "-fused", [](Data& d) {
    auto b = d.tied;
    put(d, thrust::transform_reduce(
               policy, Index(0), Index(d.n), [=](std::int32_t i) { return Indexed{b[i], i}; },
               Indexed{INT32_MIN, INT32_MAX}, LargerThenFirst()));
  });

  peers.add("IndexOfMax", name + "-naive", [](Data& d) {
    auto b = d.tied;
    Indexed* t = scratch<Indexed>(0, d.n);
    thrust::transform(policy, Index(0), Index(d.n), t, [=](std::int32_t i) { return Indexed{b[i], i}; });
    put(d, thrust::reduce(policy, t, t + d.n, Indexed{INT32_MIN, INT32_MAX}, LargerThenFirst()));
  });

  peers.add("IndexOfMax", name + "-max_element", [](Data& d) {
    auto p = thrust::max_element(policy, d.tied, d.tied + d.n);
    d.results[0] = *p;
    d.results[1] = p - d.tied;
  });

  peers.add("IndexOfMaxPack", name + "-fused", [](Data& d) {
    auto b = d.tied;
    put_packed(d, thrust::transform_reduce(
                      policy, Index(0), Index(d.n), [=](std::int32_t i) { return pack(b[i], i); }, INT64_MIN,
                      Larger<std::int64_t>()));
  });

  peers.add("IndexOfMaxPack", name + "-naive", [](Data& d) {
    auto b = d.tied;
    std::int64_t* t = scratch<std::int64_t>(0, d.n);
    thrust::transform(policy, Index(0), Index(d.n), t, [=](std::int32_t i) { return pack(b[i], i); });
    put_packed(d, thrust::reduce(policy, t, t + d.n, INT64_MIN, Larger<std::int64_t>()));
  });

  peers.add("Reduce2x2MM", name + "-fused", [](Data& d) {
    std::uint32_t s = seed_2x2;
    for (int k = 0; k < products_2x2; k++)
      s = thrust::transform_reduce(
          policy, d.small, d.small + d.n, [=](std::int32_t x) { return lift_2x2(x, s); }, identity_2x2,
          Multiply2x2());
    d.results[0] = s;
  });

  peers.add("Reduce2x2MM", name + "-naive", [](Data& d) {
    std::uint32_t s = seed_2x2, *t = scratch<std::uint32_t>(0, d.n);
    for (int k = 0; k < products_2x2; k++) {
      thrust::transform(policy, d.small, d.small + d.n, t, [=](std::int32_t x) { return lift_2x2(x, s); });
      s = thrust::reduce(policy, t, t + d.n, identity_2x2, Multiply2x2());
    }
    d.results[0] = s;
  });

  peers.add("MSSP", name + "-fused", [](Data& d) {
    put(d, thrust::transform_reduce(
               policy, d.small, d.small + d.n, [](std::int32_t x) { return lift(x); }, Segment{0, 0, 0, 0},
               Join()));
  });

  peers.add("MSSP", name + "-naive", [](Data& d) {
    Segment* t = scratch<Segment>(0, d.n);
    thrust::transform(policy, d.small, d.small + d.n, t, [](std::int32_t x) { return lift(x); });
    put(d, thrust::reduce(policy, t, t + d.n, Segment{0, 0, 0, 0}, Join()));
  });

  peers.add("ScanPlus", name, [](Data& d) {
    thrust::inclusive_scan(policy, d.small, d.small + d.n, d.out_ints, Plus<std::int32_t>());
  });

  peers.add("RedomapNT", name + "-fused", [](Data& d) {
    put(d,
        thrust::transform_reduce(policy, Index(0), Index(d.n),
                                 RedomapAt{8.f / d.n, redomap_scale, d.out, d.out2}, empty_extent, Join()));
  });

  peers.add("RedomapNT", name + "-naive", [](Data& d) {
    const float a = 8.f / d.n, b = redomap_scale;
    float *x = scratch<float>(0, d.n), *y = scratch<float>(1, d.n), *t = scratch<float>(2, d.n);
    std::int64_t n = d.n;
    thrust::transform(policy, Index(0), Index(n), x, [=](std::int32_t i) { return redomap_f(i * a); });
    thrust::transform(policy, x, x + n, y, [=](float x) { return redomap_g(x * b); });
    thrust::transform(policy, x, x + n, y, t, Plus<float>());
    d.results[0] = thrust::reduce(policy, t, t + n, 0.f, Plus<float>());
    d.results[1] = thrust::reduce(policy, x, x + n, 3.0e38f, Smaller<float>());
    d.results[2] = thrust::reduce(policy, y, y + n, -3.0e38f, Larger<float>());
    thrust::transform(policy, x, x + n, d.out, [=](float x) { return x * a; });
    thrust::transform(policy, y, y + n, d.out2, [=](float y) { return y * b; });
  });

  peers.add("BlackScholesSum", name + "-fused", [](Data& d) {
    const float rn = 1.f / d.n;
    d.results[0] = thrust::transform_reduce(
        policy, Index(0), Index(d.n), [=](std::int32_t i) { return black_scholes_day(i, rn); }, 0.f,
        Plus<float>());
  });

  peers.add("BlackScholesSum", name + "-naive", [](Data& d) {
    const float rn = 1.f / d.n;
    float* t = scratch<float>(0, d.n);
    thrust::transform(policy, Index(0), Index(d.n), t,
                      [=](std::int32_t i) { return black_scholes_day(i, rn); });
    d.results[0] = thrust::reduce(policy, t, t + d.n, 0.f, Plus<float>());
  });

  peers.add("BlackScholesMap", name + "-fused", [](Data& d) {
    auto S = d.spot, X = d.strike, T = d.years;
    auto c = d.out, p = d.out2;
    thrust::for_each(policy, Index(0), Index(d.n), [=](std::int32_t i) {
      float u, v;
      black_scholes(S[i], X[i], T[i], u, v);
      c[i] = u;
      p[i] = v;
    });
  });

  peers.add("BlackScholesMap", name + "-naive", [](Data& d) {
    auto S = d.spot, X = d.strike, T = d.years;
    thrust::transform(policy, Index(0), Index(d.n), d.out, [=](std::int32_t i) {
      float u, v;
      black_scholes(S[i], X[i], T[i], u, v);
      return u;
    });
    thrust::transform(policy, Index(0), Index(d.n), d.out2, [=](std::int32_t i) {
      float u, v;
      black_scholes(S[i], X[i], T[i], u, v);
      return v;
    });
  });

  peers.add("SAXPY", name + "-fused", [](Data& d) {
    thrust::transform(policy, d.x, d.x + d.n, d.y, d.out,
                      [](float x, float y) { return saxpy_alpha * x + y; });
  });

  peers.add("SAXPY", name + "-naive", [](Data& d) {
    float* t = scratch<float>(0, d.n);
    thrust::transform(policy, d.x, d.x + d.n, t, [](float x) { return saxpy_alpha * x; });
    thrust::transform(policy, t, t + d.n, d.y, d.out, Plus<float>());
  });

  peers.add("SDOT", name + "-fused",
            [](Data& d) { d.results[0] = thrust::inner_product(policy, d.x, d.x + d.n, d.y, 0.f); });

  peers.add("SDOT", name + "-naive", [](Data& d) {
    float* t = scratch<float>(0, d.n);
    thrust::transform(policy, d.x, d.x + d.n, d.y, t, [](float x, float y) { return x * y; });
    d.results[0] = thrust::reduce(policy, t, t + d.n, 0.f, Plus<float>());
  });

  peers.add("RMSE", name + "-fused", [](Data& d) {
    d.results[0] = std::sqrt(thrust::inner_product(policy, d.x, d.x + d.n, d.y, 0.f, Plus<float>(),
                                                   [](float x, float y) { return (x - y) * (x - y); }) /
                             d.n);
  });

  peers.add("RMSE", name + "-naive", [](Data& d) {
    float *t = scratch<float>(0, d.n), *u = scratch<float>(1, d.n);
    thrust::transform(policy, d.x, d.x + d.n, d.y, t, [](float x, float y) { return x - y; });
    thrust::transform(policy, t, t + d.n, u, [](float x) { return x * x; });
    d.results[0] = std::sqrt(thrust::reduce(policy, u, u + d.n, 0.f, Plus<float>()) / d.n);
  });

  peers.add("ForwardDiff", name, [](Data& d) {
    thrust::transform(policy, d.x + 1, d.x + d.n, d.x, d.out, [](float a, float b) { return a - b; });
  });

  peers.add("WMA15", name + "-fused", [](Data& d) {
    thrust::transform(policy, Index(0), Index(d.n - 14), d.out, MovingAverageAt{d.x, d.weights});
  });

  peers.add("WMA15", name + "-naive", [](Data& d) {
    std::int64_t m = d.n - 14;
    thrust::fill(policy, d.out, d.out + m, 0.f);
    for (int k = 0; k < 15; k++) {
      float w = d.weights[k];
      thrust::transform(policy, d.x + k, d.x + k + m, d.out, d.out,
                        [=](float x, float a) { return w * x + a; });
    }
  });

  peers.add("Jacobi2D", name + "-fused", [](Data& d) {
    thrust::transform(policy, Index(0), Index(d.side * d.side), d.out, JacobiAt{d.x, (std::int32_t)d.side});
  });

  peers.add("Jacobi2D", name + "-naive", [](Data& d) {
    std::int64_t N = d.side, m = N * N - 2 * N;
    const float* p = d.x + N;
    float* o = d.out + N;
    auto pl = Plus<float>();
    thrust::transform(policy, p - N, p - N + m, p + N, o, pl);
    thrust::transform(policy, o, o + m, p - 1, o, pl);
    thrust::transform(policy, o, o + m, p + 1, o, pl);
    thrust::transform(policy, o, o + m, p, o, pl);
    thrust::transform(policy, o, o + m, o, [](float v) { return .2f * v; });
    for (std::int64_t i = 0; i < N; i++) {
      d.out[i] = d.x[i];
      d.out[N * N - N + i] = d.x[N * N - N + i];
      d.out[i * N] = d.x[i * N];
      d.out[i * N + N - 1] = d.x[i * N + N - 1];
    }
  });

  peers.add("SMVM", name + "-fused", [](Data& d) {
    thrust::transform(policy, Index(0), Index(d.rows), d.out,
                      RowTimesVector{d.row_starts, d.columns, d.values, d.vector});
  });

  peers.add("SMVM", name + "-naive", [](Data& d) {
    float* t = scratch<float>(0, d.n);
    auto x = d.vector;
    auto rp = d.row_starts;
    thrust::transform(policy, d.values, d.values + d.n, d.columns, t,
                      [=](float v, std::int32_t c) { return v * x[c]; });
    thrust::transform(policy, Index(0), Index(d.rows), d.out, [=](std::int32_t r) {
      float s = 0;
      for (int k = rp[r]; k < rp[r + 1]; k++) s += t[k];
      return s;
    });
  });

  peers.add("Hist10", name + "-sort", [](Data& d) { count_keys(d); });

  peers.add("Hist256", name + "-sort", [](Data& d) { count_keys(d); });

  peers.add("Hist1M", name + "-sort", [](Data& d) { count_keys(d); });

  peers.add("FilterEven", name, [](Data& d) {
    d.results[0] =
        thrust::copy_if(policy, d.small, d.small + d.n, d.out_ints, [](std::int32_t x) { return !(x & 1); }) -
        d.out_ints;
  });

  // thrust::sort of signed integers is wrong on the host systems of CCCL 3.0.1: its radix sort puts negative
  // keys last. Hence a comparison, or a bias.
  peers.add("Sort", name + "-lambda", [](Data& d) {
    thrust::sort(policy, d.out_ints, d.out_ints + d.n, [](std::int32_t a, std::int32_t b) { return a < b; });
  });

  peers.add("Sort", name + "-radix", [](Data& d) {
    std::uint32_t* p = (std::uint32_t*)d.out_ints;
    auto f = [](std::uint32_t x) { return x ^ 0x80000000u; };
    thrust::transform(policy, p, p + d.n, p, f);
    thrust::sort(policy, p, p + d.n);
    thrust::transform(policy, p, p + d.n, p, f);
  });

  peers.add("Sort-i64", name + "-radix", [](Data& d) {
    std::uint64_t* p = (std::uint64_t*)d.out_i64;
    auto f = [](std::uint64_t x) { return x ^ (std::uint64_t{1} << 63); };
    thrust::transform(policy, p, p + d.n, p, f);
    thrust::sort(policy, p, p + d.n);
    thrust::transform(policy, p, p + d.n, p, f);
  });

  peers.add("Sort-pairs", name + "-radix", [](Data& d) {
    std::uint32_t* p = (std::uint32_t*)d.out_ints;
    auto f = [](std::uint32_t x) { return x ^ 0x80000000u; };
    thrust::transform(policy, p, p + d.n, p, f);
    thrust::stable_sort_by_key(policy, p, p + d.n, d.out_ints2);
    thrust::transform(policy, p, p + d.n, p, f);
  });

  // Bits of floats whose order as integers is the floats'.
  peers.add("Sort-f32", name + "-radix", [](Data& d) {
    constexpr std::uint32_t sign = 0x80000000u;
    std::uint32_t* p = (std::uint32_t*)d.out;
    thrust::transform(policy, p, p + d.n, p, [](std::uint32_t x) { return x & sign ? ~x : x | sign; });
    thrust::sort(policy, p, p + d.n);
    thrust::transform(policy, p, p + d.n, p, [](std::uint32_t x) { return x & sign ? x ^ sign : ~x; });
  });

  peers.add("Sort-f32", name + "-lambda", [](Data& d) {
    thrust::sort(policy, d.out, d.out + d.n, [](float a, float b) { return a < b; });
  });

  peers.add("Mandelbrot", name, [](Data& d) {
    thrust::transform(policy, Index(0), Index(d.side * d.side), d.out_ints,
                      MandelbrotAt{(std::int32_t)d.side, 3.f / d.side});
  });

  peers.add("NBody", name,
            [](Data& d) { thrust::for_each(policy, Index(0), Index(d.n), AccelerationOf{&d}); });

  peers.add("MatMul", name, [](Data& d) {
    thrust::transform(policy, Index(0), Index(d.side * d.side), d.out,
                      MatrixElement{d.left, d.right, (std::int32_t)d.side});
  });
}

}  // namespace bench
