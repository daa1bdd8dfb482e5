#include "lower/launch.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "lower/results.h"
#include "schedule/blocks/decide.h"
#include "schedule/check.h"
#include "schedule/lanes/decide.h"
#include "schedule/nest.h"
#include "walk/blocks/phases.h"
#include "walk/lanes/phases.h"

namespace fulgurite::lower {

namespace {

schedule::Launch decided(Launches& launches, const soac::Stm& s, const schedule::WindowProducers& producers) {
  const Options& options = launches.options();
  const schedule::Surroundings around{launches.arena(),
                                      launches.sizes(),
                                      [&](std::span<const Expr> all) { return launches.known_outside(all); },
                                      [&](Var array) { return launches.host().has_place(array); },
                                      launches.device(),
                                      {options.lanes, options.blocks},
                                      [&](Var array) {
                                        const auto found = producers.find(array);
                                        return found == producers.end() ? nullptr : &found->second.at;
                                      }};
  return edited(launches, launches.has_blocks() ? schedule::decide_blocks(around, s)
                                                : schedule::decide_lanes(around, s));
}

// The host asks before the launch.
void bind_residents(Launches& launches, const schedule::Launch& launch, std::int32_t kernel) {
  for (const schedule::Resident& resident : launch.residents) {
    const plan::Slot slot = launches.host().fresh_slot();
    launches.host().append(plan::Resident{slot, kernel, static_cast<std::int32_t>(resident.threads)});
    launches.host().bind(resident.name, slot);
  }
}

// Messages take this many neighbouring elements for one position.
Emitter in_groups(Launches& launches, const Emitter& e, const soac::Soac& op) {
  if (op.outer_axes == 0) return e;
  return e.of_groups(launches.product(std::span(op.dims).subspan(op.outer_axes)));
}

}  // namespace

schedule::Launch edited(const Launches& launches, schedule::Launch decided) {
  const EditSchedule& edit = launches.options().edit_schedule;
  if (!edit) return decided;
  schedule::Launch edited = edit(decided);
  schedule::check(launches.program(), edited, "an edit");
  schedule::check_tasks(decided, edited, "an edit");
  return edited;
}

void launch(Launches& launches, const soac::Stm& s, const schedule::WindowProducers& producers) {
  const auto scheduled = std::make_shared<const schedule::Launch>(decided(launches, s, producers));
  const auto kernel = static_cast<std::int32_t>(launches.lowered().kernels.size());
  bind_residents(launches, *scheduled, kernel);
  const auto& op = std::get<soac::Soac>(scheduled->statement.op);
  walk::lanes::Nests nests{{launches.sizes(), launches.device(), launches.options().lanes}};
  const auto inside = [&nests](const Emitter& at, const soac::Stm& inner) {
    walk::lanes::inner(at, inner, nests);
  };
  const Emitter e =
      in_groups(launches, launches.has_blocks() ? launches.emitter() : launches.emitter(inside), op);
  Results results(launches, e, s, *scheduled);
  kernel::Block phases =
      launches.has_blocks() ? walk::blocks::phases(e, *scheduled) : walk::lanes::phases(e, *scheduled, nests);
  LaunchNote note{};
  note.launch = scheduled;
  results.launch(std::move(phases), schedule::tasks_of(launches.arena(), *scheduled), scheduled->memory,
                 std::move(note));
  const std::int32_t launched = launches.lowered().notes.back().kernel;
  FULGURITE_CHECK(launched == kernel, "kernel {} was to be kernel {}", launched, kernel);
}

}  // namespace fulgurite::lower
