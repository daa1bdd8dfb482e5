// The large sorter of DAMP 2012 (section 4, figures 6 and 7) as one program: a small sorter of blocks, then
// runs of twice and twice again the size, each merged by comparators over the whole array as long as they
// reach further than a block (vSwap, iSwap), and by a merger within blocks. No kernel is written by hand; the
// coordination is loops of the array language, and all of it works in one array.
#pragma once

#include <fulgurite/kernel.h>

namespace large_sorter {

namespace fg = fulgurite;
namespace k = fulgurite::kernel;
using fg::Exp;
using fg::Vec;
using k::Index;
using k::Pull;

// Elements of a block are 2^block_bits; a pass over the array makes `stages` columns of comparators, on tiles
// whose rows are `columns` neighbours.
struct Widths {
  int block_bits = 9;
  int stages = 3;
  std::int64_t columns = 64;
};

template <class T>
using Held = std::vector<Exp<T>>;  // by one thread

template <class T>
void compare(Exp<T>& low, Exp<T>& high) {
  const Exp<T> least = fg::min(low, high), most = fg::max(low, high);
  low = least, high = most;
}

// A bitonic sequence is sorted by comparators at half the distance each time.
template <class T>
Held<T> merged(Held<T> x, std::size_t distance) {
  for (; distance > 0; distance /= 2)
    for (std::size_t i = 0; i < x.size(); ++i)
      if ((i & distance) == 0) compare(x[i], x[i + distance]);
  return x;
}
template <class T>
Held<T> bitonic(Held<T> x) {
  return merged(x, x.size() / 2);
}
// Two sorted halves: the first column of comparators meets the second half from its end.
template <class T>
Held<T> two_sorted(Held<T> x) {
  for (std::size_t i = 0; i < x.size() / 2; ++i) compare(x[i], x[x.size() - 1 - i]);
  return merged(x, x.size() / 4);
}

// Columns of comparators whose distances are 2^(bits - 1) ... 1: up to `stages` of them by each thread alone,
// while that leaves neighbours to neighbouring threads; then one by one.
template <class T>
Pull<T> bitonic_bits(int bits, int stages, Pull<T> a) {
  constexpr int near = 4;  // elements of a vector, or of as many banks, are 2^near
  while (bits > near) {
    const int now = std::min(bits - near, stages);
    bits -= now;
    a = k::sync(k::ilv_k(bits, now, bitonic<T>, a));
  }
  while (bits > 0) a = k::sync(k::ilv(--bits, fg::min, fg::max, a));
  return a;
}

// Each run of 2^bits elements is two sorted ones: read from its end, the second makes them bitonic.
template <class T>
Pull<T> second_reversed(int bits, Pull<T> a) {
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return k::ix_map([half](Index i) { return fg::select((i & half) == 0, i, i ^ (half - 1)); }, a);
}

template <class T>
Pull<T> sorted_block(int stages, Pull<T> a) {
  for (int bits = 1; bits <= k::log2(a.size()); ++bits)
    a = bitonic_bits(bits, stages, second_reversed(bits, a));
  return a;
}

// Blocks are sorted: merges them, runs of twice the size each time. The size of the array is a power of two,
// of at least a block; others raise a ShapeError.
template <class T>
Vec<T> merged_blocks(Vec<T> blocks, Widths widths) {
  const std::int64_t block = std::int64_t{1} << widths.block_bits;
  const int stages = widths.stages;

  const auto merger = k::kernel("merger", k::updated<T>(), [=](k::Updated<T> a) {
    const k::Tiles tiles = k::neighbours(a.size(), block);
    return k::update(a, tiles, bitonic_bits(widths.block_bits, stages, k::tile(a, tiles)));
  });
  // The first n columns of a merger of runs of 2^n * stride elements; n columns in its middle.
  const auto swap = [=](const char* name, int n, k::Upper upper) {
    return k::kernel(name, k::updated<T>(), k::scalar<std::int64_t>(), [=](k::Updated<T> a, Index stride) {
      const k::Tiles rows = k::rows_apart(a.size(), std::int64_t{1} << n, widths.columns, stride, upper);
      const auto columns = upper == k::Upper::mirrored ? two_sorted<T> : bitonic<T>;
      return k::update(a, rows, k::ilv_k(k::log2(widths.columns), n, columns, k::tile(a, rows)));
    });
  };
  const auto i_swap = swap("i_swap", stages, k::Upper::straight);
  // A pass over n columns, 1 to `stages`: as many as passes of `stages` columns leave.
  const std::function<Vec<T>(Vec<T>, Index, Index, int)> v_swapped = [&](Vec<T> a, Index run, Index n,
                                                                         int least) {
    const auto v_swap = swap("v_swap", least, k::Upper::mirrored);
    if (least == stages) return k::call(v_swap, a, run >> least);
    return fg::cond(
        n == least, [&] { return k::call(v_swap, a, run >> least); },
        [&] { return v_swapped(a, run, n, least + 1); });
  };

  const auto runs_of_more_than_one_block = [&](Vec<T> a, Index level) { return (block << level) < a.size(); };
  const auto merge_runs = [&](Vec<T> a, Index level) {
    const Index run = block << (level + 1), first = level % stages + 1;
    const Vec<T> far = fg::iterate(
        level / stages,
        [&](Index pass, Vec<T> x) { return k::call(i_swap, x, run >> (first + (pass + 1) * stages)); },
        v_swapped(a, run, first, 1));
    return std::tuple{k::call(merger, far), level + 1};
  };
  return std::get<0>(fg::while_loop(runs_of_more_than_one_block, merge_runs, blocks, Index(0)));
}

// Blocks sorted by a function of pull arrays.
template <class T, class Small>
Vec<T> sorted_blocks(Vec<T> xs, Widths widths, const Small& small) {
  return k::call(k::kernel("small_sorter", k::block<T>(std::int64_t{1} << widths.block_bits), small), xs);
}

// A sorted copy of an array whose size is a power of two, of at least a block.
template <class T>
Vec<T> sorted(Vec<T> xs, Widths widths = {}) {
  const auto small = [=](Pull<T> a) { return sorted_block(widths.stages, a); };
  return merged_blocks(sorted_blocks(xs, widths, small), widths);
}

}  // namespace large_sorter
