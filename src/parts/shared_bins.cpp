#include "parts/shared_bins.h"

namespace fulgurite::parts {

using kernel::Atomic;

namespace {

// x such that the operation of x and y is y.
Expr identity_of(scalar::Arena& arena, Atomic::What what, Kind kind) {
  const auto bits = 8 * static_cast<int>(size_of(kind));
  const std::uint64_t all = ~std::uint64_t{0};
  const std::uint64_t greatest = all >> (64 - bits + (is_signed(kind) ? 1 : 0));
  switch (what) {
    case Atomic::What::min: return arena.constant(kind, greatest);
    case Atomic::What::max: return arena.constant(kind, is_signed(kind) ? ~greatest : 0);
    case Atomic::What::bit_and: return arena.constant(kind, is_signed(kind) ? all : greatest);
    default: return arena.constant(kind, 0);
  }
}

}  // namespace

SharedBins::SharedBins(const Builder& b, const Block& block, Var array, Expr size, Atomic::What what,
                       Expr n_points, const BinLimits& limits)
    : array_(array),
      what_(what),
      most_passes_(limits.passes),
      are_kept_(limits.are_kept),
      task_(block.task),
      tasks_(block.tasks) {
  scalar::Arena& arena = b.arena();
  const Kind kind = arena.info(array).type.kind;
  const std::int64_t most = limits.bytes / static_cast<std::int64_t>(size_of(kind));
  identity_ = identity_of(arena, what, kind);
  bins_ = b.allocate_shared(kind, most);
  Expr fit = size <= most_passes_ * most;
  // Each is cleared, and goes to the array: worth it for several points each.
  if (limits.points > 0) fit = fit & (size * limits.points <= n_points);
  are_shared_ = b.lower(fit);
  size_ = b.lower(size), most_ = arena.i64(most), first_ = arena.i64(0);
}

void SharedBins::open(const Builder& of_block, const Block& block) {
  scalar::Arena& arena = of_block.arena();
  n_ = of_block.lower(select(are_shared_, min(size_ - first_, most_), 0));
  par(of_block, block, [&](const Builder& b, Expr t) {
    b.for_loop(t, n_, arena.i64(block.threads), "i", [&](Expr i) { b.store_plain(bins_, i, identity_); });
  });
  sync(of_block);
}

void SharedBins::update(const Builder& b, Expr place, Expr value) const {
  scalar::Arena& arena = b.arena();
  auto at = [&](Var array, Expr bin) { b.atomic({{}, what_, {array, bin, arena.i64(1), {}}, value, {}}); };
  const auto to_shared = [&] {
    if (first_.is_constant(0)) return at(bins_, place);
    const Expr bin = b.bind(place - first_, "bin");
    const Expr n = cast(n_, Kind::u64);
    const Expr is_here = cast(bin, Kind::u64) < n;
    b.if_then(b.bind(is_here, "is_here"), [&] { at(bins_, bin); });
  };
  if (are_shared_.is_constant(1)) return to_shared();
  b.if_then_else(are_shared_, to_shared, [&] { at(array_, element_of(b, place)); });
}

Expr SharedBins::element_of(const Builder& b, Expr bin) const {
  return are_kept_ ? b.bind(bin * tasks_ + task_, "at") : bin;
}

void SharedBins::flush(const Builder& of_block, const Block& block) const {
  scalar::Arena& arena = of_block.arena();
  sync(of_block);
  par(of_block, block, [&](const Builder& b, Expr t) {
    b.for_loop(t, n_, arena.i64(block.threads), "i", [&](Expr i) {
      Expr value = b.load_plain(bins_, i, "value");
      const Expr at = element_of(b, b.bind(first_ + i, "bin"));
      if (are_kept_) return b.store_plain(array_, at, value);
      b.if_then(b.bind(logical_not(equal(value, identity_)), "counts"),
                [&] { b.atomic({{}, what_, {array_, at, arena.i64(1), {}}, value, {}}); });
    });
  });
}

void SharedBins::by_passes(const Builder& b, const Block& block, const std::function<void()>& walk) {
  scalar::Arena& arena = b.arena();
  const Expr some = (size_ + (most_ - 1)) / most_;
  const Expr n_passes = b.lower(select(are_shared_, max(some, 1), 1));
  b.for_loop(arena.i64(0), n_passes, arena.i64(1), "pass", [&](Expr pass) {
    first_ = b.lower(pass * most_);
    open(b, block);
    walk();
    flush(b, block);
    sync(b);
  });
}

void fill(const Builder& b, const Block& block, std::map<std::size_t, SharedBins>& all,
          const std::function<void()>& walk) {
  if (all.size() == 1 && all.begin()->second.has_passes())
    return all.begin()->second.by_passes(b, block, walk);
  for (auto& [scatter, bins] : all) bins.open(b, block);
  walk();
  for (const auto& [scatter, bins] : all) bins.flush(b, block);
}

}  // namespace fulgurite::parts
