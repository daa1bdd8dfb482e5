#include "lower/call.h"

#include <fmt/format.h>

#include "kernel/traverse.h"
#include "lower/combinator.h"

namespace fulgurite::lower {
namespace {

kernel::Block with_sites(const kernel::Block& body, std::span<const soac::Site> sites) {
  kernel::Parts parts;
  parts.block = [&](const kernel::Block& inner) { return with_sites(inner, sites); };
  kernel::Block changed;
  for (const kernel::Stm& s : body) {
    changed.push_back(kernel::map_children(s, parts));
    if (auto* fail = std::get_if<kernel::Fail>(&changed.back().op)) fail->site = sites[fail->site - 1];
  }
  return changed;
}

// An array that begins as a copy of another, and has its memory if nothing else reads it: a scatter of no
// points.
soac::Stm copied(scalar::Arena& arena, Var name, Expr from, const soac::Stm& call) {
  const Expr point = arena.fresh({Kind::i64}, "point"), place = arena.fresh({Kind::i64}, "place");
  soac::Soac none{{arena.i64(0)}, {{point.var()}, {}, {arena.i64(0), arena.constant(from.kind(), 0)}}};
  none.scatters.push_back(
      {arena.info(name).shape, {{place.var()}, {}, {arena.index(from, {&place, 1})}}, {}});
  return {{name}, std::move(none), call.where, call.origin};
}

}  // namespace

void call(Launches& launches, const soac::Stm& s, const soac::Call& op) {
  scalar::Arena& arena = launches.arena();
  Host& host = launches.host();
  for (std::size_t r = 0; r < s.names.size(); ++r)
    if (op.former[r])
      combinator(launches, copied(arena, s.names[r], op.former[r], s));
    else
      launches.allocate(s.names[r]);

  Lowered& lowered = launches.lowered();
  plan::Launch launch{static_cast<std::int32_t>(lowered.kernels.size()), {}, host.slots(op.scalars), {}};
  Expr read = launches.i64(0), written = launches.i64(0);
  for (Expr array : op.arrays) {
    launch.buffers.push_back(host.place(array.var()));
    read = arena.add(read, launches.bytes(array.var()));
  }
  for (std::size_t r = 0; r < s.names.size(); ++r) {
    launch.buffers.push_back(host.place(s.names[r]));
    const Expr bytes = launches.bytes(s.names[r]);
    written = arena.add(written, bytes);
    if (op.former[r]) read = arena.add(read, bytes);
  }
  launch.tasks = {launch.scalars.back()};
  launch.bytes_read = host.slot(read);
  launch.bytes_written = host.slot(written);

  kernel::Kernel kernel = *op.kernel;
  kernel.body = with_sites(kernel.body, op.sites);
  lowered.plan.kernels.push_back({kernel.name, 1, {}});
  lowered.kernels.push_back(std::move(kernel));
  lowered.notes.push_back({launch.kernel, s.origin, s.where, {}, {}, s.names, read, written});
  host.append(std::move(launch));
}

}  // namespace fulgurite::lower
