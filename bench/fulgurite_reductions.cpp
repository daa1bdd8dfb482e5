// "fulgurite": reductions, by operators of all kinds, and a scan; redomaps that read nothing.
#include "fulgurite_program.h"

namespace bench {
namespace {

template <auto program, bool fuse>
void publish_redomap(Data& d) {
  const auto& [sum, least, most, x, y] = Program<program, fuse>::result;
  d.results[0] = sum;
  d.results[1] = least;
  d.results[2] = most;
  copy(x, d.out);
  copy(y, d.out2);
}

template <bool fuse>
void add(Peers& peers) {
  const char* name = name_of_ours(fuse);
  peers.add("ReducePlus", name, [](Data& d) {
    Program<reduce_plus, fuse>::run(view(d.small, d.n));
    d.results[0] = Program<reduce_plus, fuse>::result;
  });
  peers.add("ReduceMax", name, [](Data& d) {
    Program<reduce_max, fuse>::run(view(d.tied, d.n));
    d.results[0] = Program<reduce_max, fuse>::result;
  });
  peers.add("IndexOfMax", name, [](Data& d) {
    Program<index_of_max, fuse>::run(view(d.tied, d.n));
    d.results[0] = Program<index_of_max, fuse>::result.first;
    d.results[1] = Program<index_of_max, fuse>::result.second;
  });
  peers.add("IndexOfMaxPack", name, [](Data& d) {
    Program<index_of_max_packed, fuse>::run(view(d.tied, d.n));
    const std::int64_t packed = Program<index_of_max_packed, fuse>::result;
    d.results[0] = static_cast<std::int32_t>(packed >> 32);
    d.results[1] = static_cast<std::int32_t>(~static_cast<std::uint32_t>(packed));
  });
  peers.add("Reduce2x2MM", name, [](Data& d) {
    Program<reduce_2x2, fuse>::run(view(d.small, d.n));
    d.results[0] = Program<reduce_2x2, fuse>::result;
  });
  peers.add("MSSP", name, [](Data& d) {
    Program<maximum_segment_sum, fuse>::run(view(d.small, d.n));
    const Segment& all = Program<maximum_segment_sum, fuse>::result;
    d.results[0] = all.best;
    d.results[1] = all.prefix;
    d.results[2] = all.suffix;
    d.results[3] = all.total;
  });
  peers.add("MSPP", name, [](Data& d) {
    Program<maximum_segment_product, fuse>::run(view(d.x, d.n));
    const Factors& all = Program<maximum_segment_product, fuse>::result;
    d.results[0] = all.best;
    d.results[1] = all.prefix;
    d.results[2] = all.suffix;
    d.results[3] = all.total;
  });
  peers.add("Product2x2", name, [](Data& d) {
    Program<product_of_matrices, fuse>::run(view(d.x, d.n));
    const Doubles2x2& all = Program<product_of_matrices, fuse>::result;
    d.results[0] = all.a;
    d.results[1] = all.b;
    d.results[2] = all.c;
    d.results[3] = all.d;
  });
  peers.add(
      "ScanPlus", name, [](Data& d) { Program<scan_plus, fuse>::run(view(d.small, d.n)); },
      [](Data& d) { copy(Program<scan_plus, fuse>::result, d.out_ints); });
  peers.add(
      "ScanMax", name, [](Data& d) { Program<scan_max, fuse>::run(view(d.x, d.n)); },
      [](Data& d) { copy(Program<scan_max, fuse>::result, d.out); });
  peers.add(
      "Scan2x2MM", name, [](Data& d) { Program<scan_2x2, fuse>::run(view(d.small, d.n)); },
      [](Data& d) { copy(Program<scan_2x2, fuse>::result, reinterpret_cast<std::uint32_t*>(d.out_ints)); });
  peers.add(
      "RedomapNT", name, [](Data& d) { Program<redomap, fuse>::run(d.n); }, publish_redomap<redomap, fuse>);
  peers.add(
      "RedomapNT-paper", name, [](Data& d) { Program<redomap_of_paper, fuse>::run(d.n); },
      [](Data& d) {
        publish_redomap<redomap_of_paper, fuse>(d);
        d.results[0] *= static_cast<double>(d.n);
      });
  peers.add("BlackScholes-paper", name, [](Data& d) {
    Program<black_scholes_of_paper, fuse>::run(d.n);
    d.results[0] = Program<black_scholes_of_paper, fuse>::result;
  });
}

}  // namespace

void add_fulgurite_reductions(Peers& peers) {
  add<true>(peers);
  add<false>(peers);
}

}  // namespace bench
