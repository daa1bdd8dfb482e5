#include "walk/lanes/accumulators.h"

#include <bit>

namespace fulgurite::walk::lanes {

using kernel::Level;

Accumulators::Accumulators(const Emitter& e, const soac::Soac& op, int n, int tail_lanes)
    : op_(op), n_(n), tail_lanes_(tail_lanes), shared_(shared_values(e, op.reductions, n)) {}

void Accumulators::start(const Emitter& e) const {
  if (shared_.empty()) return;
  const Emitter lane = e.in_lanes();
  lane.par(Level::block, e.arena().i64(n_), "t", [&](Expr t) { save(lane, walk::start(lane, op_), t); });
}

Running::Groups Accumulators::restore(const Emitter& e, Expr t) const {
  return walk::restore(e, op_.reductions, shared_, t);
}

void Accumulators::save(const Emitter& e, const Running::Groups& groups, Expr t) const {
  walk::save(e, groups, shared_, t);
}

Expr Accumulators::total(const Emitter& e, std::size_t component) const {
  return e.load_plain(shared_[component], e.arena().i64(0), "total");
}

// shared[t] = op(shared[t], shared[t + width]) for t < width, width halved again and again: the operator
// commutes, so halves may be joined. In vectors, then one by one: few widths and few loops keep the kernel's
// text short, and it is compiled while the user waits.
void Accumulators::halve(const Emitter& e) const {
  if (shared_.empty()) return;
  scalar::Arena& arena = e.arena();
  const auto i64 = [&](std::int64_t value) { return arena.i64(value); };
  const int lanes = tail_lanes_;
  int width = n_ / 2;
  for (; width >= lanes; width /= 2) {
    const auto join = [&](Expr from) {
      e.par(Level::block, i64(lanes), "t",
            [&](Expr t) { join_halves(e, op_, shared_, e.bind(from + t, "at"), i64(width)); });
    };
    if (width == lanes)
      join(i64(0));
    else
      e.for_loop(i64(0), i64(width), i64(lanes), "from", join);
  }
  if (width == 0) return;
  const int n_halvings = static_cast<int>(std::bit_width(static_cast<unsigned>(width)));
  e.for_loop(i64(0), i64(n_halvings), i64(1), "halving", [&](Expr halving) {
    const Expr apart = e.bind(width >> halving, "width");
    e.for_loop(i64(0), apart, i64(1), "t", [&](Expr t) { join_halves(e, op_, shared_, t, apart); });
  });
}

}  // namespace fulgurite::walk::lanes
