#include "walk/lanes/outer_nest.h"

#include "schedule/nest.h"
#include "soac/rename.h"

namespace fulgurite::walk::lanes {

using schedule::Unit;

OuterNest::OuterNest(const Emitter& task, const schedule::Phase& phase)
    : e_(task),
      arena_(task.arena()),
      nest_(std::get<schedule::Nest>(phase.walk)),
      map_(std::get<soac::Soac>(phase.computes.op)),
      row_axis_(nest_.axes.size() - 1),
      at_least_one_(phase.at_least_one),
      space_(task, map_, false) {}

OuterNest::Part OuterNest::part() const {
  Part part;
  Expr number = e_.context().task;
  for (auto cut = nest_.cuts.rbegin(); cut != nest_.cuts.rend(); ++cut) {
    if (cut->unit != Unit::grid && cut->unit != Unit::turn) continue;
    const Interval here = piece_of_task(e_, nest_, cut->axis, number, at_least_one_);
    if (cut->axis == row_axis_) {
      part.rows = here;
    } else if (cut->axis + 1 == row_axis_) {
      part.columns.begin = here.begin;
      part.columns.end = here.end;
    } else {
      part.columns.first_row = here.begin;
      part.columns.last_row = here.end;
    }
  }
  return part;
}

void OuterNest::at_points(const Emitter& e, const schedule::Nest& nest, const Columns& all,
                          const Stores& stores, const AtPoint& body) const {
  const Steps::Point point = [&](const Emitter& of_lane, Expr, Expr j, Expr first, std::int64_t lanes) {
    space_.at_point(of_lane, all.outer, j,
                    [&](const Emitter& at, std::span<const Expr> indices, Expr number) {
                      body({at, soac::apply(arena_, map_.body, indices), indices, number, first, lanes});
                    });
  };
  steps_of(nest, stores.any)(e, all.begin, all.end, point, stores.head);
}

}  // namespace fulgurite::walk::lanes
