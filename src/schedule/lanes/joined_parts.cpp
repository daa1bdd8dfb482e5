#include "schedule/lanes/joined_parts.h"

#include "schedule/nest.h"
#include "schedule/rewrites/rounding.h"

namespace fulgurite::schedule {

std::vector<Var> memory_of_parts(Building& at, const soac::Soac& reduction, Expr n) {
  std::vector<Var> parts;
  for (const soac::Reduction& r : reduction.reductions)
    for (Expr neutral : r.neutral) parts.push_back(at.memory(neutral.kind(), n, "partial"));
  return parts;
}

void leave_parts(const Building& at, const soac::Soac& reduction, std::span<const Var> parts, bool in_chains,
                 Nest& nest) {
  for (std::size_t g = 0; g < reduction.reductions.size(); ++g) {
    if (in_chains && rounds(reduction.reductions[g]))
      add_level(nest, Combine::Part::reduction, g, {Unit::sequence, Join::chain, at.lanes.by.fold_chain}, {});
    const auto of_group = parts.first(reduction.reductions[g].neutral.size());
    add_level(nest, Combine::Part::reduction, g, {Unit::grid, Join::partials},
              {of_group.begin(), of_group.end()});
    parts = parts.subspan(of_group.size());
  }
}

Phase& add_joined_parts(Building& at, std::string name, const PartialRows& parts, std::int64_t lanes) {
  const std::int64_t of_task = at.lanes.by.fold_joined;
  Skeleton join{"join columns",
                {{"points", of_task}, {"lanes", lanes}},
                ceil_div(parts.of_part, at.i64(of_task)),
                {parts.arrays.begin(), parts.arrays.end()}};
  Phase& phase = at.add(std::move(name), joined(at.arena, at.posting, parts), std::move(join));
  phase.why = {"tasks: of neighbouring points, whose partial results are joined in vectors (fold_joined)"};
  return phase;
}

}  // namespace fulgurite::schedule
