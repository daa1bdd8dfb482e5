#include "lower/gpu/shared_bins.h"

#include "lower/gpu/policy.h"
#include "lower/gpu/updates.h"

namespace fulgurite::lower::gpu {

SharedBins::SharedBins(const Emitter& e, Var array, const soac::Scatter& scatter, kernel::Atomic::What what,
                       Expr n_points, int most_passes)
    : array_(array), what_(what), most_passes_(most_passes) {
  scalar::Arena& arena = e.arena();
  const Kind kind = arena.info(array).type.kind;
  const std::int64_t most = bin_bytes / static_cast<std::int64_t>(size_of(kind));
  identity_ = identity_of(arena, what, kind);
  bins_ = e.allocate_shared(kind, most);
  Expr size = arena.i64(1);
  for (Expr extent : scatter.shape) size = arena.mul(size, extent);
  // Each is cleared, and goes to the array: worth it for several points each.
  Expr fit = arena.le(size, arena.i64(most_passes * most)),
       pay = arena.le(arena.mul(size, arena.i64(4)), n_points);
  are_shared_ = e.lower(arena.logical_and(fit, pay));
  size_ = e.lower(size), most_ = arena.i64(most), first_ = arena.i64(0);
}

void SharedBins::open(const Emitter& e, const Block& block) {
  scalar::Arena& arena = e.arena();
  Expr here = arena.min(arena.sub(size_, first_), most_);
  n_ = e.lower(arena.apply(Op::select, {are_shared_, here, arena.i64(0)}));
  par(e, block, [&](const Emitter&, Expr t) {
    e.for_loop(t, n_, arena.i64(block.threads), "i", [&](Expr i) { e.store_plain(bins_, i, identity_); });
  });
  sync(e);
}

void SharedBins::update(const Emitter& e, Expr place, Expr value) const {
  scalar::Arena& arena = e.arena();
  auto at = [&](Var array, Expr bin) { e.atomic({{}, what_, {array, bin, arena.i64(1), {}}, value, {}}); };
  const auto to_shared = [&] {
    if (first_.is_constant(0)) return at(bins_, place);
    const Expr bin = e.bind(arena.sub(place, first_), "bin");
    const Expr n = arena.cast(n_, Kind::u64);
    const Expr is_here = arena.lt(arena.cast(bin, Kind::u64), n);
    e.if_then(e.bind(is_here, "is_here"), [&] { at(bins_, bin); });
  };
  e.if_then_else(are_shared_, to_shared, [&] { at(array_, place); });
}

void SharedBins::flush(const Emitter& e, const Block& block) const {
  scalar::Arena& arena = e.arena();
  sync(e);
  par(e, block, [&](const Emitter&, Expr t) {
    e.for_loop(t, n_, arena.i64(block.threads), "i", [&](Expr i) {
      Expr value = e.load_plain(bins_, i, "value");
      e.if_then(e.bind(arena.logical_not(arena.eq(value, identity_)), "counts"), [&] {
        const Expr bin = e.bind(arena.add(first_, i), "bin");
        e.atomic({{}, what_, {array_, bin, arena.i64(1), {}}, value, {}});
      });
    });
  });
}

void SharedBins::by_passes(const Emitter& e, const Block& block, const std::function<void()>& walk) {
  scalar::Arena& arena = e.arena();
  const Expr some = arena.div(arena.add(size_, arena.sub(most_, arena.i64(1))), most_);
  const Expr n_passes =
      e.lower(arena.apply(Op::select, {are_shared_, arena.max(some, arena.i64(1)), arena.i64(1)}));
  e.for_loop(arena.i64(0), n_passes, arena.i64(1), "pass", [&](Expr pass) {
    first_ = e.lower(arena.mul(pass, most_));
    open(e, block);
    walk();
    flush(e, block);
    sync(e);
  });
}

void fill(const Emitter& e, const Block& block, std::map<std::size_t, SharedBins>& all,
          const std::function<void()>& walk) {
  if (all.size() == 1 && all.begin()->second.has_passes())
    return all.begin()->second.by_passes(e, block, walk);
  for (auto& [scatter, bins] : all) bins.open(e, block);
  walk();
  for (const auto& [scatter, bins] : all) bins.flush(e, block);
}

}  // namespace fulgurite::lower::gpu
