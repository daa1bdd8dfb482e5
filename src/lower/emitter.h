// Array IR bodies to kernel statements. An Emitter owns a stack of open blocks; lowering an expression
// appends what it needs to them and gives a name or a constant. Reads become Load statements with bounds
// checks where a site demands one, pure operations are bound once, in the outermost block where their
// operands are known (loop-invariant code leaves loops by construction), and not across a branch.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kernel/ir.h"
#include "lower/policy.h"
#include "soac/bounds.h"

namespace fulgurite::lower {

using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using scalar::Var;

/// Where an array that a kernel makes is: element i... of it is buffer[base + step * linear(i...)].
struct Destination {
  Var buffer;
  Expr base;           // absent: 0
  Expr step = {};      // absent: 1
  Expr capacity = {};  // elements that there is room for, known outside; absent: enough for the array
  Expr room = {};      // the same as a constant or a parameter of the kernel
};

/// What a walk over the points of a Soac keeps from one point to the next, in mutable variables of scalar
/// code or of a lane, and where a partition's points go.
struct Running {
  using Groups = std::vector<std::vector<Expr>>;
  /// The place of the next point of each class: in variables (or, in what a walk starts with, values), or
  /// table[class] in memory. `packs`: places behind it may be overwritten, so lanes can go together.
  struct Cursor {
    std::vector<Expr> next;
    Destination table;
    bool packs = false;
  };
  Groups reductions;  // what each has so far
  Groups scans;       // the same of each Scan of the body, in order
  int lanes = 0;      // instances that are neighbouring points and scan together; 0: one point by itself
  std::vector<Cursor> partitions;
  /// Gets the values of a point of a scatter to the elements of its arrays; absent: stores or joins them.
  using Update = std::function<void(std::size_t scatter, std::span<const std::pair<Var, Expr>> elements,
                                    std::span<const Expr> values)>;
  Update update = {};
  Groups within = {};  // of each Scan: what it has of the point's run, which `scans` comes before
                       // (scan_runs.h)
};

class Emitter {
 public:
  /// What a kernel's code may ask of the program around it.
  struct Outside {
    std::function<bool(Expr)> knows;  // the host can compute it before the launch
    /// Lowers a Soac or Sort statement met in scalar code of a task.
    std::function<void(Emitter&, const soac::Stm&)> on_soac;
    /// The array whose element 0 is the scalar; none: it is a parameter.
    std::function<std::optional<Var>(Var)> on_device = {};
    /// Reads of memory leave loops that they do not depend on: of elements that may not be there where the
    /// loop does not go round. Else they leave loops that began after they were written down.
    bool reads_early = true;
    /// A parameter, or constant, that has the value of an expression that the host can compute.
    std::function<Expr(Expr)> computes = {};
    /// What a failure says of an array that does not fit into its memory.
    std::function<scalar::Site(const soac::Location&)> no_room = {};
  };
  /// `bounds`: none if no point makes arrays.
  Emitter(scalar::Arena& arena, bool checks, Outside outside, std::optional<soac::Bounds> bounds = {})
      : arena_(arena),
        checks_(checks),
        outside_(std::move(outside)),
        bounds_(std::move(bounds)),
        n_facts_outside_(bounds_ ? bounds_->mark() : 0),
        in_scalar_code_(true) {}

  scalar::Arena& arena() { return arena_; }

  /// What may be computed before a block instead of in it: pure operations unless it is a branch; reads of
  /// memory only out of the iterations of a scalar loop.
  enum class Enclosure { straight, branch, iteration };

  /// Opens a block, runs `fill`, and gives the statements.
  kernel::Block block(const std::function<void()>& fill, Enclosure = Enclosure::straight);

  void append(kernel::Operation);
  void append(kernel::Block);
  Expr bind(Expr value, std::string_view name);     // Let in the innermost block, unless value is a leaf
  Expr declare(Expr value, std::string_view name);  // mutable variable
  void assign(Expr variable, Expr value);
  /// `from`: the depth that the buffer is complete at.
  Expr load(Var buffer, Expr index, Expr mask, std::string_view name, std::size_t from = 0);
  void store(const Destination&, Expr offset, Expr value);
  void store_plain(Var buffer, Expr index, Expr value, Expr mask = {});  // never bypasses the cache
  Expr load_plain(Var buffer, Expr index, std::string_view name);  // just here: the kernel stores to the
                                                                   // buffer
  /// n elements from `index` on, of the next tasks (kernel::Prefetch).
  void prefetch(Var buffer, Expr index, int n, Expr per_task, Expr end);
  Var allocate_shared(Kind, std::int64_t n);
  Var allocate(kernel::Space, Kind, std::int64_t n, std::string name);
  /// The line of the user's program (kernel::Stm::line) that statements get from here on.
  void set_line(std::uint32_t line) { line_ = line; }
  std::uint32_t line() const { return line_; }
  void for_loop(Expr begin, Expr end, Expr step, std::string_view name, const std::function<void(Expr)>& body,
                Enclosure = Enclosure::straight);
  /// Runs head, which gives the condition; while it holds, body and head again. Names of the head are known
  /// in the body.
  void while_loop(const std::function<Expr()>& head, const std::function<void()>& body);
  /// Tasks come one after the other: `turn` says which one is next, and is 0 before the phase.
  void in_order(Var turn, const std::function<void()>& body);
  /// In Par(block): the value of instance t - by, or `fill`.
  Expr shift(Expr value, Expr fill, int by, std::string_view name);
  /// In Par(block): the value of the instance `from` among `width` neighbours.
  Expr shuffle(Expr value, Expr from, std::int32_t width, std::string_view name);
  /// What an atomic operation found; `operation` has no name and no buffer's name of the kernel yet.
  Expr atomic(kernel::Atomic operation, std::string_view name);
  void atomic(kernel::Atomic operation);  // nobody asks
  /// In Par(block): the value of one instance.
  Expr pick(Expr value, int from, std::string_view name);
  void if_then(Expr condition, const std::function<void()>& body);
  void if_then_else(Expr condition, const std::function<void()>& yes, const std::function<void()>& no);
  /// The same of branches that give values, equally many: which one's there are, as names.
  std::vector<Expr> choose(Expr condition, const std::function<std::vector<Expr>()>& yes,
                           const std::function<std::vector<Expr>()>& no, std::string_view name);
  void par(kernel::Level, Expr n, std::string_view name, const std::function<void(Expr)>& body);
  /// The statements of the innermost block so far; take_: it then lacks them.
  const kernel::Block& open_statements() const { return open_.back().statements; }
  kernel::Block take_open_statements() { return std::exchange(open_.back().statements, {}); }

  Expr lower(Expr);  // a leaf: constant or name
  std::vector<Expr> lower(std::span<const Expr>);
  /// What join() adds to accumulators: the expressions lowered, each fma_sum an fma_sum of lowered factors.
  std::vector<Expr> operands(std::span<const Expr>);
  /// Statements of a body in a sequential context: a lane, which makes no arrays, or scalar code.
  void statements(const std::vector<soac::Stm>&);
  /// Applies a scalar function of the array IR; results lowered.
  std::vector<Expr> apply(const soac::Lambda&, std::span<const Expr> args);

  void bind_name(Var soac_name, Expr value) { env_[soac_name] = value; }
  void set_destination(Var array, Destination d) { destinations_[array] = d; }
  const Destination& destination(Var array) const;
  /// In the buffer, element `number` of what is there.
  Expr element_of(const Destination&, Expr number);
  bool has_destination(Var array) const { return destinations_.contains(array); }
  /// A result of the kernel that begins as another array, elements of which the code reads as they were
  /// (kernel::Param::Role::update).
  void set_update(Var array) { updates_.insert(array); }
  /// The array is complete and may be read from here on.
  void made(Var array) { made_[array] = open_.size() - 1; }

  // Arrays that do not leave the kernel are in memory that each task has for itself.

  /// From here on the code is that of one of `tasks` tasks. `interleaved`: neighbours run together, so their
  /// elements with the same number are neighbours in memory; else each task's own elements are.
  void set_task(Expr task, Expr tasks, bool interleaved = false) {
    task_ = task, tasks_ = tasks, interleaved_ = interleaved;
  }
  /// Memory for at most as many elements as `size` can be, `copies` times; where no bound of that is known
  /// outside it throws ShapeError at `where`, in which `what` names the array.
  Destination scratch(Kind, Expr size, const soac::Location& where, int copies = 1,
                      std::string_view what = "an array made for each element");
  /// Gives the array memory unless it has a destination.
  const Destination& place(Var array, Expr size, const soac::Location& where);
  /// Compares the size of what is made at the destination with the room that it has, unless it is proven to
  /// fit: fails, and what follows makes no elements.
  void fit(Expr size, const Destination&, const soac::Location& where);
  /// A number of points, lowered: 0 behind a failed check, unless it is known outside.
  Expr extent(Expr);
  std::vector<Expr> extents(std::span<const Expr>);
  const std::vector<Var>& scratch() const { return scratch_; }
  /// The array will be made at `to`; false if the body does not make it, or makes it elsewhere.
  bool make_there(const std::vector<soac::Stm>& body, Var array, const Destination& to);
  /// Copies an array; in scalar code.
  void copy(Var from, const Destination& to, const soac::Location& where);

  /// Number of the element being computed, for failure reports.
  void set_element(Expr element) { element_ = element; }
  /// How many neighbouring elements messages take for one position.
  void set_group(Expr group) { group_ = group; }
  Expr element() const { return element_; }
  /// What a failure is reported by: that number; outside of all spaces (an initial value) 0.
  Expr failing_element() const { return element_ ? element_ : arena_.i64(0); }

  /// Until it is set to nothing, what fails does this instead.
  void set_failures_to(std::function<void()> instead) { failures_to_ = std::move(instead); }

  /// Set while stores may bypass the cache: a scalar boolean name.
  void set_streaming(Expr condition) { streaming_ = condition; }
  Expr streaming() const { return streaming_; }
  /// Set while what is loaded may be touched first: the same.
  void set_touching(Expr condition) { touching_ = condition; }

  /// Index expressions with exactly these indices are element `number` of their (equally shaped) arrays: no
  /// arithmetic on indices.
  struct Identity {
    std::vector<Expr> indices;
    Expr number;
  };
  Identity set_identity(Identity identity) { return std::exchange(identity_, std::move(identity)); }

  /// Says that a combinator became a sequential loop, and why.
  void note_sequential(const soac::Stm&, std::string_view why);
  const std::vector<std::string>& sequential() const { return sequential_; }
  /// What code does that seldom runs is not noted.
  void rarely(const std::function<void()>& code) {
    const std::vector<std::string> noted = sequential_;
    code();
    sequential_ = noted;
  }

  /// An index that only stands in index expressions that set_identity() answers.
  Expr placeholder();

  /// What the code refers to and does not bind: the kernel's parameters, in order of first use.
  const std::vector<Var>& free_scalars() const { return free_scalars_; }
  struct FreeBuffer {
    kernel::Param param;
    Var array;  // of the array IR; the parameter's name has rank 1
  };
  const std::vector<FreeBuffer>& free_buffers() const { return free_buffers_; }

  /// Whether the code runs once for a task; in a lane combinators become sequential loops.
  bool set_in_scalar_code(bool is) { return std::exchange(in_scalar_code_, is); }

  void sequential_soac(const soac::Stm&);

  /// One point of a Soac's space: lowers the body at `indices` (point number `number`), joins the reductions'
  /// operands to what they have so far, stores the mapped results at their destinations, and the values of
  /// scatters and partitions at the destinations of their arrays.
  void point(const soac::Stm&, std::span<const Expr> indices, Expr number, const Running&);
  /// Variables that hold the neutral elements of the reductions.
  Running::Groups start(const soac::Soac&);
  void join(const soac::Reduction&, const std::vector<Expr>& accumulators, std::span<const Expr> operands);
  /// buffer[t] = op(buffer[t], buffer[t + width]), the buffers being those of the reductions' components.
  void join_halves(const soac::Soac&, std::span<const Var> buffers, Expr t, Expr width);
  /// Joins initial values from the left to the totals of all components and binds the reductions' names to
  /// the results.
  void finish(const soac::Stm&, std::span<const Expr> totals);

  Expr snapshot(Expr variable, std::string_view name);  // the value a mutable variable has now
  std::vector<Expr> snapshots(const std::vector<Expr>& variables);
  /// What names of the array IR have been bound to.
  const std::unordered_map<Var, Expr>& bound_names() const { return env_; }
  Expr linear(std::span<const Expr> indices, std::span<const Expr> dims);  // row-major number
  Expr size(Var array);                                                    // product of its extents

 private:
  struct Open {
    kernel::Block statements;
    std::unordered_map<std::uint32_t, Expr> memo;  // by node id
    Enclosure enclosure = Enclosure::straight;
    Expr guard;                    // false once a Check in this block failed: reads are masked by it
    std::uint32_t first_node = 0;  // expressions with lower numbers are older
  };
  Open opened(Enclosure);
  /// The block that a read is written down in, which it does not leave.
  std::size_t written_at(Expr node) const;
  Expr lower_node(Expr node);
  Expr lower_index(Expr node);
  Expr lower_division(Expr node);
  Expr find(Expr);
  struct Origin {
    Expr value;  // of a Let; absent: of another statement
    soac::Location where;
    std::string statement;
  };
  void learn(const soac::Stm&);
  Expr size_written_out(Expr size) const;
  std::string size_text(Expr size) const;
  void parameter(Var scalar);
  Expr load_once(Expr scalar, Var array);
  Var touch(Var array, kernel::Param::Role);  // the kernel's name for it
  Expr guard() const;
  void fail(Expr when, scalar::Site, Expr value, Expr bound, std::vector<Expr> more = {});
  std::size_t depth(Expr leaf) const;
  Expr bind_at(std::size_t depth, Expr value, std::string_view name);
  void conditional(const soac::Stm&, const soac::If&);
  void loop(const soac::Stm&, const soac::Loop&);
  struct State;
  std::vector<State> start_state(const soac::Stm&, const soac::Loop&);
  std::vector<Expr> state_at_start(const soac::Stm&, const std::vector<State>&);
  void finish_state(const soac::Stm&, const std::vector<State>&);
  void iterate(const soac::Stm&, const soac::Loop&, std::vector<State>&, std::span<const Expr> args);
  void check(const soac::Check&);
  void rely_on(Expr condition);
  void scan(const soac::Stm&, const Running&, std::size_t number);
  void put(const soac::Soac&, std::size_t scatter, std::span<const Var> arrays, std::span<const Expr> results,
           const Running::Update&);
  void put(const soac::Partition&, std::span<const Var> names, std::span<const Expr> results,
           const Running::Cursor&);
  void pack(const soac::Partition&, std::span<const Var> names, std::span<const Expr> results,
            const Running::Cursor&);

  scalar::Arena& arena_;
  std::vector<Open> open_;
  std::unordered_map<Var, Expr> env_;
  std::unordered_map<Var, std::size_t> depth_;  // of kernel names; others belong to the caller (depth 0)
  std::unordered_map<Var, Destination> destinations_;
  std::unordered_map<Var, std::size_t> made_;  // depth at which an array is complete
  std::vector<Var> scratch_;
  Expr task_, tasks_;
  bool interleaved_ = false;
  Expr element_, group_;
  std::function<void()> failures_to_;
  Expr streaming_, touching_;
  Identity identity_;
  std::vector<Var> free_scalars_;
  std::vector<FreeBuffer> free_buffers_;
  std::unordered_map<Var, std::size_t> own_buffers_;  // allocated by the kernel, and at which depth
  std::unordered_set<Var> updates_;
  std::vector<std::string> sequential_;
  bool checks_;
  std::uint32_t line_ = 0;
  Outside outside_;
  std::optional<soac::Bounds> bounds_;
  const std::size_t n_facts_outside_;        // of the bounds: what holds before the kernel runs
  std::unordered_map<Var, Origin> origins_;  // of integers, for messages about sizes
  bool in_scalar_code_;
};

}  // namespace fulgurite::lower
