// Programs whose innermost axes are short: points of three coordinates, pixels of four colours, small
// matrices. Loops over such an axis are worth unrolling, and whole points worth keeping in registers, which
// takes extents that are known when kernels are compiled. A call whose arrays have short axes runs the
// program that is specialised for these extents, compiled when they are met for the first time; all other
// calls run the one for any extents.
#pragma once

#include <fulgurite/executable.h>
#include <fulgurite/options.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plan/execute.h"
#include "soac/ir.h"

namespace fulgurite::pipeline {

/// Which arguments of a program are worth a program of their own.
struct Specialising {
  std::int64_t longest_axis = 0;    // 0: none
  std::int64_t least_elements = 0;  // of the largest array
};

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
  /// The extents of this program that may be short, by name.
  std::vector<soac::Expr> extents(const soac::Program&) const;

 private:
  static constexpr int bits = 4;  // of a key for each axis
  static constexpr std::size_t most_axes = 64 / bits;

  struct Axis {
    std::size_t argument;
    std::size_t axis;
  };
  std::vector<Axis> axes_;
  Specialising worth_;
};

/// A program to be called, with those that are specialised, made when they are called first. A program of an
/// open bundle stays alone, for whoever opens bundles wants nothing compiled.
std::shared_ptr<const detail::Executable> with_specialised(plan::Loaded, const soac::Program& traced,
                                                           const Options&);

/// What is worth a program of its own, as the policy says.
Specialising specialising(const Options&);

/// What a call with these arguments runs, of a program that is not bundled.
soac::Program program_of_call(const soac::Program& traced, std::span<const detail::ArgumentView>,
                              const Options&);

}  // namespace fulgurite::pipeline
