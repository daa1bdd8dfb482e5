// Where, along the axes of a Soac, comparisons in its body change: 0 < i changes at 1. What a part of the
// space says of its indices decides comparisons, and with them branches, choices, the larger and the smaller
// of two numbers, and whether an element that is read exists.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "soac/interval.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Expr;

/// A comparison, in terms of the index on one axis: it has one value before `first`, and the other one from
/// `last` on. Between them its value depends on the indices of a combinator in the body.
struct Threshold {
  std::size_t axis = 0;
  Expr first, last;
  bool holds_before = false;
};
/// What is known of the index on an axis: it is below `at`, or not.
struct Side {
  std::size_t axis = 0;
  Expr at;
  bool is_behind = false;
};

/// The value of an integer constant; nothing of other expressions.
std::optional<std::int64_t> constant_of(Expr);

/// The indices of a Soac, and of the combinators in its body.
class Indices {
 public:
  Indices(scalar::Arena&, const soac::Soac&);

  /// Whether it is a comparison of i64 that depends on the point by one index alone.
  std::optional<Threshold> threshold_of(Expr comparison);
  /// The comparisons that decide a node: itself, or of the operands of ==, !=, min and max, or for an element
  /// that is read of each index with 0 and with the extent.
  std::vector<Expr> comparisons_of(Expr node);
  /// The value of a comparison where the indices lie on these sides; nothing if they do not decide it.
  std::optional<bool> value_of(Expr comparison, std::span<const Side>);
  /// The node, given such values of its comparisons; absent: they do not decide it.
  Expr decided(Expr node, std::span<const Side>);
  /// What holds for every index of the space: it is not negative, and below the extent.
  std::vector<Side> everywhere() const;

  const std::vector<Expr>& extents() const { return extents_; }
  Expr index(std::size_t axis) const { return names_[axis]; }

 private:
  struct Inside {
    Expr name, last;  // it runs from 0 to `last`
  };
  void add_inside(const soac::Lambda&);
  bool is_outside(Expr) const;
  struct Ends {
    Expr least, most;
  };
  std::optional<Ends> ends_of(Expr rest) const;
  struct Operands {
    Expr moving, still;
  };
  Operands by_motion(Expr node);
  // The axes, as a set of bits, whose index an expression mentions, and the ones in which it is no sum
  // of products; between which values an integer lies.
  struct Motion {
    std::uint64_t axes = 0, other_ways = 0;
    soac::Interval values = {};
  };
  Motion motion_of(Expr);
  soac::Interval values_of(Expr);
  Expr saturated(Expr);
  std::optional<scalar::Affine> affine_along(std::size_t axis, Expr);

  scalar::Arena& arena_;
  soac::Intervals intervals_;
  std::vector<Expr> extents_, names_;
  // Comparisons share what they compare: each expression is looked at once.
  std::unordered_set<Expr> in_motion_;
  std::unordered_map<Expr, Motion> motions_;
  soac::Vars inside_, small_;  // sizes and indices are small
  std::vector<Inside> running_;
};

}  // namespace fulgurite::schedule
