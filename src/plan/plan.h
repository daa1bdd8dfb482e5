// The host program that lowering makes of an array program: allocations, scalar computations, checks,
// launches, branches and loops. Pure data without IR expressions, so that it can be kept on disk beside its
// kernels and executed without any compiler stage: scalars live in 64-bit slots (scalar/value.h), arrays in
// numbered places.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "scalar/formula.h"

namespace fulgurite::plan {

using scalar::Kind;
using scalar::Op;
using scalar::Site;

using Slot = std::int32_t;
using Place = std::int32_t;  // of an array

struct Step;
using Steps = std::vector<Step>;

/// to = op(a, b, c). Integer division raises the site's error where the divisor is 0.
struct Compute {
  Op op;
  Kind operand, result;
  Slot to, a, b, c;
  Site site;
  bool operator==(const Compute&) const = default;
};
struct Constant {
  Slot to;
  std::uint64_t bits;
  bool operator==(const Constant&) const = default;
};
/// Raises the site's error unless the slot holds true; the message quotes the operands.
struct Check {
  Slot condition;
  Site site;
  std::vector<Slot> operands;
  bool operator==(const Check&) const = default;
};
/// A new array of uninitialised elements. Raises ShapeError for a negative extent, OutOfMemory if it cannot
/// be had: of the site, if that is not 0.
struct Allocate {
  Place place;
  Kind kind;
  std::vector<Slot> shape;
  Site site = 0;
  bool operator==(const Allocate&) const = default;
};
/// Place `to` holds the array of place `from` as well: no element moves.
struct Share {
  Place to, from;
  bool operator==(const Share&) const = default;
};
/// A new array that begins as a copy of `from` and may be changed. Where nothing reads `from` any more
/// (`is_last`: in and after the next Launch only as what it is copied from) and its memory is nobody
/// else's, `to` gets that memory and `fresh` is 0; otherwise, or where the slot `where` (bool) is 0, `to` is
/// allocated and `fresh` is 1: the next Launch copies, or a CopyArray. Under a condition the next Launch may
/// read `from` too, where it stores nothing.
struct Reuse {
  Place to, from;
  Kind kind;
  std::vector<Slot> shape;
  Slot fresh;
  bool is_last = false;
  Site site = 0;  // as of Allocate
  static constexpr Slot always = -1;
  Slot where = always;
  /// is_last and where as one number: 0, never; 1, always; 2 + k, where slot k is not 0.
  std::int32_t taken() const { return is_last ? where + 2 : 0; }
  void set_taken(std::int32_t number) {
    is_last = number != 0;
    where = number > 1 ? number - 2 : always;
  }
  bool operator==(const Reuse&) const = default;
};
/// The copy for a Reuse that needs one, where the next Launch does not make it: if the slot is not 0, the
/// elements of `from`, which has as many, go to `to`.
struct CopyArray {
  Place to, from;
  Kind kind;
  Slot fresh;
  bool operator==(const CopyArray&) const = default;
};
/// The array, of rank 1, has only its first `extent` elements from here on.
struct Shrink {
  Place place;
  Slot extent;
  bool operator==(const Shrink&) const = default;
};
/// The last use came before: the memory may be reused.
struct Release {
  Place place;
  bool operator==(const Release&) const = default;
};
/// Runs every phase of a kernel; tasks[p] is the slot with the number of tasks of phase p. Bytes read and
/// written (for stats and explain) are in slots.
struct Launch {
  std::int32_t kernel;  // of Plan::kernels
  std::vector<Place> buffers;
  std::vector<Slot> scalars;
  std::vector<Slot> tasks;
  Slot bytes_read = -1, bytes_written = -1;
  bool operator==(const Launch&) const = default;
};
/// to = element 0 of the array.
struct Fetch {
  Slot to;
  Place from;
  Kind kind;
  bool operator==(const Fetch&) const = default;
};
struct Copy {
  Slot to, from;
  bool operator==(const Copy&) const = default;
};
/// to = how many blocks of `threads` threads the device runs at once, as the compiled kernel's registers and
/// shared memory allow; at least 1. The answer is the same each time.
struct Resident {
  Slot to;
  std::int32_t kernel;  // of Plan::kernels
  std::int32_t threads;
  bool operator==(const Resident&) const = default;
};
struct If {
  Slot condition;
  Steps then_steps, else_steps;
  bool operator==(const If&) const;
};
/// head; while (condition) { body; head }
struct While {
  Steps head;
  Slot condition;
  Steps body;
  bool operator==(const While&) const;
};
/// A While whose condition the device makes, in the last launch of `head`, which stores it to the i32 array
/// `flags` and counts in its element 1 how often it was 1. All launches inside do nothing where flags[0] is
/// 0, and nothing is fetched or copied, so that iterations may be launched before their condition is known.
struct Converge {
  Steps head;
  Place flags;
  Steps body;
  bool operator==(const Converge&) const;
};
/// As many iterations as have run so far are launched ahead, but at most this many.
inline constexpr std::size_t most_ahead = 32;

using Action = std::variant<Compute, Constant, Check, Allocate, Share, Reuse, CopyArray, Shrink, Release,
                            Launch, Fetch, Copy, If, While, Converge, Resident>;
struct Step {
  Action action;
  bool operator==(const Step&) const;
};

/// A parameter: a scalar whose bits arrive in `slot`, or an array whose extents arrive in slot, slot + 1 ...
struct Param {
  Kind kind;
  std::int32_t rank;  // 0: scalar
  Slot slot;
  Place place = -1;
  bool is_read = true;  // false: nothing but its extents (plan/read_params.h, when the plan is loaded)
  friend bool operator==(const Param&, const Param&) = default;
};
struct Result {
  Kind kind;
  std::int32_t rank;
  Slot slot = -1;    // scalar
  Place place = -1;  // array
  friend bool operator==(const Result&, const Result&) = default;
};

/// A kernel as the engine needs it: entry points are <name>_p0, <name>_p1 ... (runtime/device.h)
struct KernelText {
  std::string name;
  std::int32_t n_phases = 1;
  std::string source;
  // For engines that ask (runtime::KernelSource).
  std::vector<std::int32_t> arguments = {}, block_sizes = {}, shared_bytes = {};
  bool can_fail = false;
  std::vector<std::int64_t> footprints = {};
  // For people: the operations that it is of, and a site of the user's line (0: nowhere).
  std::string operation = {};
  Site where = 0;
  friend bool operator==(const KernelText&, const KernelText&) = default;
};

struct Plan {
  std::string name;
  std::int32_t n_slots = 0, n_places = 0;
  std::vector<Param> params;
  Steps steps;
  std::vector<Result> results;
  std::vector<KernelText> kernels;
  bool operator==(const Plan&) const;
};

}  // namespace fulgurite::plan
