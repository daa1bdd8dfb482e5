#include "walk/lanes/space.h"

namespace fulgurite::walk::lanes {

Space::Space(const Emitter& e, const soac::Soac& op, bool is_linear)
    : arena_(e.arena()), is_linear_(is_linear), dims_(e.lower(op.dims)) {}

void Space::rows(const Emitter& e, const Range& range, const Row& body) const {
  if (dims_.size() <= 1 || is_linear_) return body({}, range.begin, range.end);
  const Expr one = arena_.i64(1), zero = arena_.i64(0);
  if (!range.is_points)
    return e.for_loop(range.first_row, range.last_row, one, "row",
                      [&](Expr row) { body(decoded(e, row), range.begin, range.end); });
  // Points of a row that the range begins or ends in are left out.
  const Expr columns = e.lower(max(dims_.back(), one));
  const Expr first = e.lower(range.begin / columns);
  const Expr last = e.lower((range.end + columns - one) / columns);
  e.for_loop(first, last, one, "row", [&](Expr row) {
    const std::vector<Expr> outer = decoded(e, row);
    const Expr start = e.bind(row * columns, "start");
    const Expr begin = e.lower(max(range.begin - start, zero));
    body(outer, begin, e.lower(min(range.end - start, columns)));
  });
}

std::vector<Expr> Space::decoded(const Emitter& e, Expr row) const {
  std::vector<Expr> outer(dims_.size() - 1);
  Expr rest = row;
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
