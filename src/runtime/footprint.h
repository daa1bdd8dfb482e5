// Which elements of its buffers each task of a kernel touches, said by formulas over the scalars of a launch
// and the number of the task: what an engine needs that gives some tasks to other machines. Formulas are
// evaluated over sets of integers, so that a task's loops and lanes are one value each (interval analysis
// after Cousot, Cousot, POPL 1977; with strides after Balakrishnan, Reps: Analyzing memory accesses in x86
// executables, CC 2004). What comes out contains every element that is touched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/strided.h"

namespace fulgurite::runtime {

/// A read of a buffer, or a store, at the elements that a formula gives, where another one holds (-1:
/// always).
struct Touch {
  std::int32_t buffer = 0;
  bool stores = false;
  std::int32_t at = 0, condition = -1;
  std::int32_t loop = -1;  // of the phase's loops the one that it stands in
  /// Its places are the ones that marks say, of this phase for a store, of an inspector before it for a read.
  bool is_marked = false;
  friend bool operator==(const Touch&, const Touch&) = default;
};

/// Marks of elements of `buffer` that are read or stored at places which the data say: a task stores 1 to the
/// element of `marks`, an array of the engine's own, that stands for the element and its neighbours.
struct Marks {
  std::int32_t buffer = 0, marks = 0;
  friend bool operator==(const Marks&, const Marks&) = default;
};

struct PhaseFootprint {
  /// It has as many tasks as the launch's phase of this number has; -1: one.
  std::int32_t tasks_of = -1;
  /// Its tasks may run on several machines: none waits for another, or changes what another one changes.
  bool is_divisible = true;
  bool can_fail = false;
  /// It only marks what tasks of the next phase that is no inspector read, each those of the task with its
  /// number (inspector and executor: Saltz, Crowley, Mirchandaney, Berryman: Run-time scheduling and
  /// execution of loops on message passing machines, Journal of Parallel and Distributed Computing 8, 1990).
  bool is_inspector = false;
  /// An inspector marks reads; other phases mark stores.
  std::vector<Marks> marks = {};
  std::vector<Formula> formulas = {};
  std::vector<Touch> touches = {};
  /// The variables of the outermost loops: steps.
  std::vector<std::int32_t> loops = {};
  friend bool operator==(const PhaseFootprint&, const PhaseFootprint&) = default;
};

/// An array of the engine's own: an element for each task of a phase of the launch, or one for every `per`
/// neighbours of an array parameter.
struct OwnArray {
  std::int32_t tasks_of = -1, elements_of = -1, per = 1;
  friend bool operator==(const OwnArray&, const OwnArray&) = default;
};

struct Footprints {
  /// For each array parameter, the engine's own included.
  std::vector<std::int32_t> element_bytes = {};
  /// The last array parameters are the engine's own.
  std::vector<OwnArray> own = {};
  std::vector<PhaseFootprint> phases = {};
  friend bool operator==(const Footprints&, const Footprints&) = default;

  std::vector<std::int64_t> words() const;
  /// Throws InternalError for what are no such words.
  static Footprints of_words(std::span<const std::int64_t>);
};

/// The elements of integers that all ranks have; nothing where they do not.
class KnownElements {
 public:
  virtual ~KnownElements() = default;
  virtual std::optional<Strided> at(std::int64_t buffer, Strided index) = 0;
};

/// What a task touches of a buffer: elements low to high, or of them runs of `run` elements, `stride` apart;
/// and whether a store is certain to change all of them.
struct Touched {
  std::int32_t buffer;
  bool stores;
  std::int64_t low, high;
  std::int64_t stride, run;
  bool is_certain;
  bool is_marked = false;

  bool has_gaps() const { return stride > run; }
  friend bool operator==(const Touched&, const Touched&) = default;
};
/// How closely it is looked at: whole loops at a time, or each iteration of outermost loops by itself, where
/// these are few. What depends on the iteration, such as where a row's stores are aligned, is known then.
enum class Look : std::uint8_t { loops, iterations };
/// Touches of all buffers, only of buffers that tasks touch where known elements say, or of the other
/// buffers.
enum class Which : std::uint8_t { all, by_elements, others };
/// Touches of the tasks of one launch of a phase; elements without a bound are INT64_MIN or INT64_MAX.
class Touches {
 public:
  /// All of them outlive this.
  Touches(const PhaseFootprint&, std::span<const std::int64_t> scalars, KnownElements&, Which = Which::all);
  /// Until it is called again.
  std::span<const Touched> of(std::int64_t task, Look = Look::loops);

 private:
  void evaluate(std::int64_t task);
  static constexpr std::int64_t n_at_once = 32;
  using Integers = std::array<std::int64_t, n_at_once>;  // of tasks from `first_` on
  bool evaluate(const Formula&, Integers& to);
  void add(std::vector<Touched>&, std::int32_t loop) const;
  Strided value(const Formula&, std::int64_t task);
  void set(std::size_t step, std::int64_t task);

  const PhaseFootprint& phase_;
  const std::span<const std::int64_t> scalars_;
  KnownElements& elements_;
  const std::vector<Touch> touches_;
  std::vector<Strided> values_;
  std::vector<Integers> integers_;
  std::int64_t first_ = INT64_MIN;
  bool are_integers_ = false;
  // Steps that depend on the task: integers, unless elements are not known, and sets; and the integers that
  // sets and touches are made of.
  std::vector<std::size_t> of_task_, sets_of_task_, taken_as_sets_;
  std::vector<std::vector<std::size_t>> of_loops_;  // steps that depend on the variable of a loop
  std::vector<std::uint64_t> variables_;            // of each step that has one
  std::vector<Touched> touched_;
};
std::vector<Touched> touched(const PhaseFootprint&, std::int64_t task, std::span<const std::int64_t> scalars,
                             KnownElements&, Look = Look::loops);

}  // namespace fulgurite::runtime
