#include "schedule/blocks/crosswise.h"

#include "soac/count.h"

namespace fulgurite::schedule {

namespace {

using scalar::Op;

bool is_crosswise(scalar::Arena& arena, Expr read, Var outer, Var inner) {
  const auto affine = scalar::affine_in(arena, read.args().back(), outer);
  if (!affine || !affine->coefficient.is_constant(1) || mentions(affine->base, inner)) return false;
  bool has_inner = false;
  for (Expr index : read.args().subspan(1)) {
    has_inner |= mentions(index, inner);
    bool reads = false;
    scalar::for_each_node(std::span(&index, 1), [&](Expr e) { reads |= e.op() == Op::index; });
    if (reads) return false;
  }
  return has_inner;
}

std::vector<Expr> reads_along(const Surroundings& at, const soac::Soac& op, std::size_t axis) {
  const Var outer = op.body.params[axis], inner = op.body.params.back();
  std::vector<Expr> found;
  std::int64_t bytes = 0;
  scalar::for_each_node(op.body.results, [&](Expr e) {
    if (e.op() != Op::index || !is_crosswise(at.arena, e, outer, inner)) return;
    const auto more = static_cast<std::int64_t>(size_of(e.kind())) * elements_of_tile;
    if (bytes + more > most_of_tiles(at)) return;
    bytes += more;
    found.push_back(e);
  });
  return found;
}

}  // namespace

Crosswise crosswise_reads(const Surroundings& at, const soac::Soac& op) {
  const std::size_t n_axes = op.dims.size();
  if (n_axes < 2 || !soac::is_map(op) || !op.body.body.empty()) return {};
  for (Expr result : op.body.results)
    if (result.type().rank > 0) return {};
  for (const std::size_t axis : {n_axes - 2, std::size_t{0}})
    if (std::vector<Expr> reads = reads_along(at, op, axis); !reads.empty()) return {axis, std::move(reads)};
  return {};
}

}  // namespace fulgurite::schedule
