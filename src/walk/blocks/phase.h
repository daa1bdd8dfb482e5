// A phase of a launch of blocks, on its way to code.
#pragma once

#include "walk/blocks/points.h"
#include "walk/phase.h"

namespace fulgurite::walk::blocks {

/// The phase, its launch, and the code that it goes to.
struct Phase {
  const Emitter& e;
  const schedule::Launch& launch;
  const schedule::Phase& of;

  scalar::Arena& arena() const { return e.arena(); }
  Expr i64(std::int64_t value) const { return e.arena().i64(value); }
  const soac::Stm& computes() const { return of.computes; }
  const soac::Soac& op() const { return std::get<soac::Soac>(of.computes.op); }
  const schedule::Nest& nest() const { return std::get<schedule::Nest>(of.walk); }
  /// A number of its skeleton.
  std::int64_t number(std::string_view name) const { return number_of(skeleton_of(of), name); }
};

/// body(task, block) as the code of each task.
using OfBlock = std::function<void(const Emitter& task, const Block&)>;
void for_tasks(const Phase&, int threads, const OfBlock& body);

/// Phases by the form of their walks: points in their order (points.h); rows, that tasks share; strips of a
/// space whose points read around them, with windows in shared memory; square tiles that are read crosswise;
/// short rows, whose columns the block brings to shared memory; rows of any lengths; tiles of points that
/// share operands.
void walk_over_points(const Phase&);
void walk_parts_of_rows(const Phase&);
void walk_strips(const Phase&);
void walk_tiles(const Phase&);
void walk_short_rows(const Phase&);
void walk_ragged_rows(const Phase&);
void walk_products(const Phase&);

}  // namespace fulgurite::walk::blocks
