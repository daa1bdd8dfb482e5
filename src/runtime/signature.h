// What a kernel is launched with, on engines that pass each argument by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.h"

namespace fulgurite::runtime {

class Signature {
 public:
  // Throws InternalError unless each phase has a block size.
  explicit Signature(const KernelSource& source);

  const std::string& name() const { return name_; }
  // For each parameter, in order: 0 for an array, else the bytes of the scalar.
  const std::vector<std::int32_t>& arguments() const { return arguments_; }
  const std::vector<std::int32_t>& block_sizes() const { return block_sizes_; }
  std::size_t n_phases() const { return block_sizes_.size(); }
  bool can_fail() const { return can_fail_; }

  // Throws InternalError unless the launch has as many arrays, scalars and task counts as the kernel takes.
  void check(const Launch& launch) const;

 private:
  std::string name_;
  std::vector<std::int32_t> arguments_, block_sizes_;
  bool can_fail_;
  std::size_t n_arrays_;
};

// Whether one thread is all that goes through arrays, given the threads of a block in each phase. (Scalars
// alone, of whose launches no bytes are told, are one thread's work.)
bool is_sequential(const Launch& launch, std::span<const int> block_sizes);

}  // namespace fulgurite::runtime
