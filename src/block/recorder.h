// The kernel that is being recorded on this thread: a trace, whose scalar statements become kernel
// statements as soon as they are made, and the builder that they go to. Functions of the kernel language
// (fulgurite/kernel/staged.h) come in; kernel IR comes out.
#pragma once

#include <fulgurite/kernel/staged.h>

#include <deque>
#include <optional>
#include <unordered_map>

#include "block/block_kernel.h"
#include "kernel/build.h"
#include "kernel/emulate.h"
#include "tidy/values.h"
#include "trace/tracer.h"

namespace fulgurite::block {

using detail::Here;
using detail::Value;
using detail::Values;
using detail::block::Nest;
using scalar::Expr;
using scalar::Kind;
using scalar::Var;

class Recorder : private trace::Control {
 public:
  explicit Recorder(const std::string& name);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The innermost one of this thread. Throws TraceError if there is none.
  static Recorder& current(const Here& where);
  static Recorder* if_any();

  trace::Tracer& tracer() { return tracer_; }
  const kernel::Builder& builder() const { return builder_; }
  scalar::Arena& arena() { return tracer_.arena(); }

  /// What an instance has of its own is no part of anything.
  const Nest* nest() const { return in_instance_ ? &nests_.front() : nest_; }
  const Nest* within(const Nest* outer, std::int64_t n, kernel::Level, bool interleaved);
  const Nest* enter(const Nest*);
  Value number(const Nest*, const Here&);
  Value place(const Nest*, Value i, std::int64_t n, const Here&);
  /// The group for which elements are computed, and its number among those of its nest in the block.
  struct Group {
    const Nest* nest = nullptr;
    Expr number;
  };
  Group set_group(const Nest*, Expr number);

  void par(std::int64_t n, const detail::block::Body&, const Here&);
  void lanes(std::int64_t n, const detail::block::Body&, const Here&);
  /// The lanes of which the code is one. Throws TraceError if it is not, or perhaps not that of all of them.
  struct Exchanging {
    std::int64_t n = 0;
    Expr lane;
    std::size_t depth = 0;  // of scopes
  };
  const Exchanging& exchanging(const Here&) const;
  void loop(Value begin, Value end, const detail::block::Body&, const Here&);
  Value repeat(const std::function<Value(Value)>& condition, const detail::block::Body& body, const Here&);
  void when(Value condition, const std::function<void()>& then, const Here&);
  /// The emulator finds where the index is none of an array of n elements, unless it is known to be one.
  /// Throws IndexError if it is known not to be, at `where` if that is a line of the user's.
  void within(const Value& index, std::int64_t n, const Here& where);
  const kernel::Expectations& expectations() const { return expectations_; }
  void barrier(kernel::Level, const Here&);
  /// What both make, with barriers in common (block/side_by_side.h).
  void side_by_side(const std::function<void()>& first, const std::function<void()>& second, const Here&);

  /// An operation of detail::block::atomic() on an element, where the condition holds.
  Value atomic(std::string_view what, Var array, Value index, Value value, Value condition, const Here&);

  std::int32_t allocate(kernel::Space, Kind, std::int64_t n, const Here&);
  std::int32_t add_array(Var array);  // a parameter
  Var array(std::int32_t buffer) const { return arrays_[static_cast<std::size_t>(buffer)]; }

  /// The expression as a leaf, where statements are being made; what was traced before it comes first.
  Expr lower(const Value&, const Here&);
  /// A name that the builder made, as a staged value.
  Value given(Expr name);
  void at(const Here& where);  // statements are of this line from here on

  /// A scope of the trace whose statements become the kernel's as they are made.
  class Making {
   public:
    Making(Recorder& recorder, std::string origin, const Here& where)
        : recorder_(recorder),
          scope_(recorder.tracer_, std::move(origin), where),
          outer_(std::exchange(recorder.depth_, recorder.tracer_.depth())) {}
    ~Making() { recorder_.depth_ = outer_; }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

   private:
    Recorder& recorder_;
    trace::Scope scope_;
    std::size_t outer_;
  };
  bool is_making() const override { return tracer_.depth() == depth_; }

  bool is_in_instance() const { return in_instance_; }

  std::vector<kernel::Location> take_lines() { return std::move(lines_); }

  void set_block_number(Expr number) { block_number_ = number; }
  Expr block_number() const { return block_number_; }
  void set_grid(const detail::block::Grid& grid) { grid_ = grid; }
  const std::optional<detail::block::Grid>& grid() const { return grid_; }
  void set_thread_shape(const detail::block::ThreadShape& shape) { thread_shape_ = shape; }
  const detail::block::ThreadShape& thread_shape() const { return thread_shape_; }
  void expect(detail::block::Requirement requirement) { requirements_.push_back(std::move(requirement)); }
  const std::vector<detail::block::Requirement>& requirements() const { return requirements_; }

 private:
  // fg::cond, while_loop and iterate.
  Values cond(const Value& condition, const detail::Body& yes, const detail::Body& no, const Here&) override;
  Values while_loop(const detail::Body& condition, const detail::Body& body, std::span<const Value> initial,
                    const Here&) override;
  Values iterate(const Value& trips, const detail::Body& body, std::span<const Value> initial,
                 const Here&) override;

  void flush(const Here&);
  /// What staged scalars are, for statements that follow.
  std::vector<Expr> scalars(std::span<const Value>, const Here&);
  /// Names that the builder made, as staged values of the innermost scope.
  Values given(std::span<const Expr> names);
  /// At the end of a loop's body, in which `n_barriers` had been made before: threads that are behind a
  /// barrier of the body wait for each other once more before they begin it again.
  void end_round(std::size_t n_barriers, const Here&);
  /// What `i` of all elements (n in each group of `inner`) is in its group; `number` becomes the group's,
  /// which was that of the nest around the outermost of the path.
  Expr decode(std::span<const Nest* const> path, std::int64_t n, Expr i, Expr& number);

  trace::Tracer tracer_;
  kernel::Builder builder_;
  Recorder* outer_;
  std::deque<Nest> nests_;
  const Nest* nest_;
  Group group_;
  Expr instance_;
  std::optional<tidy::Values> of_threads_;  // of the Par at hand
  bool in_instance_ = false;
  std::size_t n_barriers_ = 0;
  kernel::Expectations expectations_;
  std::size_t depth_ = 0;  // of the scope whose statements are made
  Exchanging exchanging_;
  std::vector<Var> arrays_;
  std::vector<kernel::Location> lines_;
  Expr block_number_;
  std::optional<detail::block::Grid> grid_;
  detail::block::ThreadShape thread_shape_;
  std::vector<detail::block::Requirement> requirements_;
  int n_allocated_ = 0;
};

}  // namespace fulgurite::block
