// The pieces that a task and its lanes take of the axes of a nest whose walk has loops of its own.
#pragma once

#include <functional>

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

/// What a task has of an axis.
struct Interval {
  Expr begin, end;
};
/// Tasks are numbered with the pieces of the innermost of some axes fastest: `number`, of a task among the
/// pieces of this axis and of those around it, becomes that among the latter.
Interval piece_of_task(const Emitter&, const schedule::Nest&, std::size_t axis, Expr& number);
/// The same of the outermost axis, among whose pieces `number` is one.
Interval last_piece_of_task(const Emitter&, const schedule::Nest&, std::size_t axis, Expr number);

/// Points [begin, end) in lanes: whole steps, then the remainder in vectors with a mask.
class Steps {
 public:
  Steps(std::int64_t lanes, std::int64_t rest) : lanes_(lanes), rest_(rest) {}

  /// The point in lanes is j, and t how far it is from that of the first lane.
  using Point = std::function<void(const Emitter&, Expr t, Expr j)>;
  void operator()(const Emitter& task, Expr begin, Expr end, const Point& point) const;

 private:
  const std::int64_t lanes_, rest_;
};
/// Those of a nest's cut for lanes.
Steps steps_of(const schedule::Nest&);

}  // namespace fulgurite::walk::lanes
