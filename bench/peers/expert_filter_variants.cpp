// Hand-written filters of other types, and a partition: the algorithm of expert_scan.cpp, once for all.
#include <immintrin.h>

#include <algorithm>
#include <vector>

#include "peers/expert.h"
#include "peers/variant_functions.h"

namespace bench {
namespace {

// What is kept of a vector of elements, packed, as the first elements at `out`; returns how many.
struct DoublesBelowHalf {
  using Element = double;
  static constexpr std::int64_t lanes = 8;
  using Lanes = __m512d;
  using Mask = __mmask8;
  static Lanes load(const Element* p) { return _mm512_loadu_pd(p); }
  static Mask keep(Lanes v) { return _mm512_cmp_pd_mask(v, _mm512_set1_pd(.5), _CMP_LT_OQ); }
  static void pack(Element* out, Mask first, Mask kept, Lanes v) {
    _mm512_mask_storeu_pd(out, first, _mm512_maskz_compress_pd(kept, v));
  }
};
struct EvenBytes {
  using Element = std::uint8_t;
  static constexpr std::int64_t lanes = 64;
  using Lanes = __m512i;
  using Mask = __mmask64;
  static Lanes load(const Element* p) { return _mm512_loadu_si512(p); }
  static Mask keep(Lanes v) { return _mm512_testn_epi8_mask(v, _mm512_set1_epi8(1)); }
  static void pack(Element* out, Mask first, Mask kept, Lanes v) {
    _mm512_mask_storeu_epi8(out, first, _mm512_maskz_compress_epi8(kept, v));
  }
};
struct EvenInts {
  using Element = std::int32_t;
  static constexpr std::int64_t lanes = 16;
  using Lanes = __m512i;
  using Mask = __mmask16;
  static Lanes load(const Element* p) { return _mm512_loadu_si512(p); }
  static Mask keep(Lanes v) { return _mm512_testn_epi32_mask(v, _mm512_set1_epi32(1)); }
  static void pack(Element* out, Mask first, Mask kept, Lanes v) {
    _mm512_mask_storeu_epi32(out, first, _mm512_maskz_compress_epi32(kept, v));
  }
};

template <class Choice>
typename Choice::Mask first_of(std::int64_t count) {
  return count >= Choice::lanes ? static_cast<typename Choice::Mask>(-1)
                                : static_cast<typename Choice::Mask>((std::uint64_t{1} << count) - 1);
}

// Compressed in registers, then stored whole: compressing stores are slow on Zen.
template <class Choice, bool both>
std::int64_t pack_piece(const typename Choice::Element* p, typename Choice::Element* out,
                        typename Choice::Element* rest, std::int64_t first, std::int64_t last) {
  std::int64_t kept = 0, others = 0;
  const auto step = [&](std::int64_t i, typename Choice::Mask valid) {
    const auto v = Choice::load(p + i);
    const auto keep = Choice::keep(v);
    const auto chosen = static_cast<typename Choice::Mask>(keep & valid);
    const std::int64_t n = __builtin_popcountll(chosen);
    Choice::pack(out + kept, first_of<Choice>(n), chosen, v);
    kept += n;
    if (both) {
      const auto left = static_cast<typename Choice::Mask>(~keep & valid);
      const std::int64_t m = __builtin_popcountll(left);
      Choice::pack(rest + others, first_of<Choice>(m), left, v);
      others += m;
    }
  };
  std::int64_t i = first;
  for (; i + Choice::lanes <= last; i += Choice::lanes) step(i, static_cast<typename Choice::Mask>(-1));
  if (i < last) step(i, first_of<Choice>(last - i));
  return kept;
}
template <class Choice>
std::int64_t count_kept(const typename Choice::Element* p, std::int64_t first, std::int64_t last) {
  std::int64_t kept = 0, i = first;
  for (; i + Choice::lanes <= last; i += Choice::lanes)
    kept += __builtin_popcountll(Choice::keep(Choice::load(p + i)));
  if (i < last) kept += __builtin_popcountll(Choice::keep(Choice::load(p + i)) & first_of<Choice>(last - i));
  return kept;
}

template <class Choice, bool both = false>
void pack_tiles(Data& d, const typename Choice::Element* p, typename Choice::Element* out,
                typename Choice::Element* rest = nullptr) {
  constexpr std::int64_t tile = 131072 / sizeof(typename Choice::Element);
  const std::int64_t n = d.n, tiles = (n + tile - 1) / tile;
  if (n < tile) {
    d.results[0] = static_cast<double>(pack_piece<Choice, both>(p, out, rest, 0, n));
    return;
  }
  const Chain chain = Chain::next();
#pragma omp parallel
  for (std::int64_t k = omp_get_thread_num(); k < tiles; k += omp_get_num_threads()) {
    const std::int64_t first = k * tile, last = std::min(n, first + tile);
    const std::int64_t count = count_kept<Choice>(p, first, last);
    const std::int64_t prefix = chain.wait_for_prefix(k);
    chain.publish(k, static_cast<std::int32_t>(prefix + count));
    pack_piece<Choice, both>(p, out + prefix, both ? rest + (first - prefix) : nullptr, first, last);
  }
  d.results[0] = chain.wait_for_prefix(tiles);
}

// Whole cache lines past the caches; what lies before the first and after the last with ordinary stores.
template <class Element>
void stream_out(const Element* from, Element* to, std::int64_t n) {
  const std::int64_t before_line = (64 - reinterpret_cast<std::uintptr_t>(to) % 64) % 64 / sizeof(Element);
  const std::int64_t head = std::min(n, before_line), line = 64 / sizeof(Element);
  std::copy_n(from, head, to);
  std::int64_t i = head;
  for (; i + line <= n; i += line)
    _mm512_stream_si512(reinterpret_cast<Ints*>(to + i), _mm512_loadu_si512(from + i));
  std::copy(from + i, from + n, to + i);
}

// Each tile is packed once, into a buffer that stays in the cache, and streamed from there.
template <class Choice, bool both = false>
void stream_tiles(Data& d, const typename Choice::Element* p, typename Choice::Element* out,
                  typename Choice::Element* rest = nullptr) {
  using Element = typename Choice::Element;
  constexpr std::int64_t tile = 131072 / sizeof(Element);
  struct alignas(64) Buffers {
    Element kept[tile + 64], others[both ? tile + 64 : 1];
  };
  static std::vector<Buffers> buffers(static_cast<std::size_t>(threads()));
  const std::int64_t n = d.n, tiles = (n + tile - 1) / tile;
  const Chain chain = Chain::next();
#pragma omp parallel num_threads(threads())
  {
    Buffers& own = buffers[static_cast<std::size_t>(omp_get_thread_num())];
    for (std::int64_t k = omp_get_thread_num(); k < tiles; k += omp_get_num_threads()) {
      const std::int64_t first = k * tile, last = std::min(n, first + tile);
      const std::int64_t count = pack_piece<Choice, both>(p, own.kept, own.others, first, last);
      const std::int64_t prefix = chain.wait_for_prefix(k);
      chain.publish(k, static_cast<std::int32_t>(prefix + count));
      stream_out(own.kept, out + prefix, count);
      if (both) stream_out(own.others, rest + (first - prefix), last - first - count);
    }
    _mm_sfence();
  }
  d.results[0] = chain.wait_for_prefix(tiles);
}

void join_parts(Data& d) {
  const auto even = static_cast<std::int64_t>(d.results[0]);
  std::copy_n(d.out_ints2, d.n - even, d.out_ints + even);
}

}  // namespace

void add_expert_filter_variants_peers(Peers& peers) {
  peers.add("FilterEven-f64", "omp-expert",
            [](Data& d) { pack_tiles<DoublesBelowHalf>(d, d.x_f64, d.out_f64); });
  peers.add("FilterEven-u8", "omp-expert", [](Data& d) { pack_tiles<EvenBytes>(d, d.small_u8, d.out_u8); });
  peers.add(
      "FilterEven-partition", "omp-expert",
      [](Data& d) { pack_tiles<EvenInts, true>(d, d.small, d.out_ints, d.out_ints2); }, join_parts);

  peers.add("FilterEven-f64", "omp-expert-nt",
            [](Data& d) { stream_tiles<DoublesBelowHalf>(d, d.x_f64, d.out_f64); });
  peers.add("FilterEven-u8", "omp-expert-nt",
            [](Data& d) { stream_tiles<EvenBytes>(d, d.small_u8, d.out_u8); });
  peers.add(
      "FilterEven-partition", "omp-expert-nt",
      [](Data& d) { stream_tiles<EvenInts, true>(d, d.small, d.out_ints, d.out_ints2); }, join_parts);
}

}  // namespace bench
