#include "schedule/nest.h"

#include <algorithm>

#include "base/match.h"

namespace fulgurite::schedule {

const Cut* outermost(const Nest& nest, Unit unit) {
  const auto found = std::ranges::find(nest.cuts, unit, &Cut::unit);
  return found == nest.cuts.end() ? nullptr : &*found;
}

const Cut* innermost(const Nest& nest, Unit unit) {
  const Cut* found = nullptr;
  for (const Cut& cut : nest.cuts)
    if (cut.unit == unit) found = &cut;
  return found;
}

std::int64_t size_by(const Nest& nest, Unit unit, std::int64_t otherwise) {
  const Cut* cut = innermost(nest, unit);
  return cut && cut->size.is_constant() ? static_cast<std::int64_t>(cut->size.bits()) : otherwise;
}

const Combine* combine_of(const Nest& nest, Combine::Part part, std::size_t which) {
  const auto found = std::ranges::find_if(
      nest.combines, [&](const Combine& c) { return c.part == part && c.which == which; });
  return found == nest.combines.end() ? nullptr : &*found;
}

const Combine::Level* level_of(const Nest& nest, Combine::Part part, std::size_t which, Unit unit) {
  const Combine* combine = combine_of(nest, part, which);
  if (!combine) return nullptr;
  const auto found = std::ranges::find(combine->levels, unit, &Combine::Level::unit);
  return found == combine->levels.end() ? nullptr : &*found;
}

bool has_join(const Nest& nest, Combine::Part part, Join how) {
  return std::ranges::any_of(nest.combines, [&](const Combine& c) {
    return c.part == part && std::ranges::find(c.levels, how, &Combine::Level::how) != c.levels.end();
  });
}

const Nest* inner_of(const Nest& nest, std::size_t number) {
  const auto found = std::ranges::find(nest.inner, number, &Inner::number);
  return found == nest.inner.end() ? nullptr : &found->nest;
}

Expr ceil_div(scalar::Arena& arena, Expr a, Expr b) {
  return arena.div(arena.sub(arena.add(a, b), arena.i64(1)), b);
}

Expr product(scalar::Arena& arena, std::span<const Expr> factors) {
  Expr all = arena.i64(1);
  for (Expr factor : factors) all = arena.mul(all, factor);
  return all;
}

Expr tasks_of(scalar::Arena& arena, const Phase& phase) {
  const auto pieces = [&](const Nest& nest) {
    Expr all = arena.i64(1);
    for (const Cut& cut : nest.cuts)
      if (cut.unit == Unit::grid || cut.unit == Unit::turn)
        all = arena.mul(all, ceil_div(arena, nest.axes[cut.axis].extent, cut.size));
    return phase.at_least_one ? arena.max(all, arena.i64(1)) : all;
  };
  const Expr tasks = base::match(phase.walk, pieces, [](const Skeleton& skeleton) { return skeleton.tasks; });
  return phase.guard ? arena.mul(tasks, phase.guard) : tasks;
}

}  // namespace fulgurite::schedule
