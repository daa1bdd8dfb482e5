#include "lower/packing.h"

namespace fulgurite::lower {

namespace {

constexpr std::uint64_t few_classes = 8;
constexpr std::int64_t most_lanes = 64;  // so many elements behind the last may be overwritten

}  // namespace

bool has_few_classes(const soac::Partition& p) {
  return p.classes.is_constant() && p.classes.bits() <= few_classes;
}

bool Packing::packs(std::size_t partition) const {
  const soac::Partition& p = at_.op.partitions[partition];
  if (!has_few_classes(p) || at_.grid.most_points == 0) return false;
  return p.classes.is_constant(1) || (!at_.policy.rows && !is_in_order(at_.op));
}

std::int64_t Packing::room() const {
  return at_.grid.most_points + most_lanes;
}

std::vector<Var> Packing::arrays(std::size_t partition) const {
  const std::vector<Var> bound = at_.names(at_.layout.partitions[partition]);
  return {bound.begin() + 2, bound.end()};
}

Running::Cursor Packing::start(const Emitter& e, std::size_t partition) {
  const auto classes = static_cast<std::int64_t>(at_.op.partitions[partition].classes.bits());
  Running::Cursor cursor{{}, {}, true};
  for (std::int64_t c = 0; c < classes; ++c) cursor.next.push_back(at_.i64(c * room()));
  for (Var array : arrays(partition))
    e.set_destination(array, {e.allocate_shared(arena_.info(array).type.kind, classes * room()), {}});
  return cursor;
}

std::vector<Expr> Packing::counts(const Emitter& e, const std::vector<Expr>& next) {
  std::vector<Expr> counts;
  for (std::size_t c = 0; c < next.size(); ++c)
    counts.push_back(e.lower(arena_.sub(next[c], at_.i64(static_cast<std::int64_t>(c) * room()))));
  return counts;
}

void Packing::finish(const Emitter& e, std::size_t partition, const std::vector<Expr>& counts,
                     const std::vector<Expr>& first) {
  const std::vector<Var> made = arrays(partition);
  if (made.empty()) return;
  std::vector<Var> packed;
  for (Var array : made) {
    packed.push_back(e.destination(array).buffer);
    e.set_destination(array, {array, {}});
  }
  for (std::size_t c = 0; c < first.size(); ++c) {
    soac::Stm move{made, soac::Soac{{at_.launches.product(at_.op.dims)}, {}}, at_.s.where, ""};
    auto& op = std::get<soac::Soac>(move.op);
    Expr i = arena_.fresh({Kind::i64}, "i");
    Expr from = arena_.add(arena_.sub(i, first[c]), at_.i64(static_cast<std::int64_t>(c) * room()));
    op.body.params = {i.var()};
    for (Var buffer : packed)
      op.body.results.push_back(arena_.index(arena_.name(buffer), std::span(&from, 1)));
    Range range{{}, {}, first[c], e.lower(arena_.add(first[c], counts[c]))};
    range.is_aligned = false;
    block_loop(e, move, range, at_.policy_of(op));
  }
}

}  // namespace fulgurite::lower
