// What is known of the sizes of arrays that points make, while the bodies that make them are lowered: bounds,
// and where sizes come from, for messages.
#pragma once

#include <string>
#include <unordered_map>

#include "soac/bounds.h"

namespace fulgurite::walk {

using scalar::Expr;
using scalar::Var;

/// More elements than an array has; checks of sizes that are computed say so.
inline constexpr soac::Wide most_extent = soac::Wide{1} << 47;

class Sizes {
 public:
  Sizes(scalar::Arena& arena, soac::Bounds bounds)
      : arena_(arena), bounds_(std::move(bounds)), n_facts_outside_(bounds_.mark()) {}

  soac::Bounds& bounds() { return bounds_; }
  void learn(const soac::Stm&);
  /// The most elements that an array of this size can have, in terms of what is known before the kernel runs.
  /// Throws ShapeError at `where` if no bound is known; `what` names the array.
  Expr most(Expr size, const soac::Location& where, std::string_view what);
  /// Whether arrays whose sizes are known outside may not fit where they are made: a bound that is no size
  /// takes no memory, and an array of such a bound may begin as one of a known size.
  bool known_may_not_fit() const { return known_may_not_fit_; }
  void set_known_may_not_fit() { known_may_not_fit_ = true; }

 private:
  struct Origin {
    Expr value;  // of a Let; absent: of another statement
    soac::Location where;
    std::string statement;
  };
  Expr written_out(Expr size) const;
  std::string text(Expr size) const;

  scalar::Arena& arena_;
  soac::Bounds bounds_;
  const std::size_t n_facts_outside_;        // of the bounds: what holds before the kernel runs
  std::unordered_map<Var, Origin> origins_;  // of integers
  bool known_may_not_fit_ = false;
};

}  // namespace fulgurite::walk
