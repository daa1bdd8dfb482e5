// The programs of the Obsidian papers, as a user writes them.
#pragma once

#include <fulgurite/kernel.h>

namespace fulgurite::papers {

namespace k = kernel;
using k::Pull, k::Push;

// DAMP 2012, section 1.

inline auto map_fusion(Pull<int> a) {
  return k::map([](Exp<int> x) { return x + 1; }, k::map([](Exp<int> x) { return x * 2; }, a));
}
inline auto map_unfused(Pull<int> a) {
  return k::map([](Exp<int> x) { return x + 1; }, k::sync(k::map([](Exp<int> x) { return x * 2; }, a)));
}
inline Exp<int> halves(Pull<int> a) {  // without syncs: all by one thread
  while (a.size() > 1) {
    const auto [low, high] = k::halve(a);
    a = k::zip_with(plus, low, high);
  }
  return a[0];
}
inline Pull<int> reduce_s(Pull<int> a) {
  return Pull<int>(1, [a](k::Index) { return halves(a); });
}
inline Pull<int> tree_sum(Pull<int> a) {
  return k::tree_reduce(plus, a);
}
inline Pull<int> pair_sum(Pull<int> a) {
  return k::pair_reduce(plus, a);
}
inline auto cat_arrays(Pull<int> a, Pull<int> b) {
  return k::conc(a, b);
}
inline auto cat_arrays_p(Pull<int> a, Pull<int> b) {
  return k::conc_p(a, b);
}
inline auto zip_unpair(Pull<int> a, Pull<int> b) {
  return k::unpair(k::zip(a, b));
}
inline auto zip_unpair_p(Pull<int> a, Pull<int> b) {
  return k::unpair_p(k::zip(a, b));
}

// Sections 3.2 to 3.5: networks of comparators.

inline Pull<int> bmerge(int n, Pull<int> a) {
  for (int i = 1; i <= n; ++i) a = k::sync(k::ilv_1(n - i, min, max, a));
  return a;
}
inline Pull<int> bmerge_2(int n, Pull<int> a) {
  for (int i = 1; i <= n; ++i) a = k::sync(k::ilv(n - i, min, max, a));
  return a;
}
inline Pull<int> tmerge(int n, Pull<int> a) {
  a = k::sync(k::vee_1(n - 1, min, max, a));
  for (int i = 2; i <= n; ++i) a = k::sync(k::ilv_1(n - i, min, max, a));
  return a;
}
inline Pull<int> tsort_1(Pull<int> a) {
  for (int i = 1; i <= k::log2(a.size()); ++i) a = tmerge(i, a);
  return a;
}
inline Pull<int> tmerge_2(int n, Pull<int> a) {
  a = k::sync(k::vee(n - 1, min, max, a));
  for (int i = 2; i <= n; ++i) a = k::sync(k::ilv(n - i, min, max, a));
  return a;
}
inline Pull<int> tsort_2(Pull<int> a) {
  for (int i = 1; i <= k::log2(a.size()); ++i) a = tmerge_2(i, a);
  return a;
}
inline Pull<int> bpmerge_2(int n, Pull<int> a) {
  for (int i = 1; i <= n; ++i) a = k::sync(k::vee(n - i, min, max, a));
  return a;
}
inline Pull<int> vsort_1(Pull<int> a) {
  const int n = k::log2(a.size());
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= i; ++j) a = k::sync(k::ilv_vee_1(n - i, i - j, min, max, a));
  return a;
}
inline Pull<int> vsort(Pull<int> a) {
  const int n = k::log2(a.size());
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= i; ++j) a = k::sync(k::ilv_vee(n - i, i - j, min, max, a));
  return a;
}
inline Pull<int> vsort_r(Pull<int> a) {
  if (a.size() == 1) return a;
  return bpmerge_2(k::log2(a.size()), k::ilv(1, vsort_r, a));
}
// The 2008 paper's periodic sorter (section 5): the balanced merger as often as an index has bits.
inline Pull<int> periodic(Pull<int> a) {
  const int n = k::log2(a.size());
  for (int i = 0; i < n; ++i) a = bpmerge_2(n, a);
  return a;
}
// DAMP 2012, appendix: the bitonic sort written by hand. A thread for each element; of two that meet the
// lower one compares and swaps, in the direction of their run.
inline Pull<int> bitonic(Pull<int> a) {
  a = k::sync(a);
  for (std::int64_t run = 2; run <= a.size(); run *= 2)
    for (std::int64_t distance = run / 2; distance > 0; distance /= 2)
      a = k::sync(Push<int>(a.size(), [=](const Push<int>::Write& write) {
        k::par(a.size(), [&](k::Index tid) {
          const k::Index partner = tid ^ distance;
          k::when(tid < partner, [&] {
            const Exp<int> low = a[tid], high = a[partner];
            const Exp<bool> swaps = select((tid & run) == 0, high < low, low < high);
            write(tid, select(swaps, high, low));
            write(partner, select(swaps, low, high));
          });
        });
      }));
  return a;
}
// 2008, section 4.
inline Pull<int> rev_add(Pull<int> a) {
  return k::sync(k::map([](Exp<int> x) { return x + 1; }, k::sync(k::reverse(a))));
}
inline Pull<int> scan_add(Pull<int> a) {
  return k::sklansky(plus, a);
}
inline Pull<int> scan_add_2(Pull<int> a) {
  return k::sklansky(plus, k::sync(a));
}

}  // namespace fulgurite::papers
