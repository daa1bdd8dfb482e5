// Operators of reductions and scans, as parts of kernels know them: functions that append code.
#pragma once

#include "kernel/build.h"

namespace fulgurite::parts {

using kernel::Builder;
using scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;

struct Operator {
  using Apply = std::function<std::vector<Expr>(const Builder&, std::span<const Expr> left,
                                                std::span<const Expr> right)>;
  std::vector<Expr> neutral;  // of each component
  Apply apply;                // takes and returns names and constants
  bool commutative = false;
};

/// accumulators = op(accumulators, operands)
void join(const Builder&, const Operator&, std::span<const Expr> accumulators,
          std::span<const Expr> operands);

/// An element of each buffer.
std::vector<Expr> load_all(const Builder&, std::span<const Var> buffers, Expr at, std::string_view name);
void store_all(const Builder&, std::span<const Var> buffers, Expr at, std::span<const Expr> values);

}  // namespace fulgurite::parts
