// Builds the statements of a kernel. A Builder is a handle that is cheap to copy: it refers to the code so
// far, which all copies share, and holds the context of what is appended through it, a value. Code in another
// context is appended through another handle; nothing is set and restored.
//
// The code is a stack of open blocks. Lowering an expression appends what it needs to them and gives a leaf,
// a name or a constant. Pure operations are bound once, in the outermost block where their operands are known
// (so loop-invariant code leaves loops by construction), but not across a branch; reads become Load
// statements.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernel/ir.h"

namespace fulgurite::kernel {

class Builder;

/// Index expressions with exactly these indices are element `number` of their (equally shaped) arrays: no
/// arithmetic on indices.
struct Identity {
  std::vector<Expr> indices;
  Expr number;
};

/// What the appended code is part of.
struct Context {
  std::uint32_t line = 0;  // of the user's program (Stm::line)
  /// Number of the element that is computed, by which failures are reported; absent outside of all spaces.
  Expr element = {};
  Expr group = {};  // how many neighbouring elements messages take for one position; absent: one
  std::function<void()> on_failure = {};  // appends what happens instead of a report
  Expr task = {}, tasks = {};             // the number of the task that runs the code; how many there are
  bool interleaved = false;   // neighbouring tasks run together: their elements lie beside each other
  bool has_shuffles = false;  // the device has them (runtime::Description)
  bool in_lanes = false;      // else the code runs once for a task
  /// The number of the lane, 0 .. lanes - 1, where each lane has elements of its own, which lie beside the
  /// other lanes' elements. Absent: lanes have none.
  Expr lane = {};
  std::int64_t lanes = 1;
  bool is_masked = false;  // lanes may have no element
  bool is_rare = false;    // it seldom runs, so that nothing is noted about it
  /// No place that points of the statement scatter to is outside of its array; it says nothing of statements
  /// in its functions.
  bool scatters_inside = false;
  Expr streaming = {};  // a boolean name: where it holds, stores may bypass the cache
  Expr touching = {};   // a boolean name: where it holds, cache lines may be touched before they are loaded
  Identity identity = {};
};

/// What may be computed before a block instead of in it: pure operations unless it is a branch; reads of
/// memory only out of the iterations of a scalar loop.
enum class Enclosure : std::uint8_t { straight, branch, iteration };

/// What surrounds the code.
struct Outside {
  bool checks = true;  // operations that may fail are checked
  /// Whether reads of memory leave all loops that they do not depend on, though their elements may not exist
  /// if the loop has no iterations. Else they only leave loops that began after they were written down.
  bool reads_early = false;
  /// The array whose element 0 is the scalar; none: it is a parameter.
  std::function<std::optional<Var>(Var)> on_device = {};
  /// Lowers an `index` expression whose indices have been lowered; absent: an element of a buffer.
  std::function<Expr(const Builder&, Expr element)> read = {};
  /// Runs `fill`, which appends to a block that has been opened; absent: `fill` is called directly.
  std::function<void(const std::function<void()>& fill)> in_block = {};
};

class Builder {
 public:
  using Fill = std::function<void()>;

  Builder(Arena& arena, Outside outside);

  Arena& arena() const;
  const Context& context() const { return *context_; }
  /// The same code in another context.
  Builder with(Context context) const;
  Builder at_line(std::uint32_t line) const;
  /// Number of the element that failures are reported by; outside of all spaces (an initial value) 0.
  Expr failing_element() const;

  // ---- blocks

  /// Opens a block, runs `fill`, and gives the statements.
  Block block(const Fill& fill, Enclosure = Enclosure::straight) const;
  void append(Operation) const;
  void append(Block) const;
  /// The statements of the innermost block so far; take_open_statements() removes them from the block.
  const Block& open_statements() const;
  Block take_open_statements() const;
  /// How many blocks are open around the innermost one.
  std::size_t depth() const;

  // ---- names and expressions

  /// A leaf: constant or name.
  Expr lower(Expr) const;
  std::vector<Expr> lower(std::span<const Expr>) const;
  /// The leaf that the expression was lowered to, where that is known here; else absent.
  Expr known(Expr) const;
  /// Let in the innermost block, unless the value is a leaf.
  Expr bind(Expr value, std::string_view name) const;
  /// A mutable variable.
  Expr declare(Expr value, std::string_view name) const;
  void assign(Expr variable, Expr value) const;
  /// The value that a mutable variable has now.
  Expr snapshot(Expr variable, std::string_view name) const;
  std::vector<Expr> snapshots(std::span<const Expr> variables) const;
  /// The name means this leaf from here on.
  void bind_name(Var name, Expr value) const;
  /// The name means itself again.
  void unbind_name(Var name) const;
  const std::unordered_map<Var, Expr>& bound_names() const;
  /// An index that stands only in index expressions that Context::identity answers.
  Expr placeholder() const;

  // ---- control

  void for_loop(Expr begin, Expr end, Expr step, std::string_view name, const std::function<void(Expr)>& body,
                Enclosure = Enclosure::straight) const;
  /// Runs head, which gives the condition; while it holds, body and head again. Names of the head are known
  /// in the body.
  void while_loop(const std::function<Expr()>& head, const Fill& body) const;
  /// while_loop() that might never end with what a failure leaves: it ends with the first failure, in it or
  /// before it.
  void endless_loop(const std::function<Expr()>& head, const Fill& body) const;
  void if_then(Expr condition, const Fill& body) const;
  void if_then_else(Expr condition, const Fill& yes, const Fill& no) const;
  /// Branches that give equally many values. Returns names for the values of the branch that is taken.
  using Values = std::function<std::vector<Expr>()>;
  std::vector<Expr> choose(Expr condition, const Values& yes, const Values& no, std::string_view name) const;
  void par(Level, Expr n, std::string_view name, const std::function<void(Expr)>& body) const;
  /// Tasks come one after the other: `turn` says which one is next, and is 0 before the phase.
  void in_order(Var turn, const Fill& body) const;

  // ---- memory

  Var allocate(Space, Kind, std::int64_t n, std::string name) const;
  Var allocate_shared(Kind, std::int64_t n) const;
  /// The buffer begins as another one, elements of which the code reads as they were (Param::Role::update).
  void set_update(Var buffer) const;
  /// `from`: the depth at which the buffer is complete.
  Expr load(Var buffer, Expr index, Expr mask, std::string_view name, std::size_t from = 0) const;
  /// A load that stays here, as the kernel stores to the buffer.
  Expr load_plain(Var buffer, Expr index, std::string_view name) const;
  /// The depth of the block that a read is written down in, which it does not leave.
  std::size_t written_at(Expr node) const;
  void store(Var buffer, Expr index, Expr value) const;
  /// Never bypasses the cache.
  void store_plain(Var buffer, Expr index, Expr value, Expr mask = {}) const;
  /// n elements from `index` on, of the next tasks (Prefetch).
  void prefetch(Var buffer, Expr index, int n, Expr per_task, Expr end) const;
  /// The value that the operation found. The operation has no name yet, and its buffer the name outside.
  Expr atomic(Atomic operation, std::string_view name) const;
  void atomic(Atomic operation) const;  // the former value is not needed
  /// In Par(block): Pack, to buffers that have the names that they have outside of the kernel.
  void pack(Var next, Expr keep, std::span<const Var> buffers, std::vector<Expr> values) const;

  // ---- between instances, in Par(block)

  /// The value of instance t - by, or `fill`.
  Expr shift(Expr value, Expr fill, int by, std::string_view name) const;
  /// The value of the instance `from` among `width` neighbours.
  Expr shuffle(Expr value, Expr from, std::int32_t width, std::string_view name) const;
  /// The value of one instance.
  Expr pick(Expr value, int from, std::string_view name) const;

  // ---- failures

  void fail(Expr when, Site, Expr value, Expr bound, std::vector<Expr> more = {}) const;
  /// Which failures a condition that does not hold keeps from being reported: of sites below its own, or all.
  enum class Masks : std::uint8_t { below, all };
  /// What follows in the innermost block relies on the condition, or the site has failed: reads are masked by
  /// it, and failures, which may have computed with elements that are not there.
  void fail_unless(Expr holds, Site, Expr value, Expr bound, std::vector<Expr> more = {},
                   Masks = Masks::below) const;
  /// Fails unless the condition holds, if operations that may fail are checked.
  void check(Expr condition, Site, std::span<const Expr> operands) const;
  /// Whether operations that may fail are checked.
  bool checks() const;
  /// What follows in the innermost block, which runs only where guard() holds, needs no mask for that.
  void rely_on_nothing() const;
  /// The condition on which the code relies here; absent: none.
  Expr guard() const;

  // ---- what the code refers to and does not bind: the kernel's parameters, in order of first use

  const std::vector<Var>& free_scalars() const;
  struct FreeBuffer {
    Param param;
    Var array;  // as it is called outside; the parameter's name has rank 1
  };
  const std::vector<FreeBuffer>& free_buffers() const;

 private:
  struct Code;
  Block filled(const Fill& fill) const;
  While whole_loop(const std::function<Expr()>& head, const Fill& body) const;
  Expr bind_at(std::size_t depth, Expr value, std::string_view name) const;
  Expr fresh(Type, std::string_view name) const;
  Expr load_once(Expr scalar, Var array) const;
  Expr lower_node(Expr) const;
  Expr lower_read(Expr) const;
  Expr lower_division(Expr) const;

  std::shared_ptr<Code> code_;
  std::shared_ptr<const Context> context_;
};

Expr product(const Builder&, std::span<const Expr> factors);
/// The row-major number of the element with these indices.
Expr linear(const Builder&, std::span<const Expr> indices, std::span<const Expr> dims);

}  // namespace fulgurite::kernel
