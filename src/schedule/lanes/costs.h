// What a point of a Soac costs on a CPU, in additions: loads and index arithmetic are free, since a task is
// limited by them only where computation is cheap.
#pragma once

#include "schedule/policy.h"
#include "soac/ir.h"

namespace fulgurite::schedule {

/// The defaults of the policy are measured throughputs of 512-bit instructions, rounded.
class Costs {
 public:
  explicit Costs(const LanesPolicy& by) : by_(by) {}

  /// One point of a Soac, with its operators.
  double of_point(const soac::Soac&) const;
  /// The operators of the Scans in its body.
  double of_scans(const soac::Soac&) const;
  /// Their cost with arithmetic on i64, as operators compute no indices.
  double of_operators(const soac::Soac&) const;
  /// Whether there is a loop whose iterations, each waiting for the one before, compute few values.
  bool waits_for_itself(const soac::Lambda&) const;
  /// Expressions, what they share once; loads, and index arithmetic on i64, cost nothing.
  double of(std::span<const scalar::Expr> roots) const;

 private:
  double of(scalar::Op) const;
  double of(const soac::Stm&, double trips) const;
  double of(const soac::Lambda&, double trips) const;
  double of_operator(const soac::Lambda&) const;

  const LanesPolicy& by_;
};

}  // namespace fulgurite::schedule
