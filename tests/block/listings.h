// The papers' listings as kernels, by their names in docs/papers.md.
#pragma once

#include <string>

#include "programs.h"
#include "two_dimensions.h"

namespace fulgurite::papers {

/// Calls visit(name, recorded) for maps, reductions, pull and push arrays, and scans.
template <class Visit>
void for_each_listing_of_arrays(const Visit& visit) {
  const auto of = [&](const std::string& name, const auto&... parts) {
    visit(name, k::kernel(name, parts...));
  };
  of("map_fusion", k::block<int>(32), map_fusion);
  of("map_unfused", k::block<int>(32), map_unfused);
  of("sum", k::block<int>(8), pair_sum);
  of("reduce", k::block<int>(8), tree_sum);
  of("reduce_s", k::block<int>(8), reduce_s);
  of("rev_add", k::block<int>(256), rev_add);
  of("cat_arrays", k::block<int>(16), k::block<int>(16), cat_arrays);
  of("cat_arrays_p", k::block<int>(16), k::block<int>(16), cat_arrays_p);
  of("zip_unpair", k::block<int>(32), k::block<int>(32), zip_unpair);
  of("zip_unpair_p", k::block<int>(32), k::block<int>(32), zip_unpair_p);
  of("scan_add", k::block<int>(8), scan_add);
  of("scan_add_2", k::block<int>(8), scan_add_2);
  of("sklansky", k::block<int>(64), scan_add);
  of("filter", k::block<int>(64),
     [](Pull<int> a) { return k::block_filter([](Exp<int> x) { return x % 2 != 0; }, a, Exp<int>(-1)); });
  of("histogram", k::block<int>(64), [](Pull<int> a) { return k::block_histogram(8, a); });
}

/// Visits the listings of mergers and sorters.
template <class Visit>
void for_each_listing_of_networks(const Visit& visit) {
  const auto of = [&](const std::string& name, const auto& network) {
    visit(name, k::kernel(name, k::block<int>(16), network));
  };
  of("bmerge", [](Pull<int> a) { return bmerge(4, a); });
  of("bmerge_2", [](Pull<int> a) { return bmerge_2(4, a); });
  of("tmerge", [](Pull<int> a) { return tmerge(4, a); });
  of("bpmerge_2", [](Pull<int> a) { return bpmerge_2(4, a); });
  of("tsort_1", tsort_1);
  of("tsort_2", tsort_2);
  of("vsort_1", vsort_1);
  of("vsort", vsort);
  of("vsort_r", vsort_r);
  of("periodic", periodic);
  of("bitonic", bitonic);
}

/// Visits the listings of kernels of matrices.
template <class Visit>
void for_each_listing_of_matrices(const Visit& visit) {
  visit("matrix_sum", two_dimensions::sum_of_matrices(k::threads(16, 16)));
  visit("matrix_transpose", two_dimensions::transpose<float>(k::threads(32, 8)));
  visit("matrix_product", two_dimensions::product<float>(k::threads(4, 4), 4));
}

template <class Visit>
void for_each_listing(const Visit& visit) {
  for_each_listing_of_arrays(visit);
  for_each_listing_of_networks(visit);
  for_each_listing_of_matrices(visit);
}

}  // namespace fulgurite::papers
