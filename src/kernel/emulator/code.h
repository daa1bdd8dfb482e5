// The emulator's form of a kernel: statements in a row, with jumps, so that a warp can stop after any of
// them and another go on. An expression is a list of operations on rows of 32 values, one a lane.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/emulate.h"
#include "scalar/value.h"

namespace fulgurite::kernel::emulator {

using scalar::Bits;
using scalar::Op;

inline constexpr int warp_size = 32;

/// Where a value is. Values of a task and constants are single, which every lane sees.
struct Operand {
  enum class File : std::uint8_t { none, constant, task, thread, scratch };
  File file = File::none;
  bool by_lanes = false;
  std::uint32_t index = 0;
  explicit operator bool() const { return file != File::none; }
};

/// One operation of an expression; its result is in scratch.
struct Node {
  Op op;
  Kind operand, result;
  std::array<Operand, 3> args;
  Operand to;
  std::int32_t buffer = -1;  // of Op::index
};

enum class Code : std::uint8_t {
  set,            // `to` becomes `value`
  load,           // an Access is `buffer`, `index`, `mask`
  store,          //
  wide_load,      // `parts`: what the elements from `index` on are bound to
  wide_store,     // or become
  atomic,         // `extra`: what compare_exchange expects
  allocate,       //
  shift,          // `extra`: the fill
  pick,           //
  pack,           // `mask`: keep; `parts`
  shuffle,        // `extra`: the instance
  fail,           // when `mask`: element `index`, `value`, bound `extra`, group `limit`, more in `parts`
  nothing,        // Prefetch
  expect,         // `index` is one of `n` elements
  branch,         // where `value` does not hold for a lane: `jump` has the others
  otherwise,      //
  join,           //
  begin_for,      // `value` to `index` by `extra`; `to` counts, `limit` and `step` keep the other two
  test_for,       //
  next_for,       //
  begin_loop,     //
  test,           // goes on where `value` holds
  jump,           //
  leave,          //
  sync_block,     //
  sync_warp,      //
  begin_segment,  // warps run from here to end_segment, the task goes on after it
  begin_par,      //
  end_par,        //
  end_segment,    //
  begin_turn,     // InOrder: `value` is the task
  end_turn,       //
  end_task,
};

/// `stm` is the statement it was made of, whose counts and lines are reported.
struct Step {
  Code code;
  const Stm* stm;
  std::uint32_t first_node = 0, last_node = 0;
  Operand value = {}, index = {}, mask = {}, extra = {}, to = {}, limit = {}, step = {};
  std::int32_t buffer = -1;
  std::uint32_t jump = 0;
  std::int64_t n = 0;
  std::int32_t par = -1;      // of which Par
  bool is_statement = false;  // its lanes are counted
  bool ends_turn = false;     // a loop that may wait for others goes round
  std::vector<std::pair<std::int32_t, Operand>> parts = {};
};

/// A buffer by its number. `place`: of a global one, which argument; of others, the first byte in the memory
/// of a block, or of a thread.
struct Buffer {
  Var name;
  Kind kind;
  Space space;
  std::int64_t n = 0;
  std::int64_t place = 0;
  bool is_update = false;  // Param::Role::update
};

/// A Par(grid). `shared_bytes` is what arrays need, `shared_room` has arrays without an offset after those
/// with one, aligned. `grain` divides the place and element size of every shared array.
struct Phase {
  std::uint32_t begin = 0;
  const Par* par = nullptr;
  Operand task = {}, n_tasks = {};
  std::uint32_t first_node = 0, last_node = 0;  // of n_tasks
  bool in_order = false;
  std::int64_t threads = 0;  // of the largest Par(block)
  std::int64_t shared_bytes = 0, shared_room = 0, thread_room = 0, grain = 8;
  const Stm* largest = nullptr;  // the array that ends last
};

struct ParBlock {
  std::int64_t n;
  std::uint32_t end;  // its end_par
  std::uint32_t line;
};

struct Program {
  std::vector<Step> steps;
  std::vector<Node> nodes;
  std::vector<Bits> constants;
  std::vector<Buffer> buffers;  // the parameters' buffers first
  std::vector<ParBlock> pars;
  std::vector<Phase> phases;
  std::vector<Operand> scalars;  // of the parameters: where their values go
  std::uint32_t task_slots = 0, thread_slots = 0, scratch_slots = 0;
};

/// The kernel must outlive the program.
Program flatten(const Kernel&, const Expectations*);

}  // namespace fulgurite::kernel::emulator
