#include "soac/symmetry.h"

#include <algorithm>

#include "base/match.h"
#include "soac/operation.h"
#include "soac/rename.h"

namespace fulgurite::soac {

namespace {

// Squares and magnitudes of differences, which are the same the other way round, in one order.
scalar::Substitution in_order_of_nodes(Arena& arena) {
  const auto sorted = [&arena](Expr e) {
    if (e.op() != scalar::Op::sub || e.arg(0).id() < e.arg(1).id()) return e;
    return arena.apply(scalar::Op::sub, {e.arg(1), e.arg(0)});
  };
  return {arena, [=, &arena](Expr e) {
            const bool is_product = e.op() == scalar::Op::mul || e.op() == scalar::Op::fma_sum;
            const bool is_square = is_product && e.arg(0) == e.arg(1);
            const bool is_magnitude = e.op() == scalar::Op::abs && scalar::is_float(e.kind());
            if (!is_square && !is_magnitude) return Expr();
            return scalar::rebuild(arena, e, std::vector<Expr>(e.args().size(), sorted(e.arg(0))));
          }};
}

bool is_same_reduction(Arena& arena, const Soac& a, const Soac& b) {
  const auto is_same = [&](const Reduction& x, const Reduction& y) {
    return x.neutral == y.neutral && x.initial == y.initial && is_same_function(arena, x.op, y.op);
  };
  return a.dims == b.dims && std::ranges::equal(a.reductions, b.reductions, is_same) &&
         is_same_function(arena, a.body, b.body, in_order_of_nodes(arena));
}

}  // namespace

bool is_symmetric(Arena& arena, const Soac& map) {
  const std::size_t rank = map.dims.size();
  if (rank < 2 || map.dims[rank - 2] != map.dims[rank - 1] || !is_map(map)) return false;
  if (map.body.body.size() != 1 || map.axes_behind > 0) return false;
  std::vector<Expr> indices;
  for (Var param : map.body.params) indices.push_back(arena.name(param));
  std::swap(indices[rank - 2], indices[rank - 1]);
  const Applied turned = apply(arena, map.body, indices);
  const Stm &here = map.body.body[0], &there = turned.body[0];
  const auto *inner = base::as<Soac>(here.op), *other = base::as<Soac>(there.op);
  if (!inner || !other || inner->reductions.empty() || !is_same_reduction(arena, *inner, *other))
    return false;
  scalar::Substitution totals(arena, [&](Expr e) {
    const auto found = e.is_name() ? std::ranges::find(there.names, e.var()) : there.names.end();
    return found == there.names.end()
               ? Expr()
               : arena.name(here.names[static_cast<std::size_t>(found - there.names.begin())]);
  });
  return std::ranges::equal(map.body.results, turned.results,
                            [&](Expr own, Expr result) { return own == totals(result); });
}

}  // namespace fulgurite::soac
