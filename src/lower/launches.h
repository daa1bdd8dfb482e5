// A plan while it is made: memory, launches with what they read and write, scalars that come back.
#pragma once

#include "lower/emitter.h"
#include "lower/host.h"
#include "lower/lower.h"
#include "soac/equal_sizes.h"

namespace fulgurite::lower {

class Launches {
 public:
  Launches(const soac::Program&, const Options&);
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  const soac::Program& program() const { return program_; }
  scalar::Arena& arena() { return arena_; }
  const Options& options() const { return options_; }
  const soac::EqualSizes& sizes() const { return sizes_; }
  Host& host() { return host_; }
  Lowered& lowered() { return lowered_; }

  /// An emitter for a kernel: combinators that it meets in scalar code become vector loops.
  Emitter emitter();

  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Expr product(std::span<const Expr> factors);
  Expr ceil_div(Expr a, Expr b);
  Expr bytes(Var array);
  /// Every name is known to the host and no array is read.
  bool known_outside(std::span<const Expr>);

  /// An array in memory from here on; of the shape that it was declared with, or of another.
  void allocate(Var array);
  void allocate(Var array, std::span<const Expr> shape);
  /// Element 0 of each, in slots.
  std::vector<plan::Slot> fetch(std::span<const Var> arrays);
  /// Bytes in the note are for explanations, the others for what really happens.
  void launch(std::string name, const Emitter&, kernel::Block phases, std::span<const Expr> tasks,
              Expr bytes_read, Expr bytes_written, LaunchNote);

 private:
  const soac::Program& program_;
  scalar::Arena& arena_;
  const Options& options_;
  soac::EqualSizes sizes_;
  Lowered lowered_;
  Host host_;
};

}  // namespace fulgurite::lower
