// "fulgurite": our own peer; the programs that are maps, with a sum after some.
#include "fulgurite_program.h"

#include <algorithm>
#include <array>
#include <utility>

namespace bench {
namespace {

Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}

Exp<float> sdot(Vec<float> x, Vec<float> y) {
  return fg::sum(x * y);
}

Exp<float> rmse(Vec<float> x, Vec<float> y) {
  auto d = x - y;
  return fg::sqrt(fg::sum(d * d) / fg::cast<float>(x.size()));
}

Vec<float> forward_difference(Vec<float> x) {
  auto n = x.size();
  return x.slice(1, n) - x.slice(0, n - 1);
}

using Weights = std::array<float, 15>;

Vec<float> moving_average(Exp<Weights> weights, Vec<float> x) {
  auto n = x.size() - 14;
  auto term = [&]<int k>(std::integral_constant<int, k>) { return weights.get<k>() * x.slice(k, n + k); };
  return [&]<int... k>(std::integer_sequence<int, k...>) {  // ((w0 x0 + w1 x1) + w2 x2) + ...
    return (... + term(std::integral_constant<int, k>()));
  }(std::make_integer_sequence<int, 15>());
}

Mat<float> jacobi(Mat<float> u) {  // of the inner points; those of the boundary stay as they are
  auto rows = u.size(0), columns = u.size(1);
  auto inner = u.slice({1, rows - 1}, {1, columns - 1});
  auto above = u.slice({0, rows - 2}, {1, columns - 1}), below = u.slice({2, rows}, {1, columns - 1});
  auto left = u.slice({1, rows - 1}, {0, columns - 2}), right = u.slice({1, rows - 1}, {2, columns});
  return 0.2f * (inner + above + below + left + right);
}

Exp<float> normal_cdf(Exp<float> d) {
  auto l = fg::abs(d), k = 1.f / (1.f + 0.2316419f * l);
  auto p =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  auto w = 1.f - 0.39894228f * fg::exp(-0.5f * l * l) * p;
  return fg::select(d < 0.f, 1.f - w, w);
}

std::tuple<Exp<float>, Exp<float>> price(Exp<float> spot, Exp<float> strike, Exp<float> years) {
  const float rate = 0.08f, volatility = 0.3f;
  auto root = fg::sqrt(years);
  auto d1 = (fg::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / (volatility * root);
  auto d2 = d1 - volatility * root;
  auto discounted = strike * fg::exp(-rate * years), n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  return {spot * n1 - discounted * n2, discounted * (1.f - n2) - spot * (1.f - n1)};
}

std::tuple<Vec<float>, Vec<float>> black_scholes_map(Vec<float> spot, Vec<float> strike, Vec<float> years) {
  return fg::unzip(fg::map(price, spot, strike, years));
}

Exp<float> black_scholes_sum(Exp<fg::i64> days) {  // never an array of days: the sum consumes them as they
                                                   // are made
  auto per_day = 1.f / fg::cast<float>(days);
  return fg::sum(fg::generate(days, [=](Exp<fg::i64> day) {
    auto t = fg::cast<float>(day + 1) * per_day;
    return std::get<0>(price(58.f + 4.f * t, 65.f, 10.f * t));
  }));
}

void publish_jacobi(Data& d) {
  const auto& inner = Program<jacobi>::result;
  const std::int64_t n = d.side;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const bool boundary = i == 0 || j == 0 || i == n - 1 || j == n - 1;
      d.out[i * n + j] = boundary ? d.x[i * n + j] : inner(i - 1, j - 1);
    }
}

template <bool fuse>
void add_black_scholes_sum(Peers& peers) {
  peers.add("BlackScholesSum", name_of_ours(fuse), [](Data& d) {
    Program<black_scholes_sum, fuse>::run(d.n);
    d.results[0] = Program<black_scholes_sum, fuse>::result;
  });
}

}  // namespace

void add_fulgurite_maps(Peers& peers) {
  peers.add(
      "SAXPY", "fulgurite", [](Data& d) { Program<saxpy>::run(saxpy_alpha, view(d.x, d.n), view(d.y, d.n)); },
      [](Data& d) { copy(Program<saxpy>::result, d.out); });
  peers.add("SDOT", "fulgurite", [](Data& d) {
    Program<sdot>::run(view(d.x, d.n), view(d.y, d.n));
    d.results[0] = Program<sdot>::result;
  });
  peers.add("RMSE", "fulgurite", [](Data& d) {
    Program<rmse>::run(view(d.x, d.n), view(d.y, d.n));
    d.results[0] = Program<rmse>::result;
  });
  peers.add(
      "ForwardDiff", "fulgurite", [](Data& d) { Program<forward_difference>::run(view(d.x, d.n)); },
      [](Data& d) { copy(Program<forward_difference>::result, d.out); });
  peers.add(
      "WMA15", "fulgurite",
      [](Data& d) {
        Weights weights;
        std::copy_n(d.weights, weights.size(), weights.begin());
        Program<moving_average>::run(weights, view(d.x, d.n));
      },
      [](Data& d) { copy(Program<moving_average>::result, d.out); });
  peers.add(
      "Jacobi2D", "fulgurite", [](Data& d) { Program<jacobi>::run(fg::view(d.x, {d.side, d.side})); },
      publish_jacobi);
  peers.add(
      "BlackScholesMap", "fulgurite",
      [](Data& d) {
        Program<black_scholes_map>::run(view(d.spot, d.n), view(d.strike, d.n), view(d.years, d.n));
      },
      [](Data& d) {
        copy(std::get<0>(Program<black_scholes_map>::result), d.out);
        copy(std::get<1>(Program<black_scholes_map>::result), d.out2);
      });
  add_black_scholes_sum<true>(peers);
  add_black_scholes_sum<false>(peers);
}

void add_fulgurite_peers(Peers& peers) {
  add_fulgurite_maps(peers);
  add_fulgurite_reductions(peers);
  add_fulgurite_irregular(peers);
  add_fulgurite_nested(peers);
}

}  // namespace bench
