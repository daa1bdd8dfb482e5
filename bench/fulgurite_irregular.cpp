// "fulgurite": outputs whose places or number depend on the data; a sparse product; sorting.
#include <limits>

#include "fulgurite_program.h"

namespace bench {
namespace {

Vec<float> sparse_times_vector(Vec<int> row_starts, Vec<int> columns, Vec<float> values, Vec<float> x) {
  return fg::segmented_reduce(fg::plus, 0.f, fg::offsets(row_starts), values * fg::gather(x, columns));
}

Vec<int> count_keys(Vec<int> keys, Exp<fg::i64> bins) {
  return fg::histogram(fg::plus, 0, bins, keys, fg::replicate(keys.size(), 1));
}

// For each key where its least value is first.
using Place = std::pair<int, int>;  // value, index

Vec<int> least_of_keys(Vec<int> keys, Vec<int> xs, Exp<fg::i64> bins) {
  auto less_then_first = [](Exp<Place> a, Exp<Place> b) {
    auto [a_value, a_index] = a;
    auto [b_value, b_index] = b;
    return fg::select(b_value < a_value || (b_value == a_value && b_index < a_index), b, a);
  };
  auto places = fg::map([](Exp<int> value, Exp<int> index) { return fg::make<Place>(value, index); }, xs,
                        fg::iota<int>(xs.size()));
  const Place none{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
  Vec<Place> least = fg::histogram(less_then_first, none, bins, keys, places);
  return fg::map(
      [](Exp<Place> place) {
        auto [value, index] = place;
        return index;
      },
      least);
}

Vec<int> filter_even(Vec<int> xs) {
  return fg::filter([](Exp<int> x) { return (x & 1) == 0; }, xs);
}

std::tuple<Vec<float>, Vec<float>, Vec<float>> filter_fields(Vec<float> xs, Vec<float> ys, Vec<float> zs) {
  using Fields = std::tuple<float, float, float>;
  return fg::unzip(fg::filter([](Exp<Fields> p) { return p.get<0>() < .5f; }, fg::zip(xs, ys, zs)));
}

Vec<int> sorted(Vec<int> xs) {
  return fg::sort(xs);
}

}  // namespace

void add_fulgurite_irregular(Peers& peers) {
  peers.add(
      "SMVM", "fulgurite",
      [](Data& d) {
        Program<sparse_times_vector>::run(view(d.row_starts, d.rows + 1), view(d.columns, d.n),
                                          view(d.values, d.n), view(d.vector, d.n));
      },
      [](Data& d) { copy(Program<sparse_times_vector>::result, d.out); });
  for (const char* name : {"Hist10", "Hist256", "Hist1M"})
    peers.add(
        name, "fulgurite", [](Data& d) { Program<count_keys>::run(view(d.keys, d.n), d.bins); },
        [](Data& d) { copy(Program<count_keys>::result, d.histogram); });
  peers.add(
      "HistLeast256", "fulgurite",
      [](Data& d) { Program<least_of_keys>::run(view(d.keys, d.n), view(d.tied, d.n), d.bins); },
      [](Data& d) { copy(Program<least_of_keys>::result, d.histogram); });
  peers.add(
      "FilterEven", "fulgurite", [](Data& d) { Program<filter_even>::run(view(d.small, d.n)); },
      [](Data& d) {
        copy(Program<filter_even>::result, d.out_ints);
        d.results[0] = static_cast<double>(Program<filter_even>::result.size());
      });
  peers.add(
      "FilterFields", "fulgurite",
      [](Data& d) { Program<filter_fields>::run(view(d.x, d.n), view(d.y, d.n), view(d.z, d.n)); },
      [](Data& d) {
        const auto& [x, y, z] = Program<filter_fields>::result;
        copy(x, d.out);
        copy(y, d.out2);
        copy(z, d.out3);
        d.results[0] = static_cast<double>(x.size());
      });
  peers.add(
      "Sort", "fulgurite", [](Data& d) { Program<sorted>::run(view(d.out_ints, d.n)); },
      [](Data& d) { copy(Program<sorted>::result, d.out_ints); });
}

}  // namespace bench
