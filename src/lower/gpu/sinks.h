// What a walk over points leaves behind beside elements of arrays, and how.
#pragma once

#include "lower/gpu/look_back.h"

namespace fulgurite::lower::gpu {

/// How the values of a scatter's points get to their places.
struct Update {
  enum class How : std::uint8_t {
    plain,     // no other point of the launch has the place
    ranked,    // the same, and it is what the Scan number `rank` gives: how many points before have one
    exchange,  // of several values any stays
    winner,    // the value stays of the point that winners[place] names
    atomic,    // by one operation of memory
    in_order,  // bins[task][place] = bins[task][place] op values, in the order of the points
  };
  How how = How::plain;
  kernel::Atomic::What what = kernel::Atomic::What::add;
  std::size_t rank = 0;
  Var winners{};
  std::vector<Var> bins = {};
};

/// Where the points' values go.
struct Sinks {
  std::vector<Update> scatters = {};  // of each
  std::vector<Var> tables = {};       // of each partition: table[class * tasks + task], where the task's next
                                      // point of the class goes
  /// Of each level of Scans; none: what they go on from is given. Else the run is one tile, of the block's
  /// number, and they go on from what is given where it is the first.
  std::vector<Published> published = {};
};

/// Gets the values of the point with this number to their elements: how is plain, exchange, winner or atomic.
void update(const Emitter&, const Update& how, Expr number, std::span<const std::pair<Var, Expr>> elements,
            std::span<const Expr> values);

}  // namespace fulgurite::lower::gpu
