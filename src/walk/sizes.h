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
  /// Whether a size that is known outside surely fits: a bound that is no size takes no memory, and an array
  /// of such a bound may begin as one of a known size, which is checked then.
  bool known_fits(Expr size) { return all_known_fit_ && bounds_.of(size).most <= most_extent; }
  void may_not_fit(Expr size) { all_known_fit_ = all_known_fit_ && !bounds_.known(size); }

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
  bool all_known_fit_ = true;
};

}  // namespace fulgurite::walk
