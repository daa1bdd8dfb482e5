// A plan while it is made: memory, launches with what they read and write, scalars that come back.
#pragma once

#include "lower/device_scalars.h"
#include "lower/host.h"
#include "lower/lower.h"
#include "schedule/surroundings.h"
#include "soac/equal_sizes.h"
#include "soac/room.h"
#include "walk/emitter.h"

namespace fulgurite::lower {

using scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;
using walk::Destination, walk::Emitter;

/// Lowers statements one after the other: appends their steps to the plan.
using LowerBody = std::function<void(const std::vector<soac::Stm>&)>;

class Launches {
 public:
  Launches(const soac::Program&, const Options&);
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  const soac::Program& program() const { return program_; }
  scalar::Arena& arena() { return arena_; }
  const Options& options() const { return options_; }
  schedule::Device device() const;
  bool has_blocks() const { return options_.schedule == Schedule::blocks; }
  const soac::EqualSizes& sizes() const { return sizes_; }
  /// None where the host reads the device's memory.
  const DeviceScalars& device_scalars() const { return device_scalars_; }
  Host& host() { return host_; }
  Lowered& lowered() { return lowered_; }

  /// An emitter for a kernel: combinators become vector loops in scalar code, and sequential loops in lanes.
  Emitter emitter();
  /// An emitter whose combinators in scalar code are lowered by `in_scalar_code`.
  using Lowers = std::function<void(const Emitter&, const soac::Stm&)>;
  Emitter emitter(const Lowers&);
  /// A name for the value of an expression that the host computes, here.
  Expr computed(Expr);

  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Expr product(std::span<const Expr> factors);
  Expr bytes(Var array);
  /// Every name is known to the host, no array is read and nothing can fail.
  bool known_outside(std::span<const Expr>);

  /// From here on memory is requested for the statement at this line, and memory_site() is its site.
  void set_line(const soac::Location&);
  soac::Site memory_site() const { return memory_site_; }
  /// An array in memory from here on; of the shape that it was declared with, or of another.
  void allocate(Var array);
  void allocate(Var array, std::span<const Expr> shape);
  /// Element 0 of the array, on the host from here on.
  plan::Slot fetch(Var array);
  /// Each scalar is element 0 of an array that a launch made: fetched at once, or when the host asks for it.
  void bind_scalars(std::span<const Var> names, std::span<const Var> arrays);
  /// From here on no launch does anything unless element 0 of the array of i32 is not 0; none: all do.
  void set_guard(std::optional<Var> guard) { guard_ = guard; }
  const std::optional<Var>& guard() const { return guard_; }
  /// Bytes in the note are for explanations, the others for what really happens.
  void launch(std::string name, const Emitter&, kernel::Block phases, std::span<const Expr> tasks,
              Expr bytes_read, Expr bytes_written, LaunchNote);

 private:
  const soac::Program& program_;
  scalar::Arena& arena_;
  const Options& options_;
  soac::EqualSizes sizes_;
  DeviceScalars device_scalars_;
  std::optional<Var> guard_;
  Lowered lowered_;
  Host host_;
  const bool points_make_arrays_;
  const soac::MemorySites memory_sites_;
  soac::Site memory_site_ = 0;
};

}  // namespace fulgurite::lower
