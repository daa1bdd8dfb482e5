#include "lower/storage.h"

#include "lower/scalar_kernels.h"

namespace fulgurite::lower {

namespace {

bool is_in_place(Launches& launches, Var name) {
  return launches.arena().info(name).type.rank > 0 || launches.device_scalars().contains(name);
}

Storage at(plan::Place place) {
  return {-1, place};
}

// The storage that holds a value for a name; none: a kernel has to compute it.
std::optional<Storage> held(Launches& launches, Expr value, Var name) {
  Host& host = launches.host();
  if (value.type().rank > 0) return at(host.place(value.var()));
  if (is_in_place(launches, name)) {
    const auto array = value.is_name() ? host.on_device(value.var()) : std::nullopt;
    return array ? std::optional(at(host.place(*array))) : std::nullopt;
  }
  if (reads_memory(value)) return std::nullopt;
  return Storage{host.slot(value), -1};
}

// One kernel computes all that has to be computed on the device.
std::vector<Storage> storage_of(Launches& launches, std::span<const Expr> values,
                                std::span<const Var> names) {
  std::vector<Storage> storage(values.size());
  std::vector<Expr> computed;
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (const auto known = held(launches, values[k], names[k])) {
      storage[k] = *known;
    } else {
      computed.push_back(values[k]);
      numbers.push_back(k);
    }
  if (computed.empty()) return storage;
  const std::vector<Var> arrays = compute_scalars(launches, computed);
  for (std::size_t i = 0; i < arrays.size(); ++i)
    storage[numbers[i]] = is_in_place(launches, names[numbers[i]]) ? at(launches.host().place(arrays[i]))
                                                                   : Storage{launches.fetch(arrays[i]), -1};
  return storage;
}

}  // namespace

std::vector<Storage> fresh_storage(Launches& launches, std::span<const Var> names) {
  Host& host = launches.host();
  std::vector<Storage> storage;
  for (Var name : names)
    storage.push_back(is_in_place(launches, name) ? at(host.fresh_place()) : Storage{host.fresh_slot(), -1});
  return storage;
}

std::vector<Storage> copies_of(Launches& launches, std::span<const Expr> values, std::span<const Var> names) {
  const std::vector<Storage> from = storage_of(launches, values, names);
  std::vector<Storage> to = fresh_storage(launches, names);
  move_values(launches.host(), to, from);
  return to;
}

void assign_values(Launches& launches, std::span<const Storage> to, std::span<const Expr> values,
                   std::span<const Var> names) {
  move_values(launches.host(), to, storage_of(launches, values, names));
}

void move_values(Host& host, std::span<const Storage> to, std::span<const Storage> from) {
  for (std::size_t k = 0; k < to.size(); ++k)
    if (to[k].place >= 0)
      host.append(plan::Share{to[k].place, from[k].place});
    else
      host.append(plan::Copy{to[k].slot, from[k].slot});
}

void bind_names(Launches& launches, std::span<const Var> names, std::span<const Storage> storage) {
  Host& host = launches.host();
  for (std::size_t k = 0; k < storage.size(); ++k) {
    const scalar::VarInfo info = launches.arena().info(names[k]);
    if (storage[k].place < 0) {
      host.bind(names[k], storage[k].slot);
    } else if (info.type.rank > 0) {
      host.bind_place(names[k], storage[k].place);
    } else {
      const Var array = launches.arena().fresh_array(info.type.kind, {launches.i64(1)}, info.name).var();
      host.bind_place(array, storage[k].place);
      host.bind_on_device(names[k], array);
    }
  }
}

}  // namespace fulgurite::lower
