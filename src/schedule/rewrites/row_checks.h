// What has to hold for a row, so that the checks of its points hold: that reads and places are inside of
// arrays at the ends of the row, and divisors are not 0.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedule/rewrites/quotients.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

/// Collects the conditions for a statement.
class RowChecks {
 public:
  /// Checks of a function of the indices of the row and the column, which may have more parameters.
  RowChecks(scalar::Arena& arena, const soac::Lambda& body, const Row& row);

  /// Whether indices like these are inside of arrays of the shape can be known for the row; asks for it then,
  /// but for the axes on which it is known.
  bool covers_indices(std::span<const scalar::Expr> indices, std::span<const scalar::Expr> shape,
                      scalar::Axes known = 0);

  /// Whether the node's own check can be made for the row; asks for it then.
  bool covers(scalar::Expr e);

  /// Whether the checks of a read can be tested for the row, some of whose indices are made of quotients of
  /// the column.
  bool covers_quotients(scalar::Expr read);

  /// Whether a condition, that values are between 0 and extents, can be tested for the row; adds it then.
  bool covers_condition(scalar::Expr condition);

  /// The quotients of the column, and what stands for them.
  Quotients& quotients() { return quotients_; }

  /// All conditions. Null: they are too many.
  scalar::Expr holds();

 private:
  static bool add_parts(scalar::Expr condition, std::vector<scalar::Expr>& not_negative,
                        std::vector<scalar::Expr>& indices, std::vector<scalar::Expr>& extents);

  bool covers_read(scalar::Expr e);
  bool covers_divisor(scalar::Expr divisor);

  // Whether the expression has only names that are known before the points, and no reads.
  bool is_plain(scalar::Expr e) const;

  // Combinators inside of points, of as many points in each of them.
  void add_inner(const soac::Lambda& body);

  /// The lowest and the highest value of an index that is linear in the indices of combinators inside of its
  /// point. Absent: it is not, or there is more in it that is not plain.
  struct Ends {
    scalar::Expr low, high;
  };
  std::optional<Ends> ends_of(scalar::Expr index, std::vector<scalar::Expr>& wanted) const;

  /// Indices of one extent from `low` to `high`, which differ by what is the same along the row.
  struct Range {
    scalar::Expr extent, coefficient, low, high;
  };
  void add(const Range& one);

  static bool is_large(scalar::Expr e);

  // The lowest index, which is inside, bounds what is added to it: so nothing wraps around.
  void ask_for(const Range& range);
  scalar::Expr at(scalar::Expr e, scalar::Expr column) const;

  // The value in the row, if what is wanted holds.
  scalar::Expr in_row(scalar::Expr e, std::vector<scalar::Expr>& wanted) const;

  void add(const std::vector<scalar::Expr>& wanted);

  scalar::Arena& arena_;
  const scalar::Var column_;
  const Row& row_;
  soac::Vars inside_;
  std::unordered_map<scalar::Var, scalar::Expr> outer_;
  // Indices of combinators inside of points, and the extents that these have at all points of the row.
  std::map<scalar::Var, scalar::Expr> inner_;
  std::vector<Range> ranges_;
  std::vector<scalar::Expr> conditions_;
  Quotients quotients_;
};

}  // namespace fulgurite::schedule
