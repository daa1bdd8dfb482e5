// The kernel IR, in reading order: an imperative statement tree over typed buffers, in which reads of memory
// are statements and expressions (scalar/expr.h) are pure. The successor of Obsidian's Program (DAMP 2012,
// section 2): parallelism is explicit and indexed by a level of the hierarchy.
//
// Two dialects of one IR, told apart by the checker: before `vectorise` every value is a scalar and
// `Par(block, n)` says that n threads run its body (a variable declared inside belongs to one thread); after
// it no Par(block) is left, and values carry lanes. A mutable variable (Declare) may be named in expressions;
// an expression means the value at the statement that holds it.
//
// Operations have the semantics of docs/semantics.md: integers wrap. A quotient or remainder by 0 is some
// number and does not trap: Fail reports what went wrong, and execution goes on, so later accesses need masks
// or branches. Statements of a block run in their order. The instances of a Par run in any order or at once:
// only a Sync, an Atomic that acquires what another released, or InOrder puts what one does before what
// another does. Undefined, and found by the emulator (emulate.h): an access outside of a buffer; a load of
// what nothing has written; a race, which is two accesses of one element that nothing orders, one of them a
// store or one an Atomic and the other a load; a barrier that not all instances reach; a load of an update
// after a store (Param).
#pragma once

#include <fulgurite/kernel/level.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scalar/formula.h"

namespace fulgurite::kernel {

using scalar::Arena;
using scalar::Expr;
using scalar::Kind;
using scalar::Site;
using scalar::Type;
using scalar::Var;

enum class Space : std::uint8_t { global, shared, thread };

struct Stm;
using Block = std::vector<Stm>;

/// Binds an immutable name.
struct Let {
  Var name;
  Expr value;
  bool operator==(const Let&) const = default;
};
/// Makes a mutable variable, and changes it. With `mask` (after vectorise) only the lanes that hold change.
struct Declare {
  Var name;
  Expr value;
  bool operator==(const Declare&) const = default;
};
struct Assign {
  Var name;
  Expr value;
  Expr mask;
  bool operator==(const Assign&) const = default;
};

/// Which elements of a buffer a statement touches. Scalar: element `index`. With lanes: if `index` is a
/// scalar, lane l touches index + l * stride (stride 1: contiguous; -1: reversed; other: strided); if it is a
/// vector, lane l touches index[l]. `mask` absent: every lane. A masked-off lane touches no memory; a load
/// gives it 0.
struct Access {
  Var buffer;
  Expr index;
  Expr stride;
  Expr mask;
  bool operator==(const Access&) const = default;
};
/// Where `touched` holds, a condition of the whole task, each cache line may be asked for by a small load of
/// its own before: a hint, for vectors of neighbouring elements without a mask.
struct Load {
  Var name;
  Access from;
  Expr touched = {};
  bool operator==(const Load&) const = default;
};
struct Store {
  Access to;
  Expr value;
  bool streaming = false;
  bool operator==(const Store&) const = default;
};  // streaming: non-temporal

/// Before vectorise only, in Par(block): names[k] is element index + k of a buffer in global memory, all of
/// them by one access. There are as many as a power of two, at least 2, of at most 16 bytes together, and
/// `index` is a multiple of their number: such a buffer begins at a multiple of 16 bytes.
struct WideLoad {
  std::vector<Var> names;
  Var buffer;
  Expr index;
  bool operator==(const WideLoad&) const = default;
};
/// Stores values[k] to element index + k, in one access.
struct WideStore {
  Var buffer;
  Expr index;
  std::vector<Expr> values;
  bool operator==(const WideStore&) const = default;
};
inline constexpr std::size_t wide_bytes = 16;

/// A hint: n elements that a task will read which begins when one that runs now ends, from `index` on and
/// `per_task` further for each task that runs at once; nothing after element `end`.
struct Prefetch {
  Var buffer;
  Expr index;
  std::int32_t n = 1;
  Expr per_task, end;
  bool operator==(const Prefetch&) const = default;
};

/// Only in vector code: lane l of the result is element lanes[l] of `low` and `high` joined, `low` first.
struct Permute {
  Var name;
  Expr low, high;
  std::vector<std::int32_t> lanes;
  bool operator==(const Permute&) const = default;
};
/// The lanes of a window of two vectors of memory, `high` beginning `apart` elements after `low` (at most as
/// many as there are lanes), from element `from` on, 0 <= from <= apart.
std::vector<std::int32_t> window_lanes(std::int32_t n_lanes, std::int32_t from, std::int32_t apart);

/// Only in vector code: the next elements of `lanes` runs of memory, one run a lane, transposed so that
/// elements which are read together lie together. tile[s * lanes + l] = from[index + s + l * stride] for 0 <=
/// s < steps, 0 <= l < lanes, `width` lanes at a time; all three are powers of two, `steps` at most 16;
/// `from` has no mask. Unless `ahead` is 0, the element that many after the first of each run is fetched
/// early.
struct Transpose {
  Var tile;
  Access from;
  std::int32_t lanes, width, steps;
  std::int64_t ahead;
  bool operator==(const Transpose&) const = default;
};

/// Before vectorise only, in Par(block): instance t gets `value` of instance t - by, or `fill` if t < by.
struct Shift {
  Var name;
  Expr value, fill;
  std::int32_t by;
  bool operator==(const Shift&) const = default;
};

/// The value of one instance (before vectorise, in Par(block): every instance gets it) or lane.
struct Pick {
  Var name;
  Expr value;
  std::int32_t from;
  bool operator==(const Pick&) const = default;
};

/// The instances (before vectorise, in Par(block)) or lanes for which `keep` holds (absent: all), in their
/// order and without gaps: their values go to elements next, next + 1 ... of the buffers, one for each value,
/// and the i64 variable `next` of the statements around, which all instances share, advances by their number.
/// After them, as many elements may be overwritten as there are instances.
struct Pack {
  Var next;
  Expr keep;
  std::vector<Var> buffers;
  std::vector<Expr> values;
  bool operator==(const Pack&) const = default;
};

/// In one step, element `at` of a buffer in global or shared memory becomes the result of `what` on it and
/// `value`; `name`, if present, is its value before. compare_exchange stores only where the element equals
/// `expected`, which only this operation has. `acquire`: what the instance does afterwards sees what others
/// did before their `release` of the value that was read.
struct Atomic {
  enum class What : std::uint8_t { add, min, max, bit_and, bit_or, bit_xor, exchange, compare_exchange };
  std::optional<Var> name;
  What what;
  Access at;
  Expr value, expected;
  bool acquire = false, release = false;
  bool operator==(const Atomic&) const = default;
};

/// Before vectorise only, in Par(block), outside of all branches and loops that differ between instances:
/// instance t gets `value` of the instance `from` (i64) of its group of `width` neighbours, a power of two of
/// at most 32. Instances of a group are of one warp.
struct Shuffle {
  Var name;
  Expr value, from;
  std::int32_t width;
  bool operator==(const Shuffle&) const = default;
};

/// for (name = begin; name < end; name += step), step > 0; all i64 scalars, evaluated once.
struct For {
  Var name;
  Expr begin, end, step;
  Block body;
  bool operator==(const For&) const;
};
/// Runs `head`; while `condition` (a scalar boolean; named variables of head are visible) holds: body, then
/// head again.
struct While {
  Block head;
  Expr condition;
  Block body;
  bool operator==(const While&) const;
};
struct If {
  Expr condition;
  Block then_branch, else_branch;
  bool operator==(const If&) const;
};

/// n instances of the body, numbered by `name` (i64), in any order or at once. Par(grid) is a launch's tasks:
/// only at the top of a kernel, one after the other, each waiting for the one before; where there is an
/// InOrder in it, no task begins before all tasks with lower numbers have. Par(block) has a constant n.
struct Par {
  Level level;
  Var name;
  Expr n;
  Block body;
  bool operator==(const Par&) const;
};

/// One after the other in the order of the tasks: waits until element 0 of the i64 buffer `turn` is `task`,
/// runs the body, and makes it task + 1. What one task's body stores, the next one's sees. `turn` is 0 when
/// the phase begins; each task comes here once.
struct InOrder {
  Var turn;
  Expr task;
  Block body;
  bool operator==(const InOrder&) const;
};

/// A buffer of n elements that lives to the end of the enclosing block. shared: one for the threads of a
/// block; n constant; `offset` (-1: not laid out yet) is where it begins among the bytes that a block shares.
/// global: each block has one of its own in global memory, until tidy::place_global makes it the block's
/// slice of a parameter. thread: each instance has its own, which it keeps from one Par(block) to the next
/// where the array stands outside of them.
struct Allocate {
  Var buffer;
  Space space;
  Expr n;
  std::int64_t offset = -1;
  bool operator==(const Allocate&) const = default;
};
/// A barrier between Par(block) statements, for the instances of a block or of each warp (32 neighbours):
/// none begins what comes after it before all have ended what comes before it.
struct Sync {
  Level level;
  bool operator==(const Sync&) const = default;
};

/// Reports a failure where `when` holds (a scalar boolean or a mask): the site, the number of the failing
/// element (i64; with a mask the number of lane 0, lane l failing as element + l * stride), and i64 values
/// that the message quotes: two, and at most `most_more` more. `group`, if present, is how many neighbouring
/// elements the message takes for one position. Execution goes on.
struct Fail {
  static constexpr std::size_t most_more = 14;
  Expr when;
  Site site = 0;
  Expr element, stride, value, bound;
  std::vector<Expr> more = {};
  Expr group = {};
  /// Whether there is more to report than an element and two values.
  bool is_long() const { return !more.empty() || group; }
  bool operator==(const Fail&) const = default;
};

using Operation =
    std::variant<Let, Declare, Assign, Load, Store, WideLoad, WideStore, Prefetch, Permute, Transpose, Shift,
                 Pick, Pack, Atomic, Shuffle, For, While, If, Par, InOrder, Allocate, Sync, Fail>;

/// `line` says where the user wrote it: Kernel::lines[line - 1]; 0: nowhere.
struct Stm {
  Operation op;
  std::uint32_t line = 0;
  bool operator==(const Stm&) const;
};

/// Scalars arrive by value; buffers (names of rank 1, whose shape is not used) are in global memory and do
/// not overlap unless equal. An `update` is an output that the kernel changes in place: each load of it gives
/// the element's value when the phase began, so no load of an element comes after a store to it.
struct Param {
  enum class Role : std::uint8_t { scalar, input, output, update };
  Var name;
  Role role;
  friend bool operator==(const Param&, const Param&) = default;
};

/// A line of the user's program.
struct Location {
  std::string file;
  unsigned line = 0;
  friend bool operator==(const Location&, const Location&) = default;
};

struct Kernel {
  std::string name;
  std::shared_ptr<Arena> arena;
  std::vector<Param> params;
  Block body;  // Par(grid) statements only: the phases
  std::vector<Location> lines = {};
  // Before vectorise only: a buffer of i32 among the parameters; a phase does nothing if its element 0 is 0
  // when the phase begins.
  std::optional<Var> guard = {};
};

}  // namespace fulgurite::kernel
