// The device that the emulator is: some tasks at a time, their warps, and whose turn it is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernel/emulate.h"
#include "kernel/emulator/code.h"
#include "kernel/emulator/memory.h"
#include "kernel/emulator/order.h"

namespace fulgurite::kernel::emulator {

/// Numbers drawn from a seed, the same everywhere (SplitMix64).
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>((next() >> 32) * n >> 32); }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

using Mask = std::uint32_t;

/// A branch or loop that lanes are in: lanes that go on after it, lanes that take the other branch.
struct Frame {
  Mask behind = 0, others = 0;
  std::uint32_t step = 0;
  std::int64_t rounds = 0;
};

/// What runs steps: a warp, or a task outside of Par(block), which is one lane.
struct Unit {
  enum class State : std::uint8_t { runs, waits, ended };
  int warp = -1;
  State state = State::runs;
  std::uint32_t step = 0;
  Mask active = 1, full = 1;
  std::vector<Frame> frames = {};
  std::vector<Bits> registers = {};
  std::int64_t warp_barriers = 0;

  std::uint16_t thread(unsigned lane) const {
    return warp < 0 ? whole_task : static_cast<std::uint16_t>(warp * warp_size + static_cast<int>(lane));
  }
};

struct Task {
  std::int64_t number = 0;
  Unit whole;
  std::vector<Unit> warps;
  std::size_t n_running = 0;  // warps of the segment that have not ended
  bool waits_for_turn = false, has_ended = false;
  TaskOrder order;
  std::vector<std::byte> shared_bytes, thread_bytes;
  Memory shared;
  // Arrays of threads, one copy for the task and one for each thread: the life whose value a byte has; the
  // lives of arrays by buffer and copy.
  std::vector<std::uint32_t> thread_values, thread_lives;
  std::vector<std::uint32_t> lives;  // of shared arrays by buffer
  std::int64_t block_barriers = 0, lane_slots = 0;
};

class Machine {
 public:
  Machine(const Kernel&, std::span<const BufferArgument>, std::span<const Bits> scalars,
          const EmulatorOptions&);
  Emulation operator()();

 private:
  struct Values {
    const Bits* first;
    unsigned stride;
    Bits operator[](unsigned lane) const { return first[lane * stride]; }
    std::int64_t integer(unsigned lane) const { return static_cast<std::int64_t>((*this)[lane]); }
  };

  // machine.cpp: tasks and warps.
  bool is_off() const;
  void run(const Phase&);
  void begin(Task&, const Phase&, std::int64_t number, std::uint32_t serial);
  void advance(Task&);
  void begin_segment();
  void end_segment();
  void begin_par();
  void arrive();
  void resolve_divergence();
  void come_together(std::uint32_t step);
  void count(const Task&);
  void require_written();
  void report_endless_loop();
  void report_endless_turn();

  // execute.cpp: one step of the unit that runs.
  void execute();
  void compute(std::uint32_t first, std::uint32_t last);
  void expect();
  Values values(Operand) const;
  Bits* target(Operand);
  Mask where(Operand condition) const;
  void assign(Operand to, Mask, Values from);
  void count_lanes(Mask);
  void branch();
  void otherwise();
  void begin_for();
  void test_for();
  void next_for();
  void test();
  void leave();
  void shuffle();
  void fail();
  void sync_warp();
  std::size_t gather(std::uint32_t step, std::vector<Bits>& of_value, std::vector<Bits>& of_extra,
                     std::vector<std::uint8_t>& holds);
  void scatter(std::uint32_t step, const std::vector<Bits>&);

  // accesses.cpp: memory.
  void load();
  void store();
  void wide_load();
  void wide_store();
  void atomic();
  void peek(const Node&);
  void allocate();
  void begin_turn();
  void end_turn();
  void pack();
  void pack_together(std::uint32_t step);
  /// What all lanes of an access have in common.
  struct Accessed {
    How how;
    std::int32_t buffer;
    const Buffer& of;
    std::int64_t n;           // elements
    std::size_t first, size;  // bytes: where the buffer is in its memory; of an element
    Memory* memory;           // null: memory of threads
    std::uint32_t life;
    std::size_t place(std::int64_t index) const { return first + static_cast<std::size_t>(index) * size; }
  };
  Accessed accessed(How, std::int32_t buffer);
  Accessed accessed_wide(How);
  std::byte* touch(const Accessed&, std::int64_t index, unsigned lane);
  std::byte* touch_own(const Accessed&, std::int64_t index, unsigned lane);
  void count_access(const Accessed&);
  StageCounts* stage();
  template <class F>
  void in_any_order(Mask, F&&);

  // findings.cpp
  Act act(const Stamp&, std::int32_t buffer) const;
  void report(Finding, std::uint32_t step, std::uint32_t other_step);
  std::vector<Finding> findings() const;
  void report_race(std::int32_t buffer, std::size_t place, const Stamp& now, const Stamp& other);
  void report_access(Fault, How, std::int32_t buffer, std::int64_t index, unsigned lane,
                     const Stamp* other = nullptr);

  const Kernel& kernel_;
  const EmulatorOptions options_;
  const Program program_;
  std::vector<Bits> task_values_;  // at the beginning of a task: the scalars
  std::vector<std::span<std::byte>> arguments_;
  std::vector<bool> are_results_;
  std::vector<std::size_t> memory_of_;  // the memory of each buffer parameter
  std::vector<Memory> memories_;        // buffers that are the same memory have one
  std::vector<Bits> scratch_;
  Draw draw_;

  const Phase* phase_ = nullptr;
  PhaseCounts counts_;
  std::uint32_t phase_number_ = 0, first_serial_ = 1, next_serial_ = 1, next_life_ = 2;
  std::vector<Task> tasks_;  // room for the tasks that run at a time
  std::vector<Task*> running_;
  Task* task_ = nullptr;  // who runs
  Unit* unit_ = nullptr;
  const Step* step_ = nullptr;
  std::vector<std::int64_t> places_;  // that the lanes of an access touch
  std::int64_t n_statements_ = 0;
  bool has_stopped_ = false;

  // By what is reported once: the fault, the buffer, the lines or, where there are none, the steps.
  using Key = std::tuple<Fault, std::string, std::uint64_t, std::uint64_t>;
  struct Found {
    Finding finding;
    std::uint32_t step, other_step;
  };
  std::map<Key, Found> findings_;
  Emulation result_;
};

}  // namespace fulgurite::kernel::emulator
