#include "lower/results.h"

#include <algorithm>

#include "soac/walk.h"

namespace fulgurite::lower {

Results::Results(Launches& launches, const Emitter& e, const soac::Stm& original,
                 const schedule::Launch& launch)
    : launches_(launches),
      arena_(launches.arena()),
      host_(launches.host()),
      e_(e),
      original_(original),
      launch_(launch),
      op_(std::get<soac::Soac>(launch.statement.op)),
      outputs_(soac::view_of(launch.statement)) {
  soac::Vars read;
  soac::add_mentioned(op_.body, read);
  for (const schedule::InPlace& each : launch.in_place)
    if (read.contains(each.from) && !each.where) e_.set_update(each.array);
  for (const soac::OutputView::Scattered& scatter : outputs_.scatters)
    for (Var array : scatter.arrays)
      if (is_original(array) && !scatter.to.goes_on) arrays_.push_back(array);
  for (const soac::OutputView::Partitioned& partition : outputs_.partitions) {
    arrays_.push_back(partition.offsets);
    sorted_.insert(sorted_.end(), partition.arrays.begin(), partition.arrays.end());
  }
  for (const soac::Mapped& mapped : outputs_.mapped) arrays_.push_back(mapped.array);
  const Expr n_points = launches_.product(op_.dims);
  written_ = i64(0);
  for (Var array : arrays_) written_ = written_ + launches_.bytes(array);
  for (Var array : sorted_)
    written_ = written_ + n_points * static_cast<std::int64_t>(size_of(arena_.info(array).type.kind));
  for (Var array : arrays_) e_.set_destination(array, {array, {}});
  for (Var array : sorted_) e_.set_destination(array, {array, {}});
  for (const auto& [array, first] : soac::in_memory_of_others(launch.statement))
    e_.set_destination(array, {first, {}});
}

bool Results::is_original(Var name) const {
  return std::ranges::find(original_.names, name) != original_.names.end();
}

void Results::allocate(std::span<const Var> temporaries) {
  for (Var array : arrays_)
    if (std::ranges::find(launch_.copies, array, &schedule::Copy::array) == launch_.copies.end())
      launches_.allocate(array);
  const std::vector<Expr> capacity{launches_.product(op_.dims)};
  for (Var array : sorted_) launches_.allocate(array, capacity);
  for (Var array : temporaries) launches_.allocate(array);
  for (const schedule::Copy& copy : launch_.copies) {
    const scalar::VarInfo& info = arena_.info(copy.array);
    const plan::Place to = host_.fresh_place();
    const plan::Slot fresh = host_.fresh_slot();
    host_.bind(copy.fresh.var(), fresh);
    const auto update = std::ranges::find(launch_.in_place, copy.array, &schedule::InPlace::array);
    const bool is_conditional = update != launch_.in_place.end() && update->where;
    const plan::Slot where = is_conditional ? host_.slot(update->where) : plan::Reuse::always;
    host_.append(plan::Reuse{to, host_.place(copy.from), info.type.kind, host_.slots(info.shape), fresh,
                             false, launches_.memory_site(), where});
    host_.bind_place(copy.array, to);
  }
}

void Results::launch(kernel::Block phases, std::span<const Expr> tasks, std::span<const Var> temporaries,
                     LaunchNote note) {
  allocate(temporaries);
  Expr read = i64(0);
  for (const Emitter::FreeBuffer& buffer : e_.free_buffers())
    if (buffer.param.role == kernel::Param::Role::input) read = read + launches_.bytes(buffer.array);
  note.source = std::make_shared<LaunchSource>();
  note.source->stm = launch_.statement;
  // Explanations count all bytes as copied; the plan counts the real ones.
  Expr written = written_, copied = i64(0);
  const Expr n_points = launches_.product(op_.dims);
  for (const schedule::Copy& copy : launch_.copies) {
    const Kind kind = arena_.info(copy.array).type.kind;
    const Expr spared = (1 - copy.fresh) * launches_.bytes(copy.array);
    copied = copied + spared;
    written = written + (n_points * static_cast<std::int64_t>(size_of(kind)) - spared);
    note.source->copies.push_back({copy.array, copy.from, copy.fresh, host_.place(copy.array)});
  }
  note.origin = launch_.statement.origin;
  note.where = launch_.statement.where;
  note.names = original_.names;
  note.bytes_read = read;
  note.bytes_written = written_;
  note.source->own.assign(temporaries.begin(), temporaries.end());
  const std::string name = note.launch->name;
  launches_.launch(name, e_, std::move(phases), tasks, read - copied, written, std::move(note));
  for (const auto& [array, first] : soac::in_memory_of_others(launch_.statement)) {
    const plan::Place to = host_.fresh_place();
    host_.append(plan::Share{to, host_.place(first)});
    host_.bind_place(array, to);
  }
  std::vector<Var> scalars, landed;
  for (const schedule::Landing& each : launch_.scalars)
    scalars.push_back(each.scalar), landed.push_back(each.array);
  launches_.bind_scalars(scalars, landed);
  for (const soac::OutputView::Partitioned& partition : outputs_.partitions)
    for (Var array : partition.arrays)
      host_.append(plan::Shrink{host_.place(array), host_.slot(arena_.name(partition.kept))});
}

}  // namespace fulgurite::lower
