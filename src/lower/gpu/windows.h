// Maps, and reductions in any order, whose points read an array at several constant distances from their own
// place (slices of one array, stencils): a block takes a strip of the points, leaves the part of the array
// that they read in shared memory once, and reads neighbours from there (Larsen 2010, section 3.4.7).
#pragma once

#include "lower/gpu/frame.h"
#include "lower/gpu/window_producers.h"

namespace fulgurite::lower::gpu {

/// What points read of an array around them. The last index, and where the space has two axes or
/// more the last but one, are those of the point, plus `base`, plus constants between `low` and `high`; the
/// others are the same for neighbouring points.
struct Window {
  struct Read {
    Expr element;
    std::vector<std::int64_t> distance;  // what is added to the base, on each of these axes
  };
  Var array;
  std::vector<Expr> outer, base;
  std::vector<std::int64_t> low, high;
  std::vector<Read> reads;

  std::int64_t around(std::size_t axis) const { return high[axis] - low[axis]; }
};

struct Windows {
  std::vector<Window> all;
  Strip strip;  // of the points of a block
};

/// Nothing unless the Soac gives elements and totals in any order, without loops, and several of its reads
/// share a window.
Windows windows_of(scalar::Arena&, const soac::Soac&, const Target&);

/// How many there are.
Expr blocks_of(Frame&, const Strip&);
/// A phase of so many blocks: of the frame's statement. Windows hold what producers compute, or elements of
/// arrays in memory.
void walk_strips(Frame&, const Windows&, const WindowProducers&, const Frame::Finish&);

}  // namespace fulgurite::lower::gpu
