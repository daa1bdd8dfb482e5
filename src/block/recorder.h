// The kernel that is being recorded on this thread. Functions of the kernel language
// (fulgurite/kernel/staged.h) come in; kernel IR comes out.
#pragma once

#include "block/block_kernel.h"
#include "block/control.h"

namespace fulgurite::detail::block {

/// What functions of the language ask about the launch, and what they demand of it.
struct Launch {
  Expr block_number;
  std::optional<Grid> grid;
  ThreadShape thread_shape;
  std::vector<Requirement> requirements;
};

struct Recorder {
  Recorder(const std::string& name, const Here& where);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The innermost one of this thread. Throws TraceError if there is none.
  static Recorder& current(const Here& where);
  static Recorder* if_any();

  /// An operation of block::atomic() on an element, where the condition holds.
  Value atomic(std::string_view what, Var array, const Value& index, const Value& value,
               const Value& condition, const Here&);
  /// The number of the block's element `index` in an array of which each block has `block` neighbouring
  /// elements.
  Expr in_array(std::int64_t block, const Value& index);
  /// Whether an array of `extent` elements has the element with this index.
  Value exists(Expr extent, const Value& index);

  std::shared_ptr<Kernel> made = std::make_shared<Kernel>();
  Here where;  // the user's program makes the kernel
  Statements code;
  Position position;
  Control control = {code, position};
  Launch launch;
  std::vector<Var> arrays;  // by their numbers in Buffers
  kernel::Expectations expectations;

 private:
  Recorder* outer_;
};

}  // namespace fulgurite::detail::block
