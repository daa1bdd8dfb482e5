#include "lower/call.h"

#include <algorithm>

#include "kernel/traverse.h"

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

// An array that begins as a copy of another, and takes its memory unless a step or the kernel reads that one.
void begin_as_copy(Launches& launches, Var name, Var from, bool is_read) {
  Host& host = launches.host();
  const scalar::VarInfo& info = launches.arena().info(name);
  const plan::Slot fresh = host.fresh_slot();
  if (is_read) {
    launches.allocate(name);
    host.append(plan::Constant{fresh, 1});
  } else {
    const plan::Place to = host.fresh_place();
    host.append(plan::Reuse{to, host.place(from), info.type.kind, host.slots(info.shape), fresh, false,
                            launches.memory_site()});
    host.bind_place(name, to);
  }
  host.append(plan::CopyArray{host.place(name), host.place(from), info.type.kind, fresh});
}

}  // namespace

void call(Launches& launches, const soac::Stm& s, const soac::Call& op) {
  Host& host = launches.host();
  for (std::size_t r = 0; r < s.names.size(); ++r)
    if (op.former[r])
      begin_as_copy(launches, s.names[r], op.former[r].var(),
                    std::ranges::find(op.arrays, op.former[r]) != op.arrays.end());
    else
      launches.allocate(s.names[r]);

  Lowered& lowered = launches.lowered();
  plan::Launch launch{static_cast<std::int32_t>(lowered.kernels.size()), {}, host.slots(op.scalars), {}};
  Expr read = launches.i64(0), written = launches.i64(0);
  for (Expr array : op.arrays) {
    launch.buffers.push_back(host.place(array.var()));
    read = read + launches.bytes(array.var());
  }
  for (std::size_t r = 0; r < s.names.size(); ++r) {
    launch.buffers.push_back(host.place(s.names[r]));
    const Expr bytes = launches.bytes(s.names[r]);
    written = written + bytes;
    if (op.former[r]) read = read + bytes;
  }
  launch.tasks = {launch.scalars.back()};
  launch.bytes_read = host.slot(read);
  launch.bytes_written = host.slot(written);

  kernel::Kernel kernel = *op.kernel;
  kernel.body = with_sites(kernel.body, op.sites);
  plan::KernelText& text = lowered.plan.kernels.emplace_back();
  text.name = kernel.name;
  text.operation = s.origin;
  text.where = launches.memory_site();
  lowered.kernels.push_back(std::move(kernel));
  lowered.notes.push_back({launch.kernel, s.origin, s.where, {}, {}, s.names, read, written});
  host.append(std::move(launch));
}

}  // namespace fulgurite::lower
