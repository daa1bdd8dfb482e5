#include "walk/lanes/pieces.h"

#include "schedule/nest.h"

namespace fulgurite::walk::lanes {

using kernel::Level;
using schedule::Cut, schedule::Nest, schedule::Unit;

void each(const Emitter& e, Expr begin, Expr end, std::int64_t step, std::string_view name,
          const std::function<void(Expr)>& body) {
  constexpr std::int64_t few = 4;
  const Expr length = end - begin;
  const auto points = length.is_constant() ? static_cast<std::int64_t>(length.bits()) : few * step + 1;
  if (points > few * step) return e.for_loop(begin, end, e.arena().i64(step), name, body);
  for (std::int64_t at = 0; at < points; at += step) body(e.lower(begin + at));
}

Interval piece_of_task(const Emitter& e, const Nest& nest, std::size_t axis, Expr& number,
                       bool at_least_one) {
  const Expr extent = nest.axes[axis].extent;
  const Expr zero = e.arena().i64(0);
  const Cut* cut = schedule::task_cut(nest, axis);
  if (!cut) return {zero, e.lower(extent), zero, e.arena().i64(1)};
  Interval piece;
  piece.n = schedule::ceil_div(extent, cut->size);
  if (at_least_one) piece.n = max(piece.n, 1);
  piece.number = number;
  if (nest.cuts[0].axis != axis) {
    piece.n = e.lower(piece.n);
    piece.number = e.lower(number % piece.n);
    number = e.lower(number / piece.n);
  }
  piece.begin = e.lower(piece.number * cut->size);
  piece.end = e.lower(min(piece.begin + cut->size, extent));
  return piece;
}

Emitter masked(const Emitter& lane) {
  kernel::Context context = lane.context();
  context.is_masked = true, context.streaming = {};
  return lane.in_context_of(lane.with(std::move(context)));
}

void Steps::operator()(const Emitter& task, Expr begin, Expr end, const Point& point, Expr head) const {
  const Emitter e = task.in_lanes();
  if (overlaps_) return overlapping(e, begin, end, point);
  if (head) {
    const Expr first = e.lower(min(begin + head, end));
    with_mask(e, begin, first, point);
    begin = first;
  }
  const Expr main = whole(e, lanes_, begin, end, point);
  if (lanes_ == 1) return;
  // A store with a mask is expensive.
  const bool has_vectors = has_vectors_ && rest_ < lanes_;
  with_mask(e, has_vectors ? whole(e.streaming_if({}), rest_, main, end, point) : main, end, point);
}

// Gives the first point that is left.
Expr Steps::whole(const Emitter& lane, std::int64_t lanes, Expr begin, Expr end, const Point& point) const {
  const Expr step = lane.arena().i64(lanes);
  const Expr full = lane.lower((end - begin) / step * step);
  const Expr stop = lane.lower(begin + full);
  lane.par(Level::block, step, "t", [&](Expr t) {
    lane.for_loop(begin, stop, step, "j", [&](Expr j) { point(lane, t, lane.bind(j + t, "j"), j, lanes); });
  });
  return stop;
}

void Steps::with_mask(const Emitter& lane, Expr begin, Expr end, const Point& point) const {
  const Emitter e = masked(lane);
  const Expr rest = e.arena().i64(rest_);
  e.if_then(e.lower(begin < end), [&] {
    e.par(Level::block, rest, "t", [&](Expr t) {
      e.for_loop(begin, end, rest, "j", [&](Expr j) {
        const Expr index = e.bind(j + t, "j");
        e.if_then(e.bind(index < end, "in_range"), [&] { point(e, t, index, j, rest_); });
      });
    });
  });
}

void Steps::in_strips(const Emitter& task, Expr begin, Expr end, const Strip& strip) const {
  const Emitter e = task.in_lanes();
  const Expr step = e.arena().i64(lanes_);
  e.par(Level::block, step, "t", [&](Expr t) {
    e.for_loop(begin, end, step, "j", [&](Expr j) {
      const Expr all = e.lower(j + lanes_ <= end), index = e.bind(j + t, "j");
      strip(e, t, index, j, all, e.bind(index < end, "in_range"));
    });
  });
}

void Steps::overlapping(const Emitter& e, Expr begin, Expr end, const Point& point) const {
  const Expr main = rest_ < lanes_ ? whole(e, lanes_, begin, end, point) : begin;
  const Expr rest = e.arena().i64(rest_);
  e.par(Level::block, rest, "t", [&](Expr t) {
    each(e, main, end, rest_, "j", [&](Expr j) {
      const Expr first = e.bind(min(j, end - rest), "j");
      point(e, t, e.bind(first + t, "j"), first, rest_);
    });
  });
}

Steps steps_of(const Nest& nest, bool has_vectors) {
  const Cut& lane = *schedule::innermost(nest, Unit::lane);
  return {static_cast<std::int64_t>(lane.size.bits()), lane.rest, has_vectors,
          lane.tail == schedule::Tail::overlap};
}

}  // namespace fulgurite::walk::lanes
