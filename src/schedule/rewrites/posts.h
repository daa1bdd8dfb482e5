// Scatters whose points leave ("post") their places and values in memory, for scalar code that stores or
// combines them in the order of the points.
#pragma once

#include <optional>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// What the points of a scatter with an operator post, into small buffers of a task.
struct BinPosts {
  std::size_t scatter = 0;
  /// The array of places (the number of a bin, or -1), then arrays of the values that differ between points.
  std::vector<scalar::Var> names;
  /// For each component its value: one that all points share, or element `point` of an array, which is the
  /// number of the point. Absent: the component is posted.
  std::vector<scalar::Expr> values;
  scalar::Var point{};
};
struct BinPosting {
  /// The statement with what is posted as mapped results, last, instead of these scatters.
  soac::Stm stm;
  std::vector<BinPosts> posts;
};
BinPosting post_bins(scalar::Arena&, const soac::Stm&);

/// Whether the expression reads no element and cannot fail.
bool is_pure(scalar::Expr);

/// When an operator takes all components from its right operand, in terms of its parameters, if otherwise it
/// takes all from its left one, as the operator of an arg-min does. Absent if it computes something else.
scalar::Expr takes_right(scalar::Arena&, const soac::Lambda& op);

/// What the points of a scatter post whose last value stays, into arrays with an element for each point.
struct OrderedPosts {
  /// The scatter's arrays, and the number of their elements.
  std::vector<scalar::Var> arrays;
  scalar::Expr size;
  /// The row-major number of the place and the values of point `point`: elements of posted arrays, or what
  /// later phases can read where it is.
  scalar::Expr place;
  std::vector<scalar::Expr> values;
  scalar::Expr point;
};
struct OrderedPosting {
  /// The statement with what is posted as mapped results, last, instead of these scatters.
  soac::Stm stm;
  std::vector<OrderedPosts> posts;
  std::vector<scalar::Var> posted;
};
OrderedPosting post_in_order(scalar::Arena&, const soac::Stm&);

}  // namespace fulgurite::schedule
