// "fulgurite": outputs whose places or number depend on the data; a sparse product; sorting.
#include "fulgurite_program.h"

namespace bench {

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
