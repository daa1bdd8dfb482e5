// Which elements of its buffers each task of a kernel touches, said by formulas over the scalars of a launch
// and the number of the task: what an engine needs that gives some tasks to other machines. Formulas are
// evaluated over sets of integers, so that a task's loops and lanes are one value each (interval analysis
// after Cousot, Cousot, POPL 1977; with strides after Balakrishnan, Reps: Analyzing memory accesses in x86
// executables, CC 2004). What comes out contains every element that is touched.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fulgurite::runtime {

/// Runs of `run` neighbours: low + k * stride + r for 0 <= r < run, up to `high`, which is among them unless
/// it is without a bound; stride 0: one run.
struct Strided {
  std::int64_t low = INT64_MIN, high = INT64_MAX, stride = 1, run = 1;
  /// Each of them is taken, as the variables with these bits have their values; else they are no fewer than
  /// those that are.
  bool is_exact = false;
  std::uint64_t variables = 0;

  static constexpr Strided point(std::int64_t value) { return {value, value, 0, 1, true, 0}; }
  static constexpr Strided boolean() { return {0, 1, 1, 1, false, 0}; }
  bool is_point() const { return low == high; }
  bool is_bounded() const { return low != INT64_MIN && high != INT64_MAX; }
  bool has_gaps() const { return stride > run; }
  friend bool operator==(const Strided&, const Strided&) = default;
};

/// A step of a formula: operands are earlier steps.
struct Formula {
  enum class Op : std::uint8_t {
    unknown,
    constant,  // value
    scalar,    // the launch's scalar with the number `value`
    task,
    lanes,    // 0 to value - 1
    range,    // of a loop from a on, below b, by steps of c
    element,  // of the buffer with the number `value`, at a: known where all ranks have it
    add,
    sub,
    mul,
    div,
    rem,
    neg,
    abs,
    min,
    max,
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    logical_not,
    shl,
    shr,
    eq,
    ne,
    lt,
    le,
    select,  // b where a holds, else c
    fit,    // a, if it is between -2^(value - 1) and 2^(value - 1) - 1; value < 0: between 0 and 2^-value - 1
    below,  // what of a is less than some b
    at_most,        // what of a is at most some b
    above,          // what of a is greater than some b
    at_least,       // what of a is at least some b
    leading_zeros,  // of a as a number of `value` bits
  };
  Op op = Op::unknown;
  std::int32_t a = -1, b = -1, c = -1;
  std::int64_t value = 0;
  friend bool operator==(const Formula&, const Formula&) = default;
};

/// A read of a buffer, or a store, at the elements that a formula gives, where another one holds (-1:
/// always).
struct Touch {
  std::int32_t buffer = 0;
  bool stores = false;
  std::int32_t at = 0, condition = -1;
  std::int32_t loop = -1;  // of the phase's loops the one that it stands in
  /// Its places are those that marks say, of this phase for a store, of an inspector before it for a read.
  bool is_marked = false;
  friend bool operator==(const Touch&, const Touch&) = default;
};

/// Of elements of `buffer` that are read or stored at places which the data say: a task stores 1 to the
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
  /// Of an inspector: reads; else stores.
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
  /// Of each array parameter, the engine's own included.
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
/// Of the tasks of one launch of a phase; elements without a bound are INT64_MIN or INT64_MAX.
class Touches {
 public:
  /// All of them outlive this.
  Touches(const PhaseFootprint&, std::span<const std::int64_t> scalars, KnownElements&);
  std::vector<Touched> of(std::int64_t task, Look = Look::loops);

 private:
  void evaluate(std::int64_t task);
  void add(std::vector<Touched>&, std::int32_t loop) const;
  Strided value(const Formula&, std::int64_t task);

  const PhaseFootprint& phase_;
  const std::span<const std::int64_t> scalars_;
  KnownElements& elements_;
  std::vector<Strided> values_;
  std::vector<std::size_t> of_task_;                // steps that depend on the task
  std::vector<std::vector<std::size_t>> of_loops_;  // steps that depend on the variable of a loop
  std::vector<std::uint64_t> variables_;            // of each step that has one
};
std::vector<Touched> touched(const PhaseFootprint&, std::int64_t task, std::span<const std::int64_t> scalars,
                             KnownElements&, Look = Look::loops);

}  // namespace fulgurite::runtime
