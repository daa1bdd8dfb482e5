// "vqsort-1t": Highway's vqsort on one thread. "omp-expert": vqsort on two threads.
#include "harness/data.h"
#include "peers/sort_halves.h"

namespace bench {
namespace {

template <class Key>
void sort_by_one_thread(Key* keys, std::int64_t n) {
  hwy::Sorter()(keys, static_cast<std::size_t>(n), hwy::SortAscending());
}

}  // namespace

void add_sort_peers(Peers& peers) {
  peers.add("Sort", "vqsort-1t", [](Data& d) { sort_by_one_thread(d.out_ints, d.n); });
  peers.add("Sort", "omp-expert", [](Data& d) { sort_halves(d.out_ints, d.n); });
  peers.add("Sort-f32", "vqsort-1t", [](Data& d) { sort_by_one_thread(d.out, d.n); });
  peers.add("Sort-f32", "omp-expert", [](Data& d) { sort_halves(d.out, d.n); });
  peers.add("Sort-i64", "vqsort-1t", [](Data& d) { sort_by_one_thread(d.out_i64, d.n); });
  peers.add("Sort-i64", "omp-expert", [](Data& d) { sort_halves(d.out_i64, d.n); });
  peers.add("Sort-pairs", "omp-expert", [](Data& d) { sort_pairs_packed(d.out_ints, d.out_ints2, d.n); });
}

}  // namespace bench
