// Which floats of a kernel are never NaN. A minimum with one need not ask whether the other is NaN: a
// comparison with NaN fails, which keeps the number. An accumulator that begins at infinity and takes minima
// is one, until it takes something else. What is in memory may be NaN.
#pragma once

#include <optional>
#include <unordered_map>

#include "kernel/ir.h"

namespace fulgurite::emit {

class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(const kernel::Kernel&);

  /// The operand of a minimum or maximum of floats that is a number wherever the kernel computes it.
  std::optional<std::size_t> operand_of(scalar::Expr) const;

 private:
  using Variables = std::unordered_map<scalar::Var, bool>;

  void walk(const kernel::Block&);
  void walk(const kernel::Stm&);
  void loop(const kernel::Block& head, const kernel::Block& body);
  void branches(const kernel::If&);
  void note(const kernel::Stm&);
  void name(scalar::Var, scalar::Expr value);
  bool is_number(scalar::Expr) const;

  Variables variables_;                               // of floats, at the statement at hand
  std::unordered_map<scalar::Var, bool> lets_;        // wherever they are bound
  std::unordered_map<scalar::Expr, unsigned> found_;  // the operands of minima and maxima, a bit each
  std::size_t left_ = 0;                              // statements that may still be looked at
};

}  // namespace fulgurite::emit
