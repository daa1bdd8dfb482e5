#include "walk/lanes/pieces.h"

#include "schedule/nest.h"

namespace fulgurite::walk::lanes {

using kernel::Level;
using schedule::Cut, schedule::Nest, schedule::Unit;

Interval last_piece_of_task(const Emitter& e, const Nest& nest, std::size_t axis, Expr number) {
  const Cut& cut = schedule::grid_cut(nest, axis);
  const Expr begin = e.lower(number * cut.size);
  return {begin, e.lower(min(begin + cut.size, nest.axes[axis].extent))};
}

Interval piece_of_task(const Emitter& e, const Nest& nest, std::size_t axis, Expr& number) {
  const Expr size = schedule::grid_cut(nest, axis).size;
  const Expr pieces = e.lower(schedule::ceil_div(nest.axes[axis].extent, size));
  const Expr here = e.lower(number % pieces);
  number = e.lower(number / pieces);
  return last_piece_of_task(e, nest, axis, here);
}

void Steps::operator()(const Emitter& task, Expr begin, Expr end, const Point& point) const {
  scalar::Arena& arena = task.arena();
  const Emitter e = task.in_lanes();
  const Expr step = arena.i64(lanes_), rest = arena.i64(rest_);
  const Expr full = e.lower((end - begin) / step * step);
  const Expr main = e.lower(begin + full);
  e.par(Level::block, step, "t", [&](Expr t) {
    e.for_loop(begin, main, step, "j", [&](Expr j) { point(e, t, e.bind(j + t, "j")); });
  });
  e.if_then(e.lower(main < end), [&] {
    e.par(Level::block, rest, "t", [&](Expr t) {
      e.for_loop(main, end, rest, "j", [&](Expr j) {
        const Expr index = e.bind(j + t, "j");
        e.if_then(e.bind(index < end, "in_range"), [&] { point(e, t, index); });
      });
    });
  });
}

Steps steps_of(const Nest& nest) {
  const Cut& lane = *schedule::innermost(nest, Unit::lane);
  return {static_cast<std::int64_t>(lane.size.bits()), lane.rest};
}

}  // namespace fulgurite::walk::lanes
