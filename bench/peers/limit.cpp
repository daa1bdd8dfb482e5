// "limit-normal" and "limit-nt": the time to stream the arrays that a benchmark must touch, with ordinary and
// with non-temporal stores, on the harness's own arrays and in the same rounds as the peers. They compute
// nothing useful, so they have no checksum.
#include <array>

#include "harness/data.h"
#include "peers/expert.h"

namespace bench {
namespace {

template <int n_writes, bool non_temporal, std::size_t n_reads>
void stream(Data& d, std::array<const void*, n_reads> reads) {
  constexpr std::int64_t step = 128;
  const std::int64_t n = d.n / step * step;
  float* writes[2] = {d.out, d.out2};
  static volatile float sink[16 * most_threads];
#pragma omp parallel
  {
    const int thread = omp_get_thread_num(), team = omp_get_num_threads();
    const std::int64_t first = n * thread / team / step * step, last = n * (thread + 1) / team / step * step;
    Floats sums[8];
    for (Floats& sum : sums) sum = _mm512_setzero_ps();
    for (std::int64_t i = first; i < last; i += step)
      for (int u = 0; u < 8; ++u) {
        Floats v = all_lanes(1);
        for (std::size_t k = 0; k < n_reads; ++k) {
          const Floats element = _mm512_loadu_ps(static_cast<const float*>(reads[k]) + i + 16 * u);
          v = k ? _mm512_add_ps(v, element) : element;
        }
        if (n_writes == 0) sums[u] = _mm512_add_ps(sums[u], v);
        for (int k = 0; k < n_writes; ++k) {
          if (non_temporal) {
            _mm512_stream_ps(writes[k] + i + 16 * u, v);
          } else {
            _mm512_store_ps(writes[k] + i + 16 * u, v);
          }
        }
      }
    if (non_temporal) _mm_sfence();
    if (n_writes == 0) {
      for (int u = 1; u < 8; ++u) sums[0] = _mm512_add_ps(sums[0], sums[u]);
      sink[thread % most_threads * 16] = _mm512_reduce_add_ps(sums[0]);
    }
  }
}

using One = std::array<const void*, 1>;
using Two = std::array<const void*, 2>;
using Three = std::array<const void*, 3>;

}  // namespace

void add_limit_peers(Peers& peers) {
  for (const char* name : {"ReducePlus", "MSSP"})
    peers.add(name, "limit-normal", [](Data& d) { stream<0, false>(d, One{d.small}); });
  for (const char* name : {"ReduceMax", "IndexOfMax", "IndexOfMaxPack"})
    peers.add(name, "limit-normal", [](Data& d) { stream<0, false>(d, One{d.tied}); });
  for (const char* name : {"Hist10", "Hist256"})
    peers.add(name, "limit-normal", [](Data& d) { stream<0, false>(d, One{d.keys}); });
  for (const char* name : {"SDOT", "RMSE"})
    peers.add(name, "limit-normal", [](Data& d) { stream<0, false>(d, Two{d.x, d.y}); });
  peers.add("ScanPlus", "limit-normal", [](Data& d) { stream<1, false>(d, One{d.small}); });
  peers.add("ScanPlus", "limit-nt", [](Data& d) { stream<1, true>(d, One{d.small}); });
  peers.add("ScanMax", "limit-normal", [](Data& d) { stream<1, false>(d, One{d.x}); });
  peers.add("ScanMax", "limit-nt", [](Data& d) { stream<1, true>(d, One{d.x}); });
  peers.add("SAXPY", "limit-normal", [](Data& d) { stream<1, false>(d, Two{d.x, d.y}); });
  peers.add("SAXPY", "limit-nt", [](Data& d) { stream<1, true>(d, Two{d.x, d.y}); });
  for (const char* name : {"ForwardDiff", "WMA15", "Jacobi2D"}) {
    peers.add(name, "limit-normal", [](Data& d) { stream<1, false>(d, One{d.x}); });
    peers.add(name, "limit-nt", [](Data& d) { stream<1, true>(d, One{d.x}); });
  }
  for (const char* name : {"RedomapNT", "RedomapNT-paper"}) {
    peers.add(name, "limit-normal", [](Data& d) { stream<2, false>(d, std::array<const void*, 0>{}); });
    peers.add(name, "limit-nt", [](Data& d) { stream<2, true>(d, std::array<const void*, 0>{}); });
  }
  peers.add("BlackScholesMap", "limit-normal",
            [](Data& d) { stream<2, false>(d, Three{d.spot, d.strike, d.years}); });
  peers.add("BlackScholesMap", "limit-nt",
            [](Data& d) { stream<2, true>(d, Three{d.spot, d.strike, d.years}); });
}

}  // namespace bench
