// Runs kernels before `vectorise` as a GPU would, on the CPU, and proves them: data races, accesses outside
// of a buffer, reads of what nothing has written, barriers that not all threads reach, loops that do not end.
// It also counts what decides how fast a kernel is: memory traffic, bank conflicts, idle lanes.
//
// The threads of a block run by warps of 32 that go through each statement together, under a mask of the
// lanes that are active. Warps, tasks, and the lanes of a statement take turns as drawn from a seed. Races do
// not depend on that order: they are found from who accessed an element and which barriers were between.
// Statements of a task outside of Par(block) run once, as a thread of their own that only block barriers
// order against the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/ir.h"
#include "scalar/value.h"

namespace fulgurite::kernel {

/// What memory does not show: where the Let of a name stands, `index` is one of an array of n elements that
/// is nowhere in memory. Reads of memory in it (Op::index, of one dimension) cost nothing.
struct Expectation {
  Expr index;
  std::int64_t n = 0;
};
using Expectations = std::unordered_map<Var, Expectation>;

struct EmulatorOptions {
  std::uint64_t seed = 0;                      // of the order in which tasks, warps and lanes run
  std::int64_t shared_limit = 48 * 1024;       // bytes that the threads of a block may share
  std::int64_t most_statements = 100'000'000;  // of all warps together, before a loop counts as endless
  std::size_t most_findings = 16;
  const Expectations* expectations = nullptr;  // by the names of Lets in the kernel
};

/// The memory of a buffer parameter, whose element kind is the parameter's. Arguments are the same buffer if
/// they begin at the same address. An output that is not `is_written` holds nothing that may be read; if it
/// `is_result`, the kernel writes all of it.
struct BufferArgument {
  std::span<std::byte> bytes;
  bool is_written = true;
  bool is_result = false;
};

enum class Fault : std::uint8_t {
  race,
  out_of_bounds,
  uninitialised,
  late_read,
  divergence,
  shared_limit,
  endless,
  unexpected,
  unwritten
};

/// What one thread did to an element. `thread` is -1 for the statements of a task outside of Par(block).
struct Act {
  std::uint32_t line = 0;  // Stm::line
  std::string buffer = {};
  std::int64_t task = 0, thread = -1;
  bool writes = false, is_atomic = false;
};

/// race: `act` and `other` are not ordered, and `act` writes. out_of_bounds: `element` of `n`. uninitialised:
/// `other` stored over the element for another array, if anyone did; in a launch that failed this is no
/// fault, because what cannot be computed is not stored. late_read: a load of an array that is updated in
/// place (Param::Role::update) comes after `other` stored to the element in the same phase. divergence:
/// `element` of the `n` threads came; the others wait at `other.line`. shared_limit: `element` bytes, where
/// `n` exist. endless: the loop that went round most often. unexpected: `element` of an array of `n` that is
/// nowhere in memory. unwritten: the first such `element` of `n`; `act` is a store to the result, if there is
/// one.
struct Finding {
  Fault fault = Fault::race;
  Act act = {};
  std::optional<Act> other = {};
  Space space = Space::global;
  std::int64_t element = 0, n = 0;
};

/// Counts of one phase, or the sum of all (`threads`, `shared_bytes`: the largest). An access of a warp
/// touches sectors of 32 bytes; `least_transactions` are the fewest that hold as many bytes. However good its
/// accesses are, a phase must move each byte that it touches once: `least_read`, `least_written`. An atomic
/// reads and writes. A statement that a warp runs has 32 lane slots; slots that are masked off or have no
/// thread are idle. The statements in a loop count, and the loop itself once. `most_lane_slots` is the number
/// of the task that had most: where tasks run side by side, nothing ends before that one.
struct PhaseCounts {
  std::int64_t tasks = 0, threads = 0;
  std::int64_t global_read = 0, global_written = 0;  // bytes
  std::int64_t least_read = 0, least_written = 0;
  std::int64_t transactions = 0, least_transactions = 0;
  std::int64_t bank_conflicts = 0;              // passes over shared memory beyond the first
  std::int64_t lane_slots = 0, idle_lanes = 0;  // of the statements that warps ran
  std::int64_t most_lane_slots = 0;
  std::int64_t block_barriers = 0, warp_barriers = 0;  // of the task, and of its warp, that had most
  std::int64_t shared_bytes = 0;
  friend bool operator==(const PhaseCounts&, const PhaseCounts&) = default;
};
/// Counts of one Par(block), of all tasks and rounds together.
struct StageCounts {
  std::uint32_t line = 0;  // Stm::line
  std::int64_t threads = 0;
  std::int64_t global_bytes = 0, transactions = 0, least_transactions = 0;
  std::int64_t bank_conflicts = 0, lane_slots = 0, idle_lanes = 0;
  friend bool operator==(const StageCounts&, const StageCounts&) = default;
};
/// Counts of one buffer parameter: the bytes that each phase touches, once for each phase, summed.
struct BufferCounts {
  std::int64_t read = 0, written = 0;
  friend bool operator==(const BufferCounts&, const BufferCounts&) = default;
};
struct Counts {
  PhaseCounts total;
  std::vector<PhaseCounts> phases;
  std::vector<BufferCounts> buffers;  // in the order of the buffer parameters
  std::vector<StageCounts> stages;    // in the order in which they stand
};

/// What a Fail reported; of several Fails, for the lowest element.
struct Failed {
  Site site = 0;
  std::int64_t element = 0, value = 0, bound = 0, group = 0;
  std::vector<std::int64_t> more = {};
  friend bool operator==(const Failed&, const Failed&) = default;
};

struct Emulation {
  std::vector<Finding> findings;  // one for each pair of statements, in the same order with every seed
  Counts counts;
  std::optional<Failed> failure;
  bool was_off = false;  // the kernel's guard kept the first phase from doing anything
};

/// Runs the kernel on the buffers: one for each buffer parameter, one of the scalars for each scalar one.
/// Kernels that kernel::check refuses only because a barrier is in a Par(block), or in a branch or loop
/// there, run too. Sixteen tasks run at a time, begun in any order, or in that of their numbers where an
/// InOrder is: a task that waits for one that has not begun may wait for ever, which is a finding.
Emulation emulate(const Kernel&, std::span<const BufferArgument> buffers,
                  std::span<const scalar::Bits> scalars, const EmulatorOptions& options = {});

/// Throws KernelError, at the user's line, for the first finding if there is one.
void require_sound(const Kernel&, const Emulation&);

/// The finding as a sentence that says what to do.
std::string message(const Kernel&, const Finding&);

}  // namespace fulgurite::kernel
