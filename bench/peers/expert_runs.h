// Reductions by operators that do not commute: each lane owns a contiguous run of every block, an in-register
// transpose feeds it. Two vectors of lanes hide each other's latency.
#pragma once

#include "peers/expert_lanes.h"
#include "peers/expert_matrix.h"

namespace bench {

// Runs: the states of 16 lanes, which begin at the unit; step(elements) appends one to each. Runs::of gives
// the state of one element, Runs::joined that of two states.
template <class Runs, class State, class T>
State fold_runs(const T* x, std::int64_t first, std::int64_t last, State unit) {
  constexpr std::int64_t length = 64, n_sets = 2, block = n_sets * 16 * length;
  State all = unit;
  std::int64_t i = first;
  for (; i + block <= last; i += block) {
    Runs runs[n_sets];
    for (std::int64_t k = 0; k < length; k += 16) {
      Ints q[n_sets][16];
      for (int s = 0; s < n_sets; ++s) {
        for (int l = 0; l < 16; ++l) {
          const T* from = x + i + (s * 16 + l) * length + k;
          _mm_prefetch(reinterpret_cast<const char*>(x + i + 2 * block + (k * 2 + s * 16 + l) * 16),
                       _MM_HINT_T0);
          q[s][l] = _mm512_loadu_si512(from);
        }
        transpose(q[s]);
      }
      for (int l = 0; l < 16; ++l)
        for (int s = 0; s < n_sets; ++s) runs[s].step(q[s][l]);
    }
    for (const Runs& own : runs)
      for (int l = 0; l < 16; ++l) all = Runs::joined(all, own.lane(l));
  }
  for (; i < last; ++i) all = Runs::joined(all, Runs::of(x[i]));
  return all;
}
template <class Runs, class State, class T>
State fold_in_order(const T* x, std::int64_t n, State unit) {
  return fold_parts(
      n, unit, [&](std::int64_t first, std::int64_t last) { return fold_runs<Runs>(x, first, last, unit); },
      [](State a, State b) { return Runs::joined(a, b); });
}

}  // namespace bench
