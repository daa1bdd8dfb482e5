#include "lower/launches.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/slice.h"
#include "soac/room.h"
#include "soac/walk.h"
#include "walk/blocks/inner.h"
#include "walk/lanes/inner.h"

namespace fulgurite::lower {

namespace {

// Or tasks do: rows are sorted in memory that each task has for itself.
bool points_make_arrays(const std::vector<soac::Stm>& body) {
  return std::ranges::any_of(body, [](const soac::Stm& s) {
    if (base::as<soac::Sort>(s.op)) return true;
    const bool has_points = base::as<soac::Soac>(s.op) != nullptr;
    return std::ranges::any_of(soac::nested_in(s), [&](const auto& inner) {
      return has_points ? schedule::makes_arrays(*inner.lambda) : points_make_arrays(inner.lambda->body);
    });
  });
}

}  // namespace

Launches::Launches(const soac::Program& program, const Options& options)
    : program_(program),
      arena_(*program.arena),
      options_(options),
      sizes_(program),
      device_scalars_(options.schedule == Schedule::blocks ? DeviceScalars(program) : DeviceScalars()),
      host_(arena_, lowered_.plan),
      points_make_arrays_(points_make_arrays(program.body)),
      memory_sites_(program) {}

schedule::Device Launches::device() const {
  const Target& target = options_.target;
  return {target.vector_bytes,  target.last_level_cache, target.shared_memory, target.tells_occupancy,
          options_.blocks_wait, target.adds_quarters,    target.has_shuffles};
}

Emitter Launches::emitter() {
  if (has_blocks()) {
    const Emitter e = emitter([](const Emitter& at, const soac::Stm& s) { walk::blocks::inner(at, s); });
    kernel::Context context = e.context();
    context.has_shuffles = options_.target.has_shuffles;
    return e.in_context_of(e.with(std::move(context)));
  }
  return emitter([nests = walk::lanes::Nests{{sizes_, device(), options_.lanes}}](
                     const Emitter& at, const soac::Stm& s) { walk::lanes::inner(at, s, nests); });
}

Emitter Launches::emitter(const Lowers& lowers) {
  const auto knows = [this](Expr e) { return known_outside(std::span(&e, 1)); };
  Emitter::Outside outside{knows,
                           lowers,
                           [this](Var scalar) { return host_.on_device(scalar); },
                           options_.schedule == Schedule::lanes,
                           [this](Expr e) { return computed(e); },
                           [this](const soac::Location& where) { return soac::room_site(program_, where); },
                           options_.keeps_rewrite};
  if (!points_make_arrays_) return {arena_, options_.checks, std::move(outside), {}};
  return {arena_, options_.checks, std::move(outside), soac::Bounds(program_, knows)};
}

Expr Launches::computed(Expr e) {
  if (e.is_name()) return e;
  const Expr name = arena_.fresh(e.type(), "room");
  host_.bind(name.var(), host_.slot(e));
  lowered_.computed.emplace_back(name.var(), e);
  return name;
}

Expr Launches::product(std::span<const Expr> factors) {
  return schedule::product(arena_, factors);
}

Expr Launches::bytes(Var array) {
  const scalar::VarInfo& info = arena_.info(array);
  return product(info.shape) * static_cast<std::int64_t>(size_of(info.type.kind));
}

bool Launches::known_outside(std::span<const Expr> expressions) {
  bool known = true;
  scalar::for_each_node(expressions, [&](Expr e) {
    known &= e.op() != Op::index && e.site() == 0 && (!e.is_name() || host_.knows(e.var()));
  });
  return known;
}

void Launches::set_line(const soac::Location& where) {
  memory_site_ = memory_sites_.at(where);
}

void Launches::allocate(Var array) {
  allocate(array, arena_.info(array).shape);
}

void Launches::allocate(Var array, std::span<const Expr> shape) {
  plan::Place place = host_.fresh_place();
  host_.append(plan::Allocate{place, arena_.info(array).type.kind, host_.slots(shape), memory_site_});
  host_.bind_place(array, place);
}

plan::Slot Launches::fetch(Var array) {
  const plan::Slot slot = host_.fresh_slot();
  host_.append(plan::Fetch{slot, host_.place(array), arena_.info(array).type.kind});
  return slot;
}

void Launches::bind_scalars(std::span<const Var> names, std::span<const Var> arrays) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (device_scalars_.contains(names[k]))
      host_.bind_on_device(names[k], arrays[k]);
    else
      host_.bind(names[k], fetch(arrays[k]));
}

void Launches::launch(std::string name, const Emitter& e, kernel::Block phases, std::span<const Expr> tasks,
                      Expr bytes_read, Expr bytes_written, LaunchNote note) {
  kernel::Kernel kernel{std::move(name), program_.arena, {}, std::move(phases)};
  plan::Launch launch{static_cast<std::int32_t>(lowered_.kernels.size()), {}, {}, {}};
  for (Var array : e.scratch_arrays()) allocate(array);
  for (const Emitter::FreeBuffer& buffer : e.free_buffers()) {
    kernel.params.push_back(buffer.param);
    launch.buffers.push_back(host_.place(buffer.array));
  }
  if (guard_) {
    kernel.guard = guard_;
    if (std::ranges::find(kernel.params, *guard_, &kernel::Param::name) == kernel.params.end()) {
      kernel.params.push_back({*guard_, kernel::Param::Role::input});
      launch.buffers.push_back(host_.place(*guard_));
    }
  }
  for (Var scalar : e.free_scalars()) {
    kernel.params.push_back({scalar, kernel::Param::Role::scalar});
    launch.scalars.push_back(host_.slot(arena_.name(scalar)));
  }
  launch.tasks = host_.slots(tasks);
  launch.bytes_read = host_.slot(bytes_read);
  launch.bytes_written = host_.slot(bytes_written);
  note.kernel = launch.kernel;
  note.sequential = e.sequential();
  if (!note.source) note.source = std::make_shared<LaunchSource>();
  note.source->tasks.assign(tasks.begin(), tasks.end());
  note.source->own.insert(note.source->own.end(), e.scratch_arrays().begin(), e.scratch_arrays().end());
  for (const Emitter::FreeBuffer& buffer : e.free_buffers())
    note.source->buffers.push_back({buffer.param.name, buffer.array});
  plan::KernelText& text = lowered_.plan.kernels.emplace_back();
  text.name = kernel.name;
  text.n_phases = static_cast<std::int32_t>(tasks.size());
  text.operation = note.origin;
  text.where = memory_sites_.at(note.where);
  lowered_.kernels.push_back(std::move(kernel));
  lowered_.notes.push_back(std::move(note));
  host_.append(std::move(launch));
}

}  // namespace fulgurite::lower
