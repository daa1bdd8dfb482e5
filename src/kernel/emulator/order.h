// Which accesses have happened before others, whatever the order in which warps ran. A task counts its
// barriers: what its threads did before a block barrier is ordered before what they do after it, and
// so for a warp. What a thread knows of other tasks, or of threads of its own that no barrier orders, it has
// from acquiring what they released.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace fulgurite::kernel::emulator {

/// Who accesses something, and when. `task` is unique in an emulation and rises from phase to phase; 0:
/// nobody. `epoch` counts barriers of the task, `releases` the thread's releases before the access. Small:
/// some are kept for each element of memory.
struct Stamp {
  std::uint32_t task = 0, epoch = 0;
  std::uint64_t thread : 16 = 0, step : 24 = 0, releases : 24 = 0;
};
inline constexpr std::uint32_t most_in_stamp = (1u << 24) - 1;

/// The thread that runs the statements of a task outside of Par(block); it is of no warp.
inline constexpr std::uint16_t whole_task = 0xffff;

/// What a thread knows of another task: everything before this barrier of the task or its warps, or this
/// release.
struct Known {
  std::uint32_t epoch = 0;
  std::map<std::uint16_t, std::uint32_t> warps, threads;
};
using Knowledge = std::map<std::uint32_t, Known>;
using KnowledgePtr = std::shared_ptr<const Knowledge>;  // null: nothing

KnowledgePtr merged(const KnowledgePtr&, const KnowledgePtr&);

class TaskOrder {
 public:
  /// `first_of_phase`: tasks with lower numbers ended before this one began.
  void begin(std::uint32_t task, std::uint32_t first_of_phase, std::int64_t threads);

  Stamp stamp(std::uint16_t thread, std::uint32_t step) const {
    return {task_, epoch_, thread, step, releases_[slot(thread)]};
  }
  bool is_before(const Stamp& earlier, std::uint16_t thread) const {
    if (earlier.task < first_of_phase_) return true;
    if (earlier.task == task_) {
      if (earlier.thread == thread || earlier.epoch < block_barrier_) return true;
      const int warp = thread / 32;
      if (thread != whole_task && earlier.thread / 32 == warp &&
          earlier.epoch < warp_barriers_[static_cast<std::size_t>(warp)])
        return true;
    }
    return has_acquired_ && knows(earlier, thread);
  }

  void block_barrier();
  void warp_barrier(int warp);

  void acquire(std::uint16_t thread, const KnowledgePtr&);
  /// What `thread` has done and knows, beside what the element holds from others.
  KnowledgePtr release(std::uint16_t thread, const KnowledgePtr& held);
  /// Acquires, or releases, for all threads of the block, which wait for each other before and after.
  void acquire_all(const KnowledgePtr&);
  KnowledgePtr release_all(const KnowledgePtr& held);

 private:
  std::size_t slot(std::uint16_t thread) const {
    return thread == whole_task ? releases_.size() - 1 : std::size_t{thread};
  }
  bool knows(const Stamp&, std::uint16_t thread) const;

  std::uint32_t task_ = 0, first_of_phase_ = 0, epoch_ = 0, block_barrier_ = 0;
  std::vector<std::uint32_t> warp_barriers_;
  std::vector<std::uint32_t> releases_;  // one for each thread, and the task's own
  bool has_acquired_ = false;
  KnowledgePtr all_;               // what every thread knows
  std::vector<KnowledgePtr> own_;  // and each one besides
};

}  // namespace fulgurite::kernel::emulator
