#include "walk/lanes/space.h"

namespace fulgurite::walk::lanes {

Space::Space(const Emitter& e, const soac::Soac& op, bool is_linear, std::optional<Segments> segments)
    : arena_(e.arena()), is_linear_(is_linear), segments_(segments), dims_(e.lower(op.dims)) {}

void Space::rows(const Emitter& e, const Range& range, const Row& body) const {
  if (segments_) return segments(e, range.begin, range.end, body);
  if (dims_.size() <= 1 || is_linear_) return body({}, range.begin, range.end);
  if (!range.is_points) return rows(e, range, 1, body, body);
  const Expr one = arena_.i64(1), zero = arena_.i64(0);
  // Points of a row that the range begins or ends in are left out.
  const Expr columns = e.lower(max(dims_.back(), one));
  const Expr first = e.lower(range.begin / columns);
  const Expr last = e.lower((range.end + columns - one) / columns);
  planes(e, range, first, last, [&](const std::vector<Expr>& plane, Expr from, Expr to, Expr first_row) {
    each_row(e, plane, row_axis(range), from, to, 1, [&](std::span<const Expr> outer, Expr i) {
      const Expr start = e.bind((first_row + i) * columns, "start");
      const Expr begin = e.lower(max(range.begin - start, zero));
      body(outer, begin, e.lower(min(range.end - start, columns)));
    });
  });
}

void Space::rows(const Emitter& e, const Range& range, std::int64_t n, const Row& together,
                 const Row& single) const {
  const std::size_t axis = row_axis(range);
  planes(e, range, range.first_row, range.last_row,
         [&](const std::vector<Expr>& plane, Expr from, Expr to, Expr) {
           if (n > 1) {
             const Expr whole = e.lower(from + max(to - from, arena_.i64(0)) / n * n);
             each_row(e, plane, axis, from, whole, n,
                      [&](std::span<const Expr> outer, Expr) { together(outer, range.begin, range.end); });
             from = whole;
           }
           each_row(e, plane, axis, from, to, 1,
                    [&](std::span<const Expr> outer, Expr) { single(outer, range.begin, range.end); });
         });
}

void Space::segments(const Emitter& e, Expr begin, Expr end, const Row& body) const {
  e.if_then(e.lower(begin < end), [&] {
    const Expr next_segment = e.declare(segment_of(e, begin), "segment"), next = e.declare(begin, "next");
    Expr from;
    const auto goes_on = [&] {
      from = e.snapshot(next, "from");
      return e.lower(from < end);
    };
    e.while_loop(goes_on, [&] {
      const Expr segment = e.snapshot(next_segment, "segment");
      const Expr after = e.bind(segment + 1, "segment");
      const Expr begins = e.lower(arena_.index(segments_->offsets, std::span(&after, 1)));
      const Expr to = e.bind(min(begins, end), "to");
      e.bind_name(segments_->number, segment);
      e.if_then(e.lower(from < to), [&] { body({}, from, to); });
      e.assign(next, to);
      e.assign(next_segment, after);
    });
  });
}

// The last segment that begins at the point or before it.
Expr Space::segment_of(const Emitter& e, Expr point) const {
  const Expr n = e.lower(arena_.info(segments_->offsets.var()).shape[0] - 1);
  const Expr first = e.declare(arena_.i64(0), "first"), end = e.declare(n, "end");
  Expr low, high;
  const auto is_open = [&] {
    low = e.snapshot(first, "first");
    high = e.snapshot(end, "end");
    return e.lower(1 < high - low);
  };
  e.while_loop(is_open, [&] {
    const Expr middle = e.bind(low + (high - low) / 2, "middle");
    const Expr begins = e.lower(arena_.index(segments_->offsets, std::span(&middle, 1)));
    const Expr is_before = e.bind(begins <= point, "is_before");
    e.assign(first, e.lower(select(is_before, middle, low)));
    e.assign(end, e.lower(select(is_before, high, middle)));
  });
  return e.snapshot(first, "segment");
}

std::size_t Space::row_axis(const Range& range) const {
  return range.first_plane ? 0 : dims_.size() - 2;
}

// The indices of a plane are decoded once: a row costs no division.
void Space::planes(const Emitter& e, const Range& range, Expr first, Expr last, const Plane& body) const {
  const Expr one = arena_.i64(1), zero = arena_.i64(0);
  std::vector<Expr> outer(dims_.size() - 1);
  if (outer.size() == 1) return body(outer, first, last, zero);
  if (range.first_plane)
    return e.for_loop(range.first_plane, range.last_plane, one, "plane", [&](Expr plane) {
      decode(e, plane, std::span(outer).subspan(1), std::span(dims_).subspan(1));
      body(outer, first, last, zero);
    });
  const Expr rows = e.lower(max(dims_[dims_.size() - 2], one));
  const Expr first_plane = e.lower(first / rows);
  const Expr last_plane = e.lower((last + rows - one) / rows);
  e.for_loop(first_plane, last_plane, one, "plane", [&](Expr plane) {
    decode(e, plane, std::span(outer).first(outer.size() - 1), dims_);
    const Expr start = e.bind(plane * rows, "first_row");
    const Expr from = e.lower(max(first - start, zero));
    body(outer, from, e.lower(min(last - start, rows)), start);
  });
}

// The indices of a plane along axes of these extents, of which there may be more.
void Space::decode(const Emitter& e, Expr plane, std::span<Expr> indices,
                   std::span<const Expr> extents) const {
  for (std::size_t d = indices.size(); d-- > 1;) {
    indices[d] = e.bind(plane % extents[d], "i");
    plane = e.bind(plane / extents[d], "i");
  }
  indices[0] = plane;
}

void Space::each_row(const Emitter& e, std::vector<Expr> outer, std::size_t axis, Expr from, Expr to,
                     std::int64_t step, const RowOfPlane& body) const {
  e.for_loop(from, to, arena_.i64(step), outer.size() == 1 ? "row" : "i", [&](Expr i) {
    outer[axis] = i;
    body(outer, i);
  });
}

void Space::at_point(const Emitter& e, std::span<const Expr> outer, Expr j, const AtPoint& body) const {
  std::vector<Expr> indices(outer.begin(), outer.end());
  if (is_linear_) {
    while (indices.size() < dims_.size()) indices.push_back(e.placeholder());
    return body(e.with_identity({indices, j}).at_element(j), indices, j);
  }
  indices.push_back(j);
  const Expr number = e.lower(linear(e, indices, dims_));
  body(e.at_element(number), indices, number);
}

void Space::element(const Emitter& e, const soac::Stm& s, std::span<const Expr> outer, Expr j,
                    const Running& running) const {
  at_point(e, outer, j, [&](const Emitter& at, std::span<const Expr> indices, Expr number) {
    point(at, s, indices, number, running);
  });
}

}  // namespace fulgurite::walk::lanes
