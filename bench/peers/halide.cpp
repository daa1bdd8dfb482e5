// "halide14": the pipelines that halide_generator.cpp compiled.
#include <HalideBuffer.h>

#include "halide_black_scholes_map.h"
#include "halide_black_scholes_sum.h"
#include "halide_forward_difference.h"
#include "halide_jacobi.h"
#include "halide_matrix_product.h"
#include "halide_moving_average.h"
#include "halide_n_body.h"
#include "halide_saxpy.h"
#include "halide_sdot.h"
#include "halide_squared_error.h"
#include "halide_sum.h"
#include "harness/data.h"
#include "peers/functions.h"

namespace bench {
namespace {

using Halide::Runtime::Buffer;
template <class T>
Buffer<T> view(const T* p, std::int64_t n) {
  return Buffer<T>(const_cast<T*>(p), static_cast<int>(n));
}

}  // namespace

void add_halide_peers(Peers& peers) {
  peers.add("SAXPY", "halide14", [](Data& d) {
    auto x = view(d.x, d.n), y = view(d.y, d.n), o = view(d.out, d.n);
    halide_saxpy(x, y, o);
  });

  peers.add("ForwardDiff", "halide14", [](Data& d) {
    auto x = view(d.x, d.n), o = view(d.out, d.n - 1);
    halide_forward_difference(x, o);
  });

  peers.add("WMA15", "halide14", [](Data& d) {
    auto x = view(d.x, d.n), w = view(d.weights, 15), o = view(d.out, d.n - 14);
    halide_moving_average(x, w, o);
  });

  peers.add("Jacobi2D", "halide14", [](Data& d) {
    int N = d.side;
    Buffer<float> x((float*)d.x, N, N);
    halide_dimension_t sh[2] = {{1, N - 2, 1}, {1, N - 2, N}};
    Buffer<float> o(d.out + N + 1, 2, sh);
    halide_jacobi(x, N, o);
    for (std::int64_t i = 0; i < N; i++) {
      d.out[i] = d.x[i];
      d.out[(std::int64_t)N * N - N + i] = d.x[(std::int64_t)N * N - N + i];
      d.out[i * N] = d.x[i * N];
      d.out[i * N + N - 1] = d.x[i * N + N - 1];
    }
  });

  peers.add("BlackScholesMap", "halide14", [](Data& d) {
    auto S = view(d.spot, d.n), X = view(d.strike, d.n), T = view(d.years, d.n), c = view(d.out, d.n),
         p = view(d.out2, d.n);
    halide_black_scholes_map(S, X, T, c, p);
  });

  peers.add("BlackScholesSum", "halide14", [](Data& d) {
    float r;
    auto o = Buffer<float>::make_scalar(&r);
    halide_black_scholes_sum((int)d.n, 1.f / d.n, o);
    d.results[0] = r;
  });

  peers.add("SDOT", "halide14", [](Data& d) {
    float r;
    auto o = Buffer<float>::make_scalar(&r);
    auto x = view(d.x, d.n), y = view(d.y, d.n);
    halide_sdot(x, y, o);
    d.results[0] = r;
  });

  peers.add("RMSE", "halide14", [](Data& d) {
    float r;
    auto o = Buffer<float>::make_scalar(&r);
    auto x = view(d.x, d.n), y = view(d.y, d.n);
    halide_squared_error(x, y, o);
    d.results[0] = std::sqrt(r / d.n);
  });

  peers.add("ReducePlus", "halide14", [](Data& d) {
    std::int32_t r;
    auto o = Buffer<std::int32_t>::make_scalar(&r);
    auto x = view(d.small, d.n);
    halide_sum(x, o);
    d.results[0] = r;
  });

  peers.add("MatMul", "halide14", [](Data& d) {
    int N = d.side;
    Buffer<float> A((float*)d.left, N, N), Bb((float*)d.right, N, N), C(d.out, N, N);
    halide_matrix_product(A, Bb, C);
  });

  peers.add("NBody", "halide14", [](Data& d) {
    auto x = view(d.x, d.n), y = view(d.y, d.n), z = view(d.z, d.n), m = view(d.mass, d.n),
         a = view(d.out, d.n), b = view(d.out2, d.n), c = view(d.out3, d.n);
    halide_n_body(x, y, z, m, a, b, c);
  });
}

}  // namespace bench
