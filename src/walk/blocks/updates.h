// How values of scatters and partitions get to their places, and what Scans go on from, by the schedule.
#pragma once

#include "parts/look_back.h"
#include "parts/shared_bins.h"
#include "schedule/ir.h"
#include "walk/blocks/threads.h"
#include "walk/points.h"

namespace fulgurite::walk::blocks {

/// How the values of a scatter's points get to their places.
struct Update {
  enum class How : std::uint8_t {
    plain,     // no other point of the launch has the place
    packed,    // as plain, and Scan number `scan` gives the place: how many earlier points have one
    exchange,  // of several values any stays
    winner,    // the value stays of the point that memory[0][place] names
    atomic,    // by one operation of memory
    kept,      // by one operation of memory, in bins of each block: memory[0][place * tasks + task]
    in_order,  // memory[task][place] = memory[task][place] op values, in the order of the points
  };
  How how = How::plain;
  std::size_t scan = 0;
  std::vector<Var> memory = {};
  parts::BinLimits limits = {};  // of bins in shared memory; no bytes: there are none
  kernel::Atomic::What what = kernel::Atomic::What::exchange;  // of exchange, atomic
};

/// How each scatter's values get to their places.
std::vector<Update> updates_of(const soac::Stm&, const schedule::Nest&);

/// A table for each partition: table[class * tasks + task] is where the task's next point of the class goes.
std::vector<Var> tables_of(const soac::Soac&, const schedule::Nest&);
/// Whether a tile's points are sorted by class before they go there.
bool is_dealt(const schedule::Nest&, std::size_t partition);

/// What blocks that look back publish, for each level of Scans; none where Scans have given first values.
std::vector<parts::Published> published_by(const soac::Soac&, const schedule::Nest&, Expr tasks);

/// The values from which the Scans go on: given for the task, or the ones that the first task begins with.
Running::Groups entry_of(const Emitter& task, const soac::Soac&, const schedule::Nest&);

/// Brings the values of the point with this number to their elements: how is plain, exchange, winner or
/// atomic.
void update(const Emitter&, const Update& how, Expr number, std::span<const std::pair<Var, Expr>> elements,
            std::span<const Expr> values);

}  // namespace fulgurite::walk::blocks
