// What a block of each phase takes when a task is a block of threads: how many threads, and how many bytes of
// shared memory. Of kernels before vectorise.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/ir.h"

namespace fulgurite::kernel {

/// As many threads as a block has on any device.
inline constexpr std::int64_t most_threads = 1024;

/// The largest Par(block) of a phase; 1 if it has none.
int block_size(const Par& phase);
std::vector<int> block_sizes(const Kernel&);  // of all phases

/// Up to where the phase's shared arrays reach, rounded up to 16. They must be laid out
/// (tidy/shared_layout.h).
std::int64_t shared_bytes(const Arena&, const Par& phase);
std::int64_t shared_bytes(const Kernel&);  // the most of any phase
/// The bytes of all arrays of a phase together, in the phase that has most: what a CPU keeps on the stack. A
/// thread's own arrays count `lanes` times.
std::int64_t local_bytes(const Kernel&, std::int64_t lanes = 1);

/// Whether a statement may report a failure.
bool can_fail(const Kernel&);

/// What an engine whose kernels are functions of many arguments has to know of one.
struct Interface {
  std::vector<std::int32_t> arguments;  // of each parameter: 0 an array, else the bytes of a scalar
  std::vector<std::int32_t> block_sizes, shared_bytes;  // of each phase
  bool can_fail = false;
};
Interface interface_of(const Kernel&);

/// Bytes of an array.
std::int64_t bytes_of(const Arena&, const Allocate&);

}  // namespace fulgurite::kernel
