#include "lower/scalar_kernels.h"

#include "walk/control.h"

namespace fulgurite::lower {

namespace {

template <class Fill>
kernel::Block one_task(const Emitter& e, Fill&& fill) {
  return e.block([&] { e.par(kernel::Level::grid, e.arena().i64(1), "task", [&](Expr) { fill(); }); });
}

void launch_one_task(Launches& launches, const Emitter& e, kernel::Block phases, std::string name,
                     LaunchNote note) {
  const Expr zero = launches.i64(0);
  const std::vector<Expr> tasks{launches.i64(1)};
  note.bytes_read = note.bytes_written = zero;
  launches.launch(std::move(name), e, std::move(phases), tasks, zero, zero, std::move(note));
}

// Results are element 0 of the arrays.
std::vector<Var> scalars(Launches& launches, const soac::Lambda& code, std::string origin,
                         soac::Location where) {
  const Expr zero = launches.i64(0);
  const Emitter e = launches.emitter().at_element(zero);
  std::vector<Var> outputs;
  kernel::Block phases = one_task(e, [&] {
    walk::statements(e, code.body);
    for (Expr result : code.results) {
      outputs.push_back(e.arena().fresh_array(result.kind(), {launches.i64(1)}, "out").var());
      e.store({outputs.back(), {}}, zero, e.lower(result));
    }
  });
  for (Var output : outputs) launches.allocate(output);
  LaunchNote note{};
  note.origin = std::move(origin);
  note.where = std::move(where);
  note.source = std::make_shared<LaunchSource>();
  note.source->stm.op = soac::Soac{{}, code};
  launch_one_task(launches, e, std::move(phases), "scalar", std::move(note));
  return outputs;
}

}  // namespace

std::vector<Var> compute_scalars(Launches& launches, std::span<const Expr> values) {
  return scalars(launches, {{}, {}, {values.begin(), values.end()}}, "index", {});
}

plan::Slot value_of(Launches& launches, Expr e) {
  if (!reads_memory(e)) return launches.host().slot(e);
  return launches.fetch(compute_scalars(launches, std::span(&e, 1))[0]);
}

void scalar_statement(Launches& launches, const soac::Stm& s) {
  const soac::Lambda code{{}, {s}, launches.arena().names(s.names)};
  launches.bind_scalars(s.names, scalars(launches, code, s.origin, s.where));
}

void loop_condition(Launches& launches, const soac::Stm& loop, Expr holds, Var flags) {
  const Expr zero = launches.i64(0), one = launches.i64(1);
  const Emitter e = launches.emitter().at_element(zero);
  kernel::Block phases = one_task(e, [&] {
    const Expr goes_on = e.lower(cast(holds, Kind::i32));
    const Expr before = e.load_plain(flags, one, "iterations");
    e.store_plain(flags, zero, goes_on);
    e.store_plain(flags, one, e.bind(before + goes_on, "iterations"));
  });
  LaunchNote note{};
  note.origin = loop.origin;
  note.where = loop.where;
  note.converges = true;
  launch_one_task(launches, e, std::move(phases), "condition", std::move(note));
}

}  // namespace fulgurite::lower
