// The points of a Soac's space as the loops of one task meet them.
#pragma once

#include "walk/lanes/range.h"

namespace fulgurite::walk::lanes {

class Space {
 public:
  /// Where the points lie in segments: the name that has the number of the segment while it is walked.
  struct Segments {
    Expr offsets;
    Var number{};
  };
  /// The emitter stands in scalar code of the task.
  Space(const Emitter&, const soac::Soac&, bool is_linear, std::optional<Segments> = {});

  /// The rows of the range one after the other, with their outer indices; or its part of each segment.
  using Row = std::function<void(std::span<const Expr> outer, Expr begin, Expr end)>;
  void rows(const Emitter&, const Range&, const Row&) const;
  /// Walks n neighbouring rows at a time, for which `together` is given the outer indices of the
  /// first. Rows that are left are given to `single`. The range is no range of points.
  void rows(const Emitter&, const Range&, std::int64_t n, const Row& together, const Row& single) const;

  /// The axis along which a plane's rows lie.
  std::size_t row_axis(const Range&) const;

  /// Calls body with the indices and the number of point j of the innermost axis.
  using AtPoint = std::function<void(const Emitter& at, std::span<const Expr> indices, Expr number)>;
  void at_point(const Emitter&, std::span<const Expr> outer, Expr j, const AtPoint& body) const;
  /// The code of one point.
  void element(const Emitter&, const soac::Stm&, std::span<const Expr> outer, Expr j, const Running&) const;

  const std::vector<Expr>& dims() const { return dims_; }
  bool is_linear() const { return is_linear_; }
  bool has_segments() const { return segments_.has_value(); }

 private:
  /// The rows [from, to) of a plane by their index i along the row axis, whose place in `outer` is free; row
  /// i is row `first` + i of all.
  using Plane = std::function<void(const std::vector<Expr>& outer, Expr from, Expr to, Expr first)>;
  void planes(const Emitter&, const Range&, Expr first, Expr last, const Plane&) const;
  void decode(const Emitter&, Expr plane, std::span<Expr> indices, std::span<const Expr> extents) const;
  using RowOfPlane = std::function<void(std::span<const Expr> outer, Expr i)>;
  void each_row(const Emitter&, std::vector<Expr> outer, std::size_t axis, Expr from, Expr to,
                std::int64_t step, const RowOfPlane&) const;

  void segments(const Emitter&, Expr begin, Expr end, const Row&) const;
  Expr segment_of(const Emitter&, Expr point) const;

  scalar::Arena& arena_;
  const bool is_linear_;
  const std::optional<Segments> segments_;
  const std::vector<Expr> dims_;  // lowered
};

}  // namespace fulgurite::walk::lanes
