// Points that divide their column by what is the same along a row: from one point to the next, quotients and
// remainders change by additions, and what is indexed by them is inside of its array for the whole row if it
// is at the bounds of the quotients and remainders.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// The columns of a row that are walked: the indices of the other axes, the first column and the last one.
struct Row {
  std::span<const scalar::Expr> outer;
  scalar::Expr first, last;
};

/// coefficient * column + base, which is not negative, divided by the divisor, which is positive. Names (i32)
/// stand for the quotient and the remainder in the statement; the others are values in the row.
struct Quotient {
  std::int64_t coefficient;
  scalar::Expr base, divisor, quotient, remainder;
};

/// The quotients of a row's column, and the indices that are made of them.
class Quotients {
 public:
  /// An expression's value in the row, if what it appends to `wanted` holds; null: it is not the same along
  /// the row, or not known before.
  using InRow = std::function<scalar::Expr(scalar::Expr, std::vector<scalar::Expr>& wanted)>;
  Quotients(scalar::Arena&, scalar::Var column, const Row&, InRow in_row);

  /// What stands for a quotient or a remainder of the column; null: it is none. By a power of two that is
  /// known it is none, for that is a shift.
  scalar::Expr named(scalar::Expr node);
  /// Whether one has been named in the index; it has been asked of each node before.
  bool are_in(scalar::Expr index) const;
  /// Whether an index is known to be inside of the extent, and below 2^31, for the row; asks for it then.
  bool covers(scalar::Expr index, scalar::Expr extent);
  /// The same index, computed in 32 bits: of one that covers() is true of. `rebuilt` gives what a part of it
  /// has become.
  scalar::Expr narrow(scalar::Expr index, const std::function<scalar::Expr(scalar::Expr)>& rebuilt);

  const std::vector<Quotient>& all() const { return all_; }
  /// What has to hold.
  const std::vector<scalar::Expr>& wanted() const { return wanted_; }

 private:
  /// The values of an expression along the row, all between -2^bits and 2^bits.
  struct Range {
    scalar::Expr low, high;
    int bits;
  };
  std::optional<Range> range(scalar::Expr);
  std::optional<Range> range_of_same(scalar::Expr);
  std::optional<Range> range_of_operands(scalar::Expr);
  const Quotient* quotient_of(scalar::Expr node);
  scalar::Expr in_32_bits(scalar::Expr, const std::function<scalar::Expr(scalar::Expr)>& rebuilt);
  bool may_compute_narrow(scalar::Expr);
  void want_within(scalar::Expr value, int bits);

  scalar::Arena& arena_;
  const scalar::Var column_;
  const Row row_;
  const InRow in_row_;
  std::vector<Quotient> all_;
  std::vector<scalar::Expr> wanted_;
  std::unordered_map<scalar::Expr, std::optional<Range>> ranges_;
  std::unordered_map<scalar::Expr, scalar::Expr> narrow_;
};

}  // namespace fulgurite::schedule
