// The pieces of one row, and the points of each in vectors of lanes or one by one.
#pragma once

#include <optional>

#include "schedule/rewrites/splits.h"
#include "walk/lanes/accumulators.h"
#include "walk/lanes/space.h"

namespace fulgurite::walk::lanes {

/// All that the parts of a walk over one statement share.
struct Walk {
  const Emitter& e;  // in scalar code of the task
  const soac::Stm& s;
  const Range& range;
  const Plan& plan;
  const Entry& entry;
  const schedule::LaneLoops loops;
  const Space space;
  const std::vector<Running::Cursor> partitions;  // with variables

  const soac::Soac& op() const { return std::get<soac::Soac>(s.op); }
  scalar::Arena& arena() const { return e.arena(); }
  Expr i64(std::int64_t value) const { return arena().i64(value); }
};

/// Calls `walk` for each piece of the columns [begin, end) of a row, with the statement as it is there: each
/// split cuts them in two, or sends the row one of two ways, and its condition is known in each (splits.h).
using Piece = std::function<void(const schedule::Region& piece, Expr from, Expr to)>;
void for_pieces(const Walk&, const Emitter&, std::span<const Expr> outer, Expr begin, Expr end,
                const Piece& walk);

/// Where tasks take turns, lanes ask for the elements that they read at the same number in their next task:
/// n from `from` on.
void read_ahead(const Walk&, const Emitter&, Expr from, int n);

/// Points of the columns [begin, end) of a row before the first whose element is stored where a cache line
/// begins, of what the piece of the statement maps, or replaces along its rows. Absent: nothing is stored
/// along rows, or they are known to be so short that a head would be as long as the rest.
Expr unaligned_head(const Walk&, const Emitter&, const soac::Stm& piece, std::span<const Expr> outer,
                    Expr begin, Expr end);

/// The columns [begin, end) of a row in lanes: a head up to where stores are aligned to a cache line, whole
/// steps of all lanes, and the remainder in single masked vectors.
void walk_columns(const Walk&, const Emitter&, const Accumulators&, const schedule::Region& piece,
                  std::span<const Expr> outer, Expr begin, Expr end);

/// The points [begin, end) of a segment in lanes. What they compute of the segment alone is computed first.
void walk_segment(const Walk&, const Emitter&, const Accumulators&, Expr begin, Expr end);

/// The columns [begin, end) of the neighbouring rows that lanes take one after the other, the first of which
/// has these outer indices: whole vectors, and the other columns one by one.
void walk_rows_together(const Walk&, const Emitter&, std::span<const Expr> first, Expr begin, Expr end);

}  // namespace fulgurite::walk::lanes
