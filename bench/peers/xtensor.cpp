// "xtensor": xtensor 0.24 with xsimd, assignments on oneTBB.
#define XTENSOR_USE_XSIMD 1
#define XTENSOR_USE_TBB 1
#include <array>
#include <numeric>
#include <utility>
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "harness/data.h"
#include "peers/functions.h"

namespace bench {
namespace {

template <class T>
auto view(T* p, std::int64_t n) {
  const auto size = static_cast<std::size_t>(n);
  return xt::adapt(p, size, xt::no_ownership(), std::array<std::size_t, 1>{size});
}

}  // namespace

void add_xtensor_peers(Peers& peers) {
  peers.add("ReducePlus", "xtensor", [](Data& d) {
    d.results[0] =
        (std::int32_t)xt::sum<std::int32_t>(view(d.small, d.n), xt::evaluation_strategy::immediate)();
  });

  peers.add("ReduceMax", "xtensor", [](Data& d) {
    d.results[0] = xt::amax(view(d.tied, d.n), xt::evaluation_strategy::immediate)();
  });

  peers.add("SAXPY", "xtensor", [](Data& d) {
    auto o = view(d.out, d.n);
    auto x = view(d.x, d.n), y = view(d.y, d.n);
    xt::noalias(o) = saxpy_alpha * x + y;
  });

  peers.add("SDOT", "xtensor", [](Data& d) {
    auto x = view(d.x, d.n), y = view(d.y, d.n);
    d.results[0] = xt::sum<float>(x * y, xt::evaluation_strategy::immediate)();
  });

  peers.add("RMSE", "xtensor", [](Data& d) {
    auto x = view(d.x, d.n), y = view(d.y, d.n);
    d.results[0] = std::sqrt(xt::sum<float>((x - y) * (x - y), xt::evaluation_strategy::immediate)() / d.n);
  });

  peers.add("ForwardDiff", "xtensor", [](Data& d) {
    auto o = view(d.out, d.n - 1);
    auto x = view(d.x + 1, d.n - 1), y = view(d.x, d.n - 1);
    xt::noalias(o) = x - y;
  });

  peers.add("WMA15", "xtensor", [](Data& d) {
    std::int64_t m = d.n - 14;
    auto o = view(d.out, m);
    const float* w = d.weights;
    auto sum = [&]<int... k>(std::integer_sequence<int, k...>) {
      auto shifted = std::tuple{view(d.x + k, m)...};
      xt::noalias(o) = (... + (w[k] * std::get<k>(shifted)));
    };
    sum(std::make_integer_sequence<int, 15>{});
  });

  peers.add("ScanPlus", "xtensor", [](Data& d) {
    auto o = view(d.out_ints, d.n);
    xt::noalias(o) = xt::cumsum(view(d.small, d.n));
  });

  peers.add("BlackScholesMap", "xtensor", [](Data& d) {
    const float r = .08f, v = .3f;
    auto S = view(d.spot, d.n), X = view(d.strike, d.n), T = view(d.years, d.n);
    using A = xt::xtensor<float, 1>;
    A sq = xt::sqrt(T);
    A d1 = (xt::log(S / X) + (r + .5f * v * v) * T) / (v * sq);
    A d2 = d1 - v * sq;
    A e = X * xt::exp(-r * T);
    auto cdf = [](const A& d) -> A {
      A L = xt::abs(d);
      A k = 1.f / (1.f + 0.2316419f * L);
      A w = 1.f - 0.39894228f * xt::exp(-0.5f * L * L) *
                      (k * (0.31938153f + k * (-0.356563782f +
                                               k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
      return xt::where(d < 0.f, 1.f - w, w);
    };
    A n1 = cdf(d1), n2 = cdf(d2);
    auto c = view(d.out, d.n), p = view(d.out2, d.n);
    xt::noalias(c) = S * n1 - e * n2;
    xt::noalias(p) = e * (1.f - n2) - S * (1.f - n1);
  });
}

}  // namespace bench
