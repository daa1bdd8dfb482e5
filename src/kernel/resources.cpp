#include "kernel/resources.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::kernel {
namespace {

const Par& phase_of(const Kernel& kernel, const Stm& s) {
  const Par* phase = base::as<Par>(s.op);
  FULGURITE_CHECK(phase && phase->level == Level::grid, "kernel '{}' has more than phases at its top",
                  kernel.name);
  return *phase;
}

}  // namespace

int block_size(const Par& phase) {
  std::int64_t size = 1;
  for_each_stm(phase.body, [&](const Stm& s) {
    if (const auto* par = base::as<Par>(s.op))
      size = std::max(size, static_cast<std::int64_t>(par->n.bits()));
  });
  return static_cast<int>(size);
}

std::vector<int> block_sizes(const Kernel& kernel) {
  std::vector<int> sizes;
  for (const Stm& s : kernel.body) sizes.push_back(block_size(phase_of(kernel, s)));
  return sizes;
}

std::int64_t bytes_of(const Arena& arena, const Allocate& array) {
  const auto element = static_cast<std::int64_t>(scalar::size_of(arena.info(array.buffer).type.kind));
  return static_cast<std::int64_t>(array.n.bits()) * element;
}

std::int64_t shared_bytes(const Arena& arena, const Par& phase) {
  std::int64_t end = 0;
  for_each_stm(phase.body, [&](const Stm& s) {
    const auto* array = base::as<Allocate>(s.op);
    if (!array || array->space != Space::shared) return;
    FULGURITE_CHECK(array->offset >= 0, "the shared array '{}' has no place yet",
                    arena.info(array->buffer).name);
    end = std::max(end, array->offset + bytes_of(arena, *array));
  });
  return (end + 15) / 16 * 16;
}

std::int64_t shared_bytes(const Kernel& kernel) {
  std::int64_t most = 0;
  for (const Stm& s : kernel.body) most = std::max(most, shared_bytes(*kernel.arena, phase_of(kernel, s)));
  return most;
}

std::int64_t local_bytes(const Kernel& kernel, std::int64_t lanes) {
  std::int64_t most = 0;
  for (const Stm& phase : kernel.body) {
    std::int64_t bytes = 0;
    for_each_stm(phase_of(kernel, phase).body, [&](const Stm& s) {
      if (const auto* array = base::as<Allocate>(s.op))
        bytes += bytes_of(*kernel.arena, *array) * (array->space == Space::thread ? lanes : 1);
    });
    most = std::max(most, bytes);
  }
  return most;
}

bool can_fail(const Kernel& kernel) {
  bool found = false;
  for_each_stm(kernel.body, [&](const Stm& s) { found |= std::holds_alternative<Fail>(s.op); });
  return found;
}

Interface interface_of(const Kernel& kernel) {
  Interface all;
  for (const Param& p : kernel.params)
    all.arguments.push_back(p.role == Param::Role::scalar ? static_cast<std::int32_t>(scalar::size_of(
                                                                kernel.arena->info(p.name).type.kind))
                                                          : 0);
  for (int n : block_sizes(kernel)) all.block_sizes.push_back(n);
  for (const Stm& s : kernel.body)
    all.shared_bytes.push_back(static_cast<std::int32_t>(shared_bytes(*kernel.arena, phase_of(kernel, s))));
  all.can_fail = can_fail(kernel);
  return all;
}

}  // namespace fulgurite::kernel
