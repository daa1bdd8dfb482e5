#include "walk/lanes/space.h"

namespace fulgurite::walk::lanes {

Space::Space(const Emitter& e, const soac::Soac& op, bool is_linear)
    : arena_(e.arena()), is_linear_(is_linear), dims_(e.lower(op.dims)) {}

void Space::rows(const Emitter& e, const Range& range, const Row& body) const {
  if (dims_.size() <= 1 || is_linear_) return body({}, range.begin, range.end);
  const Expr one = arena_.i64(1), zero = arena_.i64(0);
  if (!range.is_points)
    return decoded_rows(e, range.first_row, range.last_row,
                        [&](std::span<const Expr> outer, Expr) { body(outer, range.begin, range.end); });
  // Points of a row that the range begins or ends in are left out.
  const Expr columns = e.lower(max(dims_.back(), one));
  const Expr first = e.lower(range.begin / columns);
  const Expr last = e.lower((range.end + columns - one) / columns);
  decoded_rows(e, first, last, [&](std::span<const Expr> outer, Expr row) {
    const Expr start = e.bind(row * columns, "start");
    const Expr begin = e.lower(max(range.begin - start, zero));
    body(outer, begin, e.lower(min(range.end - start, columns)));
  });
}

// The rows lie in planes, whose indices are decoded once a plane: a row costs no division.
void Space::decoded_rows(const Emitter& e, Expr first, Expr last, const DecodedRow& body) const {
  const Expr one = arena_.i64(1), zero = arena_.i64(0);
  if (dims_.size() == 2)
    return e.for_loop(first, last, one, "row", [&](Expr row) { body(std::span(&row, 1), row); });
  const Expr rows = e.lower(max(dims_[dims_.size() - 2], one));
  const Expr first_plane = e.lower(first / rows);
  const Expr last_plane = e.lower((last + rows - one) / rows);
  e.for_loop(first_plane, last_plane, one, "plane", [&](Expr plane) {
    std::vector<Expr> outer = decoded(e, plane);
    const Expr start = e.bind(plane * rows, "first_row");
    const Expr from = e.lower(max(first - start, zero));
    const Expr to = e.lower(min(last - start, rows));
    outer.emplace_back();
    e.for_loop(from, to, one, "i", [&](Expr i) {
      outer.back() = i;
      body(outer, start + i);
    });
  });
}

// The indices of a plane along all axes but the last two.
std::vector<Expr> Space::decoded(const Emitter& e, Expr plane) const {
  std::vector<Expr> outer(dims_.size() - 2);
  Expr rest = plane;
  for (std::size_t d = outer.size(); d-- > 1;) {
    outer[d] = e.bind(rest % dims_[d], "i");
    rest = e.bind(rest / dims_[d], "i");
  }
  outer[0] = rest;
  return outer;
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
