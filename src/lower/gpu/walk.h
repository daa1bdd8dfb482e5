// A combinator as the code of one block of threads: the block walks a run of the points. What does not depend
// on the order of the points is done in strides of the block, so that neighbouring threads touch neighbouring
// elements, and joined in a tree at the end. What does (Scans, operators that do not commute) goes tile by
// tile: operands of neighbouring points are computed by neighbouring threads and left in shared memory, where
// each thread then folds a run of its own (collective.h).
#pragma once

#include <optional>

#include "lower/block_loop.h"
#include "lower/gpu/collective.h"
#include "lower/gpu/policy.h"
#include "lower/launches.h"

namespace fulgurite::lower::gpu {

/// How the values of a scatter's points get to their places.
struct Update {
  enum class How : std::uint8_t {
    plain,     // no other point of the launch has the place
    exchange,  // of several values one stays
    winner,    // the value stays of the point that winners[place] names
    atomic,    // by one operation of memory
    in_order,  // bins[task][place] = bins[task][place] op values, in the order of the points
  };
  How how = How::plain;
  kernel::Atomic::What what = kernel::Atomic::What::add;
  Var winners{};
  std::vector<Var> bins = {};
};

/// Where the points' values go.
struct Sinks {
  std::vector<Update> scatters = {};  // of each
  std::vector<Var> tables = {};       // of each partition: table[class * tasks + task], where the task's next
                                      // point of the class goes
};

/// The points from `begin` on in front of `end`, in row-major order.
struct Run {
  Expr begin, end;
};

/// Lowers the walk of one block, with the emitter standing in scalar code of its task. Every Scan of the body
/// goes on from entry.scans. A barrier stands behind everything that the block reads or writes itself.
Ends walk(Launches&, Emitter&, const soac::Stm&, const Block&, const Run&, int items, const Entry& = {},
          const Sinks& = {});

}  // namespace fulgurite::lower::gpu
