// Walks over nests that have an axis of the Soac inside of a map (schedule::Axis::of) share this: the part of
// the space that a task takes, and its columns, the points of the map's last axis, in lanes.
#pragma once

#include "schedule/ir.h"
#include "walk/lanes/pieces.h"
#include "walk/lanes/space.h"

namespace fulgurite::walk::lanes {

/// In the code of a task; the phase outlives it.
class OuterNest {
 public:
  OuterNest(const Emitter& task, const schedule::Phase&);

  const schedule::Nest& nest() const { return nest_; }
  const soac::Soac& map() const { return map_; }
  /// The axis of the inner Soac, its rows; the axis of the columns is the one before it.
  std::size_t row_axis() const { return row_axis_; }
  const Space& space() const { return space_; }

  /// What a task has of the columns, with the outer rows of the map, and of the rows.
  struct Part {
    Range columns;
    Interval rows;
  };
  Part part() const;

  /// Some neighbouring columns of one row of the map.
  struct Columns {
    std::span<const Expr> outer;
    Expr begin, end;
  };
  struct Point {
    const Emitter& e;
    const soac::Applied& body;
    std::span<const Expr> indices;
    Expr number;
    /// The last one of the indices in the first lane.
    Expr first;
    std::int64_t lanes;
  };
  using AtPoint = std::function<void(const Point&)>;
  /// Where points store: full vectors have no mask, and a head is left out (Steps).
  struct Stores {
    bool any = false;
    Expr head = {};
  };
  /// For each of them in lanes: the map's function at its point. As many lanes as the nest says.
  void at_points(const Emitter&, const schedule::Nest&, const Columns&, const Stores&, const AtPoint&) const;

 private:
  const Emitter& e_;
  scalar::Arena& arena_;
  const schedule::Nest& nest_;
  const soac::Soac& map_;
  const std::size_t row_axis_;
  const bool at_least_one_;
  const Space space_;
};

}  // namespace fulgurite::walk::lanes
