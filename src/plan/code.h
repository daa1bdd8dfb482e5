// The steps of a plan as the executor runs them. Lists of steps become lists of instructions, whose
// operations are told apart by one number, and small arrays whose size the plan says get a place in every
// run's own memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace fulgurite::plan {

/// The operations on i64 that plans are made of, each an instruction of its own.
#define FULGURITE_PLAN_OPERATIONS(DO) \
  DO(add) DO(sub) DO(mul) DO(div) DO(min) DO(max) DO(shl) DO(shr) DO(eq) DO(ne) DO(lt) DO(le) DO(select)

enum class Code : std::uint8_t {
  both,       // to = a and b, of booleans
  compute,    // any other Compute: what `step` says
  constant,   // to = bits
  copy,       // to = a
  place_own,  // array `to` is in the run's own memory, at byte `bits`: `step`, an Allocate
  fetch_own,  // to = the i64 at byte `bits` of the run's own memory
  branch,     // if a: instructions of list b, else of list c
  loop,       // list b; while a: list c, list b
  converge,   // as loop, of a Converge: `step`
  // These do the action of `step`.
  check,
  allocate,
  share,
  reuse,
  copy_array,
  shrink,
  release,
  launch,
  fetch,
  resident,
#define FULGURITE_PLAN_CODE(name) name,
  FULGURITE_PLAN_OPERATIONS(FULGURITE_PLAN_CODE)
#undef FULGURITE_PLAN_CODE
};

struct Instruction {
  Code code;
  std::int32_t to = 0, a = 0, b = 0, c = 0;  // slots, unless Code says otherwise
  std::uint64_t bits = 0;
  const Action* step = nullptr;
};

struct Instructions {
  std::vector<std::vector<Instruction>> lists;  // the plan's steps are list 0
};

/// The bytes that a run has for small arrays: nothing has to be allocated for them.
inline constexpr std::size_t own_bytes = 2048;

/// Points into the steps, which stay where they are as long as the instructions are used. `is_host`: arrays
/// are at addresses that the host may read and write.
Instructions instructions_of(const Plan&, bool is_host);

}  // namespace fulgurite::plan
