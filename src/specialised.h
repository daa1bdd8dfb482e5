// Programs whose innermost axes are short: points of three coordinates, pixels of four colours, small
// matrices. Loops over such an axis are worth unrolling, and whole points worth keeping in registers, which
// takes extents that are known when kernels are compiled. A call whose arrays have short axes runs the
// program that is specialised for these extents, compiled when they are met for the first time; all other
// calls run the one for any extents.
#pragma once

#include <fulgurite/executable.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "schedule/policy.h"
#include "soac/ir.h"

namespace fulgurite::pipeline {

/// Which arguments of a program are worth a program of their own.
struct Specialising {
  std::int64_t longest_axis = 0;    // 0: none
  std::int64_t least_elements = 0;  // of the largest array
};
Specialising specialising(const schedule::Policy&, bool runs_blocks);

/// What a program can be specialised for: extents of arrays that have several axes.
class ShortAxes {
 public:
  ShortAxes(const soac::Program&, Specialising);

  /// Which axes are short, and how long: 0 if the program for any extents is to run. Decided by extents
  /// alone, so that equal calls give equal bits.
  std::uint64_t key(std::span<const detail::ArgumentView>) const;
  /// The program for arguments of this key.
  soac::Program specialised(const soac::Program&, std::uint64_t key) const;
  bool empty() const { return axes_.empty(); }

 private:
  static constexpr int bits = 4;  // of a key for each axis
  static constexpr std::size_t most_axes = 64 / bits;

  struct Axis {
    std::size_t argument;
    std::size_t axis;
    soac::Var extent;
  };
  std::vector<Axis> axes_;
  Specialising worth_;
};

/// The program, and those that are specialised, made when they are called first.
std::shared_ptr<const detail::Executable> with_specialised(
    std::shared_ptr<const detail::Executable> general, soac::Program traced, Specialising,
    std::function<std::shared_ptr<const detail::Executable>(const soac::Program&)> build);

}  // namespace fulgurite::pipeline
