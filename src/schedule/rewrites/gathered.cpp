#include "schedule/rewrites/gathered.h"

#include "schedule/rewrites/slice.h"

namespace fulgurite::schedule {

namespace {

bool gathers(std::span<const scalar::Expr> roots) {
  bool found = false;
  scalar::for_each_node(roots, [&](scalar::Expr e) {
    if (e.op() != scalar::Op::index) return;
    scalar::for_each_node(e.args().subspan(1),
                          [&](scalar::Expr place) { found = found || place.op() == scalar::Op::index; });
  });
  return found;
}

}  // namespace

std::optional<RaggedRows> gathered_rows(scalar::Arena& arena, const soac::Stm& map) {
  std::optional<RaggedRows> rows = ragged_rows(arena, map);
  if (!rows) return {};
  const soac::Stm& reduction = std::get<soac::Soac>(map.op).body.body[0];
  if (!commutes(std::get<soac::Soac>(reduction.op)) || !gathers(rows->element.results)) return {};
  return rows;
}

}  // namespace fulgurite::schedule
