// "fulgurite": outputs whose places or number depend on the data; a sparse product; sorting.
#include "fulgurite_program.h"

namespace bench {
namespace {

Vec<float> sparse_times_vector(Vec<int> row_starts, Vec<int> columns, Vec<float> values, Vec<float> x) {
  return fg::segmented_reduce(fg::plus, 0.f, fg::offsets(row_starts), values * fg::gather(x, columns));
}

Vec<int> count_keys(Vec<int> keys, Exp<fg::i64> bins) {
  return fg::histogram(fg::plus, 0, bins, keys, fg::replicate(keys.size(), 1));
}

Vec<int> filter_even(Vec<int> xs) {
  return fg::filter([](Exp<int> x) { return (x & 1) == 0; }, xs);
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
      "FilterEven", "fulgurite", [](Data& d) { Program<filter_even>::run(view(d.small, d.n)); },
      [](Data& d) {
        copy(Program<filter_even>::result, d.out_ints);
        d.results[0] = static_cast<double>(Program<filter_even>::result.size());
      });
  peers.add(
      "Sort", "fulgurite", [](Data& d) { Program<sorted>::run(view(d.out_ints, d.n)); },
      [](Data& d) { copy(Program<sorted>::result, d.out_ints); });
}

}  // namespace bench
