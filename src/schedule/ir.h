// Schedules, in reading order: how the launch of one fused statement walks its points. A schedule stands
// between the array IR, which says what is computed, and the kernel IR, which is the code. It holds values
// only, prints itself (print.h), is read back (parse.h), is checked after each edit (check.h), and is all
// that a walk sees of the decisions: an edited schedule gives another kernel and the same results.
//
// An Expr in a schedule mentions what the host knows before the launch: sizes, and names that a launch binds.
//
// Phases run in their order, each after all tasks of the phase before. Tasks of a phase, lanes and threads
// take points in any order, but for Unit::turn and the joins that say so. A walk visits each point once
// (Tail::overlap: some points of a map twice), and joins values in the order of the points unless the
// operator commutes, so that schedules differ in the rounding of floats only, within float_sum_error. What
// points compute has the semantics of soac/ir.h (docs/semantics.md): integers wrap, a zero divisor or an
// index outside fails its element.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/ir.h"
#include "soac/ir.h"

namespace fulgurite::schedule {

using scalar::Expr;
using scalar::Kind;
using scalar::Var;

/// An axis of the walk: `count` axes of the Soac's space from `first` on, in row-major order as one.
struct Axis {
  /// free: each point has results of its own. fold: the points are reduced. scan: a Scan runs along them, or
  /// a partition keeps their order.
  enum class Role : std::uint8_t { free, fold, scan } role = Role::free;
  std::size_t first = 0, count = 1;
  Expr extent;
  /// Every array is read and stored at the number of the point, so no index is computed from it.
  bool by_number = false;
  /// The space is that of the Soac inside with this number (soac::Stm::nest), whose outputs the nest then
  /// combines; 0: of the Soac itself.
  std::size_t of = 0;
  /// The points lie in segments, which a task walks one after the other: offsets that ascend from 0 to the
  /// extent (soac::Scan::segments). Absent: they are walked as one.
  Expr segments = {};
  /// Points at which this index is less than that of the axis before take what the points have at which the
  /// two are exchanged: no task computes them (is_symmetric).
  bool mirrored = false;
  bool operator==(const Axis&) const = default;
};

/// Who takes the pieces of a cut.
enum class Unit : std::uint8_t {
  grid,       // each piece is a task
  turn,       // each piece is a task, and tasks hand on what comes next in the order of the pieces
  sequence,   // the iterations of a loop
  lane,       // lanes of vectors on a CPU
  thread,     // the threads of a block on a GPU
  registers,  // points that one lane or thread takes together
};
/// What happens to a piece that is not full. exact: there is none. mask: lanes or threads without a point do
/// nothing. apart: the remainder is code of its own, at most `Cut::rest` points at a time. overlap: the
/// remainder is pieces of `Cut::rest` points, of which the axis has as many at least; the last one ends where
/// the axis does, so that a few points of a map are walked twice.
enum class Tail : std::uint8_t { exact, mask, apart, overlap };

/// A loop over pieces of `size` points of an axis. The cuts of a nest stand outermost first; of two cuts of
/// one axis the outer one has the larger pieces.
struct Cut {
  std::size_t axis = 0;
  Expr size;
  Unit unit = Unit::sequence;
  Tail tail = Tail::mask;
  std::int64_t rest = 0;
  /// This many pieces at the end are not walked, as nothing needs their results.
  std::int64_t left_out = 0;
  /// Lanes take at most this many points at an end of a row one by one. The text leaves out the 2 that is the
  /// default.
  std::int64_t alone = 2;
  bool operator==(const Cut&) const = default;
};

/// A comparison of one index with a value that does not depend on the point: the axis is walked in two
/// pieces, and in each of them the comparison, and what follows from it, is known (index-set splitting). On
/// an outer axis, each row takes one of two ways.
struct Split {
  Expr condition;
  bool operator==(const Split&) const = default;
};

/// How far from the point, on one axis, a piece reads an array.
struct Around {
  std::int64_t low = 0, high = 0;
  bool operator==(const Around&) const = default;
};
/// Elements of an array that a piece of cuts[at] reads, or the bins of one that it fills, held in `space`
/// while it is walked. `size`: elements that there is room for.
struct Stage {
  Var array{};
  std::size_t at = 0;
  kernel::Space space = kernel::Space::shared;
  std::int64_t size = 0;
  /// One of the reads of the body that the stage serves; absent: of bins.
  Expr read = {};
  /// A window: reads as far from `read` as this, on the last axes, are served as well, and pieces that
  /// overlap keep what they share. Empty: that read alone.
  std::vector<Around> around = {};
  /// The elements lie in the order of the last axis but one, for threads that are neighbours on that axis.
  bool crosswise = false;
  /// The elements are computed by the map that makes the array, which is nowhere in memory.
  bool computed = false;
  bool operator==(const Stage&) const = default;
};

/// How the pieces of a cut leave their results for one output, and how these are joined.
enum class Join : std::uint8_t {
  accumulators,  // `n` accumulators side by side, joined after the loop: the operator commutes
  chain,         // an accumulator takes `n` points, then an outer one takes it: bounds the rounding error
  runs,          // each lane or thread folds `n` neighbouring points, and their results are joined in order
  tree,          // neighbours first, in a logarithmic number of steps
  in_order,      // one after the other
  partials,      // element t of each array of `memory` is task t's result, for a later phase to join
  carried,       // element t of each array of `memory` is what task t goes on from, made by an earlier phase
  // Each task joins its total to the total of all tasks before it. Tasks of lanes take turns, and scan `n`
  // points before their turn comes (0: they fold them). Blocks look back at `n` earlier blocks at a time.
  handed_on,
  // Values are packed without gaps in memory of the task, where a partition's are sorted by class, and stored
  // from there. Lanes pack `n` points at most; for blocks, Scan `n` counts the values.
  packed,
  counted,  // an earlier phase has counted the points of each class of each task
  copies,   // `n` private copies of the bins, joined after the loop
  // Each task has bins of its own in `memory`, for a later phase to join. Where the threads of a block fill
  // them by atomic operations, the bins of all tasks for one place lie beside each other.
  bins,
  taken,  // an operator that chooses one of its operands stores only where it takes the new one
  // One atomic operation of memory: by threads on a stage, in at most `n` passes over the points, and by
  // tasks. A stage is used where there are `n` points or more for each of its elements.
  atomic,
  exchange,  // of several values for one place any stays
  winner,    // an earlier phase has found the last point for each place
  ranked,    // a Scan gives the place, and no two points have one
  abreast,   // `n` pieces of neighbouring points go side by side, and their results are joined in order
};
struct Combine {
  enum class Part : std::uint8_t { reduction, scan, scatter, partition } part = Part::reduction;
  std::size_t which = 0;  // its number among the outputs of its kind
  struct Level {
    Unit unit = Unit::grid;
    Join how = Join::partials;
    std::int64_t n = 0;
    /// For copies: how many elements each has room for.
    std::int64_t room = 0;
    /// Boolean: where it is false there is no such level; absent: it holds.
    Expr condition = {};
    bool operator==(const Level&) const = default;
  };
  std::vector<Level> levels = {};  // innermost first
  /// Memory of the launch that the level of the grid uses, an array for each component of the output.
  /// `partials`, `bins`, `winner`: each task's result; `counted`: where its points of a class go; `carried`:
  /// what tasks go on from; `handed_on`: each task's total, the total of all tasks up to it, and after the
  /// arrays of all components one for whose turn it is; other levels: where the output's elements are.
  std::vector<Var> memory = {};
  /// The last value of a component of a Scan goes to element `at` of an array.
  struct End {
    std::size_t component = 0;
    Var array{};
    Expr at;
    bool operator==(const End&) const = default;
  };
  std::vector<End> ends = {};
  bool operator==(const Combine&) const = default;
};

/// Where the classes of a partition begin, whose points Scans of the body count, one for each class: element
/// c of `offsets` is how many points the classes before c have, and `kept` has how many all have.
struct Classes {
  Var offsets{}, kept{};
  std::vector<std::size_t> scans = {};  // their numbers in the body
  bool operator==(const Classes&) const = default;
};

/// How the walk treats memory; zero or false: it does nothing special.
struct Traffic {
  std::int64_t streaming = 0;  // bytes read and written from which on stores bypass the caches
  bool touch = false;          // from there on loads touch their cache lines first
  std::int64_t ahead = 0;      // how many elements ahead of what is read memory is fetched
  std::int64_t portion = 0;    // points whose places and values wait for the scalar code of bins
  bool operator==(const Traffic&) const = default;
};

struct Nest;
/// A Soac in the functions of the one around it: the statement whose soac::Stm::nest is `number`. Of number 0
/// are statements that a walk makes of the one around it, in this order: what tasks fold before it is their
/// turn, what leaves the places and values of a histogram in memory, the elements of ragged rows.
struct Inner;

/// How the points of a Soac are walked. Without a cut for lanes or threads each point is scalar code, and the
/// Soacs in the body are walked by nests of their own.
struct Nest {
  std::vector<Axis> axes = {};
  std::vector<Cut> cuts = {};
  std::vector<Split> splits = {};
  std::vector<Stage> stages = {};
  std::vector<Combine> combines = {};
  std::vector<Classes> classes = {};
  Traffic traffic = {};
  std::vector<Inner> inner;

  // What needs the whole type Inner stands after it.
  Nest();
  Nest(const Nest&);
  Nest(Nest&&) noexcept;
  Nest& operator=(const Nest&);
  Nest& operator=(Nest&&) noexcept;
  ~Nest();
  bool operator==(const Nest&) const;
};
struct Inner {
  std::size_t number = 0;
  Nest nest;
  /// The version is taken for at most this many points; 0: for any number. Shorter versions stand first.
  std::int64_t up_to = 0;
  /// There is a piece even if there are no points.
  bool at_least_one = false;
  /// The version is taken where loops inside of a point take at most this many points; 0: for any number.
  std::int64_t rows_up_to = 0;
  bool operator==(const Inner&) const;
};

/// An algorithm that is no nest of axes: a part of the kernel language with numbers as arguments ("join
/// neighbours", "count off", "sort tiles").
struct Skeleton {
  std::string name;
  struct Number {
    std::string name;
    std::int64_t value = 0;
    bool operator==(const Number&) const = default;
  };
  std::vector<Number> numbers = {};
  Expr tasks;
  /// The arrays that it works on, in the order that the part of the language wants.
  std::vector<Var> memory = {};
  bool operator==(const Skeleton&) const = default;
};

/// A name that has this value wherever the phase runs, which the guard asks: code has the number in its
/// place.
struct Constant {
  Var name{};
  std::int64_t value = 0;
  bool operator==(const Constant&) const = default;
};

/// Tasks that may run at once; all of them end before the next phase begins.
struct Phase {
  std::string name;
  /// A legal Soac over the program's names, the launch's memory and its scalars: what this phase makes.
  soac::Stm computes;
  std::variant<Nest, Skeleton> walk;
  /// i64: 1 where this phase runs, 0 where another version of the launch does its work.
  Expr guard;
  /// There is a task even if there are no points.
  bool at_least_one = false;
  /// It has one task, and runs within the one task of the phase before it.
  bool in_phase_before = false;
  /// A reason for each decision, as explain.h says; edits do not change them.
  std::vector<std::string> why = {};
  std::vector<Constant> constants = {};
  bool operator==(const Phase& other) const {
    return name == other.name && computes == other.computes && walk == other.walk && guard == other.guard &&
           at_least_one == other.at_least_one && in_phase_before == other.in_phase_before &&
           constants == other.constants;
  }
};

/// An array that begins with the elements of another one, and takes its memory where nothing else needs them:
/// `fresh` (i64) is 0 then, and 1 where a phase has to copy.
struct Copy {
  Var array{}, from{};
  Expr fresh;
  bool operator==(const Copy&) const = default;
};
/// An array that takes the memory of another one, or begins as its copy: reads of `from` read it. With a
/// condition (bool) it begins as a copy where that is false, and reads of `from` stay what they are.
struct InPlace {
  Var array{}, from{};
  Expr where = {};
  bool operator==(const InPlace&) const = default;
};
/// An array that a phase makes in the memory of another one, which has as many elements in the same order and
/// other axes.
struct Reshaped {
  Var array{}, of{};
  bool operator==(const Reshaped&) const = default;
};
/// A scalar that the statement binds is element 0 of an array once the launch has ended.
struct Landing {
  Var scalar{}, array{};
  bool operator==(const Landing&) const = default;
};

/// How many blocks of `threads` threads run at once, which the kernel's registers and shared memory decide:
/// the launch binds the name.
struct Resident {
  Var name{};
  std::int64_t threads = 0;
  bool operator==(const Resident&) const = default;
};
/// A name, in what phases compute, for an element of an array that an earlier phase has made.
struct Given {
  Var name{}, array{};
  Expr at;
  bool operator==(const Given&) const = default;
};
/// An array that is nowhere in memory: its elements are computed where they are staged.
struct Computed {
  Var array{};
  soac::Lambda element;
  bool operator==(const Computed&) const = default;
};

/// The phases of one kernel.
struct Launch {
  std::string name;
  /// On CPUs: lanes of the vectors in which what lanes read far apart is transposed.
  std::int64_t vector_lanes = 0;
  /// What is computed, with a neutral element for each operator.
  soac::Stm statement;
  /// Arrays of the launch alone, whose shapes the arena knows.
  std::vector<Var> memory = {};
  std::vector<Copy> copies = {};
  std::vector<InPlace> in_place = {};
  std::vector<Reshaped> reshaped = {};
  std::vector<Landing> scalars = {};
  std::vector<Resident> residents = {};
  std::vector<Given> given = {};
  std::vector<Computed> computed = {};
  /// Bytes that the launch reads and writes, as Traffic::streaming compares them.
  Expr touched;
  std::vector<Phase> phases = {};
  bool operator==(const Launch&) const = default;
};

}  // namespace fulgurite::schedule
