// The kernel that is being recorded on this thread: a trace, whose scalar statements become kernel
// statements as soon as they are made, and the emitter that they go to. Functions of the kernel language
// (fulgurite/kernel/staged.h) come in; kernel IR comes out.
#pragma once

#include <fulgurite/kernel/staged.h>

#include <deque>
#include <optional>

#include "block/block_kernel.h"
#include "kernel/ir.h"
#include "lower/emitter.h"
#include "trace/tracer.h"

namespace fulgurite::block {

using detail::Here;
using detail::Value;
using detail::Values;
using detail::block::Nest;
using scalar::Expr;
using scalar::Kind;
using scalar::Var;

class Recorder {
 public:
  explicit Recorder(const std::string& name);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The innermost one of this thread. Throws TraceError if there is none.
  static Recorder& current(const Here& where);

  trace::Tracer& tracer() { return tracer_; }
  lower::Emitter& emitter() { return emitter_; }
  scalar::Arena& arena() { return tracer_.arena(); }

  const Nest* nest() const { return nest_; }
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
  void barrier(kernel::Level, const Here&);

  /// An operation of detail::block::atomic() on an element, where the condition holds.
  Value atomic(std::string_view what, Var array, Value index, Value value, Value condition, const Here&);

  std::int32_t allocate(kernel::Space, Kind, std::int64_t n, const Here&);
  std::int32_t add_array(Var array);  // a parameter
  Var array(std::int32_t buffer) const { return arrays_[static_cast<std::size_t>(buffer)]; }

  /// The expression as a leaf, where statements are being made; what was traced before it comes first.
  Expr lower(const Value&, const Here&);
  /// A name that the emitter made, as a staged value.
  Value given(Expr name);
  void at(const Here& where);  // statements are of this line from here on

  /// A scope of the trace whose statements become the kernel's as they are made. What branches and loops of
  /// the array language within it trace becomes statements when they are whole.
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
  bool is_making() const { return tracer_.depth() == depth_; }

  std::vector<kernel::Location> take_lines() { return std::move(lines_); }

  void set_block_number(Expr number) { block_number_ = number; }
  Expr block_number() const { return block_number_; }
  void expect(detail::block::Requirement requirement) { requirements_.push_back(std::move(requirement)); }
  const std::vector<detail::block::Requirement>& requirements() const { return requirements_; }

 private:
  void flush(const Here&);
  /// What `i` of all elements (n in each group of `inner`) is in its group; `number` becomes the group's,
  /// which was that of the nest around the outermost of the path.
  Expr decode(std::span<const Nest* const> path, std::int64_t n, Expr i, Expr& number);

  trace::Tracer tracer_;
  lower::Emitter emitter_;
  Recorder* outer_;
  std::deque<Nest> nests_;
  const Nest* nest_;
  Group group_;
  Expr instance_;
  bool in_instance_ = false;
  std::size_t depth_ = 0;  // of the scope whose statements are made
  Exchanging exchanging_;
  std::vector<Var> arrays_;
  std::vector<kernel::Location> lines_;
  Expr block_number_;
  std::vector<detail::block::Requirement> requirements_;
  int n_allocated_ = 0;
};

}  // namespace fulgurite::block
