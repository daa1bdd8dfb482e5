// The formulas of a phase's footprint (runtime/footprint.h) while they are made: equal steps are one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "runtime/footprint.h"
#include "scalar/expr.h"

namespace fulgurite::distribute {

/// A step of a formula, by its number.
using Step = std::int32_t;

/// The formula's operation for one of scalars; absent: it has none.
std::optional<runtime::Formula::Op> formula_op(scalar::Op, scalar::Kind);

/// The value of a constant of integers or booleans.
std::int64_t value_of(scalar::Expr constant);

/// How Formula::fit names the values of a kind of integers.
std::int64_t bits_of(scalar::Kind);

class Formulas {
 public:
  explicit Formulas(runtime::PhaseFootprint& to) : to_(to) {}

  Step step(const runtime::Formula&);

 private:
  using Key = std::tuple<runtime::Formula::Op, Step, Step, Step, std::int64_t>;

  runtime::PhaseFootprint& to_;
  std::map<Key, Step> known_;
};

/// The steps that no touch and no loop asks for go.
void keep_needed(runtime::PhaseFootprint&);

}  // namespace fulgurite::distribute
