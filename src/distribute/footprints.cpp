#include "distribute/footprints.h"

#include <algorithm>
#include <map>
#include <vector>

#include "distribute/formulas.h"
#include "distribute/places.h"
#include "distribute/touches.h"

namespace fulgurite::distribute {
namespace {

using kernel::Kernel, kernel::Var;
using runtime::Footprints, runtime::PhaseFootprint;

// Touches of these arrays whose places the data say are marked.
void mark(PhaseFootprint& phase, const PhaseMarks& marks, const std::map<Var, std::int32_t>& buffers) {
  const std::vector<bool> is_said = said_by_data(phase.formulas, false);
  for (runtime::Touch& t : phase.touches) {
    const auto is_of = [&](Var array) { return buffers.at(array) == t.buffer; };
    t.is_marked =
        t.stores ? !marks.is_inspector && std::ranges::any_of(marks.marks, is_of, &Marked::buffer)
                 : is_said[static_cast<std::size_t>(t.at)] && std::ranges::any_of(marks.inspected, is_of);
  }
}

std::map<Var, std::int32_t> buffers_of(const Kernel& kernel) {
  std::map<Var, std::int32_t> buffers;
  for (const kernel::Param& p : kernel.params)
    if (p.role != kernel::Param::Role::scalar)
      buffers.emplace(p.name, static_cast<std::int32_t>(buffers.size()));
  return buffers;
}

PhaseFootprint footprint_of(const Kernel& kernel, const kernel::Par& par, std::int32_t tasks_of,
                            const PhaseMarks& marks) {
  const std::map<Var, std::int32_t> numbers = buffers_of(kernel);
  std::map<Var, std::int32_t> buffers = numbers;
  PhaseFootprint phase;
  phase.tasks_of = tasks_of;
  phase.is_inspector = marks.is_inspector;
  for (const Marked& m : marks.marks) {
    phase.marks.push_back({numbers.at(m.buffer), numbers.at(m.marks)});
    buffers.erase(m.marks);
  }
  find_touches(kernel, buffers, par, phase);
  mark(phase, marks, buffers);
  keep_needed(phase);
  return phase;
}

}  // namespace

Footprints footprints_of(const Distributed& of) {
  Footprints all;
  for (const kernel::Param& p : of.kernel.params)
    if (p.role != kernel::Param::Role::scalar)
      all.element_bytes.push_back(
          static_cast<std::int32_t>(scalar::size_of(of.kernel.arena->info(p.name).type.kind)));
  all.own = of.own;
  for (std::size_t p = 0; p < of.kernel.body.size(); ++p)
    all.phases.push_back(
        footprint_of(of.kernel, std::get<kernel::Par>(of.kernel.body[p].op), of.tasks_of[p], of.marks[p]));
  return all;
}

std::set<const void*> said_by_data(const Kernel& kernel, const kernel::Par& par) {
  const std::map<Var, std::int32_t> buffers = buffers_of(kernel);
  PhaseFootprint phase;
  const Places places = find_touches(kernel, buffers, par, phase);
  std::set<const void*> said;
  for (const bool stores : {false, true}) {
    const std::vector<bool> is_said = said_by_data(phase.formulas, stores);
    for (const auto& [statement, at] : stores ? places.stores : places.loads)
      if (is_said[static_cast<std::size_t>(at)]) said.insert(statement);
  }
  return said;
}

}  // namespace fulgurite::distribute
