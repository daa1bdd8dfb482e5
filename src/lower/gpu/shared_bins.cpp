#include "lower/gpu/shared_bins.h"

#include "lower/gpu/policy.h"
#include "lower/gpu/updates.h"

namespace fulgurite::lower::gpu {

SharedBins::SharedBins(Emitter& e, const Block& block, Var array, const soac::Scatter& scatter,
                       kernel::Atomic::What what, Expr n_points)
    : array_(array), what_(what) {
  scalar::Arena& arena = e.arena();
  const Kind kind = arena.info(array).type.kind;
  const std::int64_t most = bin_bytes / static_cast<std::int64_t>(size_of(kind));
  identity_ = identity_of(arena, what, kind);
  bins_ = e.allocate_shared(kind, most);
  Expr size = arena.i64(1);
  for (Expr extent : scatter.shape) size = arena.mul(size, extent);
  // Each is cleared, and goes to the array: worth it for several points each.
  Expr fit = arena.le(size, arena.i64(most)), pay = arena.le(arena.mul(size, arena.i64(4)), n_points);
  are_few_ = e.lower(arena.logical_and(fit, pay));
  n_ = e.lower(arena.apply(Op::select, {are_few_, size, arena.i64(0)}));
  par(e, block, [&](Expr t) {
    e.for_loop(t, n_, arena.i64(block.threads), "i", [&](Expr i) { e.store_plain(bins_, i, identity_); });
  });
  sync(e);
}

void SharedBins::update(Emitter& e, Expr place, Expr value) const {
  auto at = [&](Var array) { e.atomic({{}, what_, {array, place, e.arena().i64(1), {}}, value, {}}); };
  e.if_then_else(are_few_, [&] { at(bins_); }, [&] { at(array_); });
}

void SharedBins::flush(Emitter& e, const Block& block) const {
  scalar::Arena& arena = e.arena();
  sync(e);
  par(e, block, [&](Expr t) {
    e.for_loop(t, n_, arena.i64(block.threads), "i", [&](Expr i) {
      Expr value = e.load_plain(bins_, i, "value");
      e.if_then(e.bind(arena.logical_not(arena.eq(value, identity_)), "counts"),
                [&] { e.atomic({{}, what_, {array_, i, arena.i64(1), {}}, value, {}}); });
    });
  });
}

}  // namespace fulgurite::lower::gpu
