// Points of a map's last axes, or of its last but one, that are taken together: the map over the other axes
// gives an array of few elements for each of its points, whose elements share what they read and compute.
#pragma once

#include <optional>

#include "soac/equal_sizes.h"
#include "soac/ir.h"

namespace fulgurite::simplify {

/// Rows with at least this many points are vectors by themselves.
inline constexpr std::int64_t least_row = 8;

/// Whether the number of points is unknown, or they are worth lanes of their own.
bool are_many(const std::vector<scalar::Expr>& dims);

/// Whether the statement binds an array.
bool binds_array(const scalar::Arena&, const soac::Stm&);
/// Whether arrays are made inside of the function.
bool has_arrays(const scalar::Arena&, const soac::Lambda&);

/// Whether loops of more rounds than a row has points are inside of the function: unrolled they are long.
bool has_long_rounds(const soac::Lambda&);

class PointsTogether {
 public:
  explicit PointsTogether(const soac::Program& program) : arena_(*program.arena), sizes_(program) {}

  struct Taken {
    soac::Soac op;       // gives the arrays that the statement bound
    scalar::Expr holds;  // a condition on sizes, without which it may not be used; absent: always
  };
  /// Absent: it is no map of scalars over short rows or short reductions, or its elements share nothing. A
  /// point that fails says its number, which would be another one: so no read of `op` fails if `holds`.
  std::optional<Taken> operator()(const soac::Stm&) const;

 private:
  std::optional<Taken> take(const soac::Stm&, std::size_t first, std::size_t count, std::size_t after) const;
  bool may_take(const soac::Soac&) const;
  bool has_short_rows(const soac::Soac&) const;
  bool shares_reads(const soac::Lambda&) const;

  scalar::Arena& arena_;
  const soac::EqualSizes sizes_;
};

}  // namespace fulgurite::simplify
