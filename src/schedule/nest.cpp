#include "schedule/nest.h"

#include <algorithm>

#include "base/match.h"

namespace fulgurite::schedule {

Nest::Nest() = default;
Nest::Nest(const Nest&) = default;
Nest::Nest(Nest&&) noexcept = default;
Nest& Nest::operator=(const Nest&) = default;
Nest& Nest::operator=(Nest&&) noexcept = default;
Nest::~Nest() = default;
bool Nest::operator==(const Nest&) const = default;
bool Inner::operator==(const Inner&) const = default;

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

const Cut* task_cut(const Nest& nest, std::size_t axis) {
  const auto found = std::ranges::find_if(nest.cuts, [&](const Cut& c) {
    return c.axis == axis && (c.unit == Unit::grid || c.unit == Unit::turn);
  });
  return found == nest.cuts.end() ? nullptr : &*found;
}

std::int64_t size_by(const Nest& nest, Unit unit, std::int64_t otherwise) {
  const Cut* cut = innermost(nest, unit);
  return cut && cut->size.is_constant() ? static_cast<std::int64_t>(cut->size.bits()) : otherwise;
}

std::vector<Expr> sizes_of_cuts(const Nest& nest, std::size_t axis, Unit unit) {
  std::vector<Expr> sizes;
  for (const Cut& cut : nest.cuts)
    if (cut.axis == axis && cut.unit == unit) sizes.push_back(cut.size);
  return sizes;
}

std::int64_t terms_together(const Nest& nest) {
  for (const Cut& cut : nest.cuts)
    if (cut.axis < nest.axes.size() && nest.axes[cut.axis].of != 0 && cut.unit == Unit::registers &&
        cut.size.is_constant())
      return static_cast<std::int64_t>(cut.size.bits());
  return 1;
}

std::vector<Var> memory_of_combines(const Nest& nest) {
  std::vector<Var> all;
  for (const Combine& combine : nest.combines)
    all.insert(all.end(), combine.memory.begin(), combine.memory.end());
  return all;
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

std::size_t number_of_combined(const Nest& nest) {
  const auto found = std::ranges::find_if(nest.axes, [](const Axis& axis) { return axis.of != 0; });
  return found == nest.axes.end() ? 0 : found->of;
}

const Nest* inner_of(const Nest& nest, std::size_t number) {
  const auto found = std::ranges::find(nest.inner, number, &Inner::number);
  return found == nest.inner.end() ? nullptr : &found->nest;
}

const soac::Stm* soac_inside(const soac::Stm& around, std::size_t number) {
  for (const auto& nested : soac::nested_in(around))
    for (const soac::Stm& s : nested.lambda->body) {
      if (std::holds_alternative<soac::Soac>(s.op) && s.nest == number) return &s;
      if (const soac::Stm* found = soac_inside(s, number)) return found;
    }
  return nullptr;
}

Vectors vectors_of(const Launch& launch) {
  Vectors vectors{static_cast<int>(launch.vector_lanes), 0};
  for (const Phase& phase : launch.phases)
    if (const auto* nest = std::get_if<Nest>(&phase.walk); nest && phase.name == "main")
      vectors.ahead = nest->traffic.ahead;
  return vectors;
}

std::optional<std::int64_t> constant(Expr e) {
  if (!e || !e.is_constant()) return {};
  return static_cast<std::int64_t>(e.bits());
}

Expr ceil_div(Expr a, Expr b) {
  return (a + b - 1) / b;
}

Expr product(scalar::Arena& arena, std::span<const Expr> factors) {
  Expr all = arena.i64(1);
  for (Expr factor : factors) all = all * factor;
  return all;
}

namespace {

Expr pieces_of(scalar::Arena& arena, const Nest& nest, bool at_least_one) {
  Expr all = arena.i64(1);
  for (std::size_t c = nest.cuts.size(); c-- > 0;) {
    const Cut& cut = nest.cuts[c];
    if (cut.unit != Unit::grid && cut.unit != Unit::turn) continue;
    const Expr pieces = ceil_div(nest.axes[cut.axis].extent, cut.size);
    all = ((at_least_one ? max(pieces, 1) : pieces) - cut.left_out) * all;
  }
  return all;
}

}  // namespace

Expr tasks_of(scalar::Arena& arena, const Phase& phase) {
  const auto tasks_of_nest = [&](const Nest& nest) {
    Expr all = pieces_of(arena, nest, phase.at_least_one);
    // Tasks share a row where a nest inside is cut for the grid.
    for (const Inner& inner : nest.inner) all = all * pieces_of(arena, inner.nest, inner.at_least_one);
    return all;
  };
  const Expr tasks =
      base::match(phase.walk, tasks_of_nest, [](const Skeleton& skeleton) { return skeleton.tasks; });
  return phase.guard ? tasks * phase.guard : tasks;
}

std::vector<Expr> tasks_of(scalar::Arena& arena, const Launch& launch) {
  std::vector<Expr> tasks;
  for (const Phase& phase : launch.phases)
    if (!phase.in_phase_before) tasks.push_back(tasks_of(arena, phase));
  return tasks;
}

}  // namespace fulgurite::schedule
