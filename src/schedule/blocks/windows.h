// Maps, and reductions in any order, whose points read an array at several constant distances from their own
// place (slices of one array, stencils): a block takes a strip of the points, leaves the part of the array
// that they read in shared memory once, and reads neighbours from there (Larsen 2010, section 3.4.7).
#pragma once

#include <optional>

#include "schedule/surroundings.h"

namespace fulgurite::schedule {

/// What points read of an array around them. The last index, and where the space has two axes or more the
/// last but one, are the point's, plus `base`, plus constants between `low` and `high`; the others are
/// the same for neighbouring points.
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

/// The windows of a Soac that serve these stages.
std::vector<Window> windows_of(scalar::Arena&, const soac::Soac&, std::span<const Stage>);

/// A block's part of a space whose points read around them.
struct Strip {
  std::int64_t columns = 0;  // points of the last axis, at most
  std::int64_t rows = 1;     // of the axis before, at least
  std::int64_t window = 0;   // elements of an array that lie in shared memory at a time
  bool operator==(const Strip&) const = default;
};
/// Nothing where the windows do not fit. `rows`, `columns`: how far the reads of one array are apart;
/// `has_rows`: the space has these; `bytes`: of an element of each array.
std::optional<Strip> choose_strip(const Surroundings&, bool has_rows, std::int64_t rows, std::int64_t columns,
                                  std::int64_t bytes);

struct Windows {
  std::vector<Window> all;
  Strip strip;  // of the points of a block
};
/// The windows that are worth it. Nothing unless the Soac gives elements and totals in any order, without
/// loops, and several of its reads share a window.
Windows choose_windows(const Surroundings&, const soac::Soac&);

}  // namespace fulgurite::schedule
