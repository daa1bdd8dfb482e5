// Array IR to a plan and its kernels: the only folder that sees both IRs.
//
// In: a fused program (soac::check_fused: every array that an expression indexes is manifest). Out: a plan
// whose launches refer to kernels in scalar kernel IR (one Par(grid) for each phase, lanes as Par(block));
// KernelText::source is still empty.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/ir.h"
#include "lower/target.h"
#include "plan/plan.h"
#include "schedule/ir.h"
#include "schedule/policy.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/ir.h"

namespace fulgurite::lower {

/// What a task of a kernel is. lanes: code of one processor with loops of vectors (a CPU); blocks: a block of
/// threads with shared memory (a GPU).
enum class Schedule : std::uint8_t { lanes, blocks };

/// Changes the schedule of a launch after it has been decided.
using EditSchedule = std::function<::fulgurite::schedule::Launch(::fulgurite::schedule::Launch)>;

struct Options {
  Target target;
  ::fulgurite::schedule::LanesPolicy lanes;
  ::fulgurite::schedule::BlocksPolicy blocks;
  Schedule schedule = Schedule::lanes;
  bool checks = true;
  bool blocks_wait = false;  // blocks may wait for blocks that began before them (runtime::Description)
  bool is_shared_by_ranks = false;  // each of which has a part of every array
  EditSchedule edit_schedule = {};  // absent: schedules stay as decided
  ::fulgurite::schedule::KeepsRewrite keeps_rewrite = {};
};

/// What `explain` looks at to say what a launch moves.
struct LaunchSource {
  /// An array that begins as another one and has its memory where nothing else needs it: `fresh` is 0 then.
  struct Copy {
    soac::Var array, from;
    soac::Expr fresh;
    plan::Place place;  // of the array
  };
  /// A parameter of the kernel, and the array that it is.
  struct Buffer {
    soac::Var param, array;
  };
  soac::Stm stm;  // a Soac as it was lowered; of scalars one without dimensions
  std::vector<Copy> copies;
  std::vector<soac::Expr> tasks;  // of each phase
  std::vector<Buffer> buffers;
  std::vector<soac::Var> own;  // memory of the launch alone
};

/// What one launch came from, for explain and profiles.
struct LaunchNote {
  std::int32_t kernel;
  std::string origin;
  soac::Location where;
  /// How it is walked; null: the kernel is as the user wrote it, or one of scalars.
  std::shared_ptr<const schedule::Launch> launch = {};
  // Operations inside that run as sequential loops (Barracuda section 3.4.8), with their lines.
  std::vector<std::string> sequential;
  std::vector<soac::Var> names = {};               // what its Soac binds; none for a kernel of scalars
  soac::Expr bytes_read = {}, bytes_written = {};  // of sizes: each array counts once
  bool converges = false;                          // it decides whether a loop goes on (plan::Converge)
  std::shared_ptr<LaunchSource> source = {};       // none of a kernel that the user wrote
};

struct Lowered {
  plan::Plan plan;
  std::vector<kernel::Kernel> kernels;  // kernels[k] is plan.kernels[k]
  std::vector<LaunchNote> notes;
  /// Names for what the host computes before launches, and what that is.
  std::vector<std::pair<soac::Var, soac::Expr>> computed = {};
  /// Arrays of the program that are nowhere in memory, as blocks compute the elements that they read around
  /// their points, and the first name that the reader binds (schedule/rewrites/window_producers.h).
  std::vector<std::pair<soac::Var, soac::Var>> in_windows = {};
};

Lowered lower(const soac::Program&, const Options&);

}  // namespace fulgurite::lower
