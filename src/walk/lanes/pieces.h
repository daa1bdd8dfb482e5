// The pieces that a task and its lanes take of the axes of a nest whose walk has loops of its own.
#pragma once

#include <functional>

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

/// for (i = begin; i < end; i += step) body(i), one after the other without a loop if they are known to be
/// few.
void each(const Emitter&, Expr begin, Expr end, std::int64_t step, std::string_view name,
          const std::function<void(Expr)>& body);

/// Points [begin, end) of an axis, the piece with this number of n.
struct Interval {
  Expr begin, end, number, n;
};
/// What a task has of an axis, whose pieces are numbered fastest; `number` becomes that among the tasks of
/// the axes around it. at_least_one: there is a piece even if there are no points. A task has all of an axis
/// that is not cut into tasks.
Interval piece_of_task(const Emitter&, const schedule::Nest&, std::size_t axis, Expr& number,
                       bool at_least_one = false);

/// Code of lanes that may have no point. Their stores go through the cache.
Emitter masked(const Emitter&);

/// Points [begin, end) in lanes: whole steps, then the remainder in vectors of `rest` with a mask; those that
/// are full without one if `has_vectors`. The first `head` points, if it is given, are vectors with a mask as
/// well. Only whole steps bypass the caches. Where a cut says `overlap`, the remainder is vectors without a
/// mask, the last of which ends where the points do.
class Steps {
 public:
  Steps(std::int64_t lanes, std::int64_t rest, bool has_vectors = false, bool overlaps = false)
      : lanes_(lanes), rest_(rest), has_vectors_(has_vectors), overlaps_(overlaps) {}

  /// The point in lanes is j, that of the first of `lanes` lanes `first`, and t how far the one is from the
  /// other.
  using Point = std::function<void(const Emitter&, Expr t, Expr j, Expr first, std::int64_t lanes)>;
  void operator()(const Emitter& task, Expr begin, Expr end, const Point& point, Expr head = {}) const;

  /// All steps are whole, though lanes of the last one may have no point. The code may test two conditions:
  /// whether all lanes of the step have a point, and whether this one has.
  using Strip =
      std::function<void(const Emitter&, Expr t, Expr j, Expr first, Expr all_in_range, Expr in_range)>;
  void in_strips(const Emitter& task, Expr begin, Expr end, const Strip& strip) const;

 private:
  Expr whole(const Emitter& lane, std::int64_t lanes, Expr begin, Expr end, const Point& point) const;
  void with_mask(const Emitter& lane, Expr begin, Expr end, const Point& point) const;
  void overlapping(const Emitter& lane, Expr begin, Expr end, const Point& point) const;

  const std::int64_t lanes_, rest_;
  const bool has_vectors_, overlaps_;
};
/// The steps of a nest's cut for lanes.
Steps steps_of(const schedule::Nest&, bool has_vectors = false);

}  // namespace fulgurite::walk::lanes
