// How large integers of a kernel can be: where signed arithmetic is known to stay within its kind it is
// printed as it stands, also in languages that leave its overflow undefined.
#pragma once

#include <unordered_map>

#include "kernel/ir.h"

namespace fulgurite::emit {

/// Bits b: the value lies between -2^b and 2^b.
class Magnitudes {
 public:
  /// i64 parameters that the number of some phase's tasks depends on are sizes, below 2^47 as all memory.
  void begin(const kernel::Kernel&);
  void set(scalar::Var, int bits);
  /// A loop's counter. More than 2^47 rounds would take days.
  void set_counter(const kernel::For&);

  int bits_of(scalar::Expr);
  /// The operation's result, computed on unlimited integers, is one of its kind.
  bool fits(scalar::Expr);

 private:
  int unlimited(scalar::Expr);  // of the result before it wraps

  std::unordered_map<scalar::Var, int> of_name_;
  std::unordered_map<std::uint32_t, int> of_node_;  // by node number
};

}  // namespace fulgurite::emit
