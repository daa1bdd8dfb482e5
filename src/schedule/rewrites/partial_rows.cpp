#include "schedule/rewrites/partial_rows.h"

#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/rewrite.h"

namespace fulgurite::schedule {

using scalar::Expr, scalar::Kind, scalar::Var;

namespace {

Expr point_number(scalar::Arena& arena, const soac::Soac& map, const soac::Lambda& body) {
  Expr number = arena.i64(0);
  for (std::size_t d = 0; d < map.dims.size(); ++d)
    number = number * map.dims[d] + arena.name(body.params[d]);
  return number;
}

}  // namespace

soac::Lambda with_neutral(scalar::Arena& arena, const soac::Soac& map) {
  soac::Lambda body = map.body;
  body.body[0] = lift_missing_neutral(arena, body.body[0]);
  return body;
}

const soac::Soac& reduction_of(const soac::Lambda& body) {
  return std::get<soac::Soac>(body.body[0].op);
}

soac::Stm unfinished(scalar::Arena& arena, const soac::Stm& map) {
  const auto& op = std::get<soac::Soac>(map.op);
  soac::Lambda body = with_neutral(arena, op);
  body.results = arena.names(body.body[0].names);
  std::vector<Var> arrays;
  for (Expr result : body.results)
    arrays.push_back(arena.fresh_array(result.kind(), op.dims, "partials").var());
  return made_by(rewrite::row_parts, arena, {arrays, soac::Soac{op.dims, body}, map.where, map.origin});
}

soac::Stm joined(scalar::Arena& arena, const soac::Stm& map, const PartialRows& rows) {
  const auto& op = std::get<soac::Soac>(map.op);
  soac::Lambda body = with_neutral(arena, op);
  const Expr first = point_number(arena, op, body) * rows.of_point;
  auto& reduced = std::get<soac::Soac>(body.body[0].op);
  const Expr t = arena.fresh({Kind::i64}, "t"), number = first + t * rows.of_part;
  reduced.dims = {rows.n};
  reduced.body = {{t.var()}, {}, {}};
  for (Var partial : rows.arrays)
    reduced.body.results.push_back(arena.index(arena.name(partial), std::span(&number, 1)));
  body.body[0].nest = 0;
  soac::Soac rest{op.dims, std::move(body), {}, op.scatters};
  return made_by(rewrite::joined, arena, {map.names, std::move(rest), map.where, map.origin});
}

}  // namespace fulgurite::schedule
