// "fulgurite": our own peer; the programs that are maps, with a sum after some.
#include "fulgurite_program.h"

#include <algorithm>

namespace bench {
namespace {

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
  add_fulgurite_dense_variants(peers);
  add_fulgurite_irregular_variants(peers);
}

}  // namespace bench
