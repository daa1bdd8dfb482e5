#include "runtime/signature.h"

#include <algorithm>

#include "base/check.h"

namespace fulgurite::runtime {

Signature::Signature(const KernelSource& source)
    : name_(source.name),
      arguments_(source.arguments),
      block_sizes_(source.block_sizes),
      can_fail_(source.can_fail),
      n_arrays_(static_cast<std::size_t>(std::count(arguments_.begin(), arguments_.end(), 0))) {
  FULGURITE_CHECK(block_sizes_.size() == static_cast<std::size_t>(source.n_phases),
                  "kernel '{}' has {} phases and {} block sizes", name_, source.n_phases,
                  block_sizes_.size());
}

void Signature::check(const Launch& launch) const {
  FULGURITE_CHECK(launch.n_tasks.size() == n_phases(), "{} task counts for {} phases", launch.n_tasks.size(),
                  n_phases());
  FULGURITE_CHECK(
      launch.buffers.size() == n_arrays_ && launch.scalars.size() == arguments_.size() - n_arrays_,
      "kernel '{}' takes {} arrays of {} arguments, and is launched with {} and {} scalars", name_, n_arrays_,
      arguments_.size(), launch.buffers.size(), launch.scalars.size());
}

bool is_sequential(const Launch& launch, std::span<const int> block_sizes) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < block_sizes.size(); ++i)
    most = std::max(most, launch.n_tasks[i] * block_sizes[i]);
  return most == 1 && launch.bytes_read + launch.bytes_written > 0;
}

}  // namespace fulgurite::runtime
