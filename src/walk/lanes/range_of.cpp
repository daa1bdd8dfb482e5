#include "walk/lanes/range_of.h"

#include <algorithm>
#include <bit>

#include "schedule/nest.h"

namespace fulgurite::walk::lanes {

using schedule::Cut, schedule::Nest, schedule::Unit;

bool is_in_order(const Nest& nest) {
  return nest.axes[0].role == schedule::Axis::Role::scan;
}

const Cut& task_cut(const Nest& nest) {
  const Cut* found = nullptr;
  for (const Cut& cut : nest.cuts)
    if (cut.unit == Unit::grid || cut.unit == Unit::turn) found = &cut;
  return *found;
}

Range range_of(const Emitter& e, const Nest& nest, const soac::Soac& op) {
  scalar::Arena& arena = e.arena();
  const Cut& cut = task_cut(nest);
  const Expr size = cut.size, columns = nest.axes[cut.axis].extent, task = e.context().task;
  Range range;
  const bool is_one_of_many = nest.axes.size() == 1 && op.dims.size() > 1 && !nest.axes[0].by_number;
  range.is_points = is_in_order(nest) || is_one_of_many;
  if (nest.axes.size() == 2 && nest.axes[0].extent.is_constant(1)) {
    range.first_row = arena.i64(0);
    range.last_row = arena.i64(1);
    range.begin = e.lower(task * size);
  } else if (nest.axes.size() > 1) {
    const Cut& rows = nest.cuts[0];
    const Expr tiles = schedule::ceil_div(columns, size);
    Expr piece = e.lower(task / tiles);
    if (nest.axes.size() > 2) {
      const Expr planes = nest.axes[1].extent, planes_per_task = nest.cuts[1].size;
      const Expr pieces = e.lower(max(schedule::ceil_div(planes, planes_per_task), 1));
      range.first_plane = e.lower(piece % pieces * planes_per_task);
      range.last_plane = e.lower(min(range.first_plane + planes_per_task, planes));
      piece = e.lower(piece / pieces);
    }
    range.first_row = e.lower(piece * rows.size);
    range.last_row = e.lower(min(range.first_row + rows.size, nest.axes[0].extent));
    range.begin = e.lower(task % tiles * size);
  } else {
    range.begin = e.lower(task * size);
  }
  range.end = e.lower(min(range.begin + size, columns));
  range.is_row = static_cast<bool>(nest.axes.back().segments);
  range.in_tile = !range.is_row && !range.is_points && size.is_constant() &&
                  schedule::innermost(nest, Unit::lane) != nullptr && std::has_single_bit(size.bits());
  return range;
}

}  // namespace fulgurite::walk::lanes
