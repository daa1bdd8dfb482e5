// Proofs that what is read of an array is not what a scatter replaces in it: then readers need not care
// whether they see the array as it was or as it becomes. Indices of points that read and indices of points
// that store are taken to be independent, each from 0 to below its extent. The places differ if for one axis,
// or for the sum or the difference of two axes, their distance
//
//   - is positive, or negative, at both ends of all indices (Banerjee's test): blocks, rows above a row,
//     diagonals;
//   - leaves a remainder when it is divided by what all its coefficients have in common (the GCD test):
//     elements of other colours, bits, or components.
#pragma once

#include <optional>
#include <unordered_map>

#include "soac/walk.h"

namespace fulgurite::soac {

/// Indices, and the extents below which they stay.
using Ranges = std::unordered_map<Var, Expr>;
/// Adds the indices of combinators and loops inside of the statement, or of the function, whose first
/// parameters stay below `extents`.
void add_ranges(const Stm&, Ranges&);
void add_ranges(const Lambda&, std::span<const Expr> extents, Ranges&);

/// The places that the points of a scatter store to.
class StoredPlaces {
 public:
  StoredPlaces(Arena&, const Soac&, std::span<const Expr> place);
  /// Proven: no point stores to the element, whose indices vary as `ranges` says.
  bool miss(Expr read, const Ranges& ranges) const;
  /// A condition (bool) of names that do not vary under which no point stores to the element: the places of
  /// points are multiples of such a name apart, which is larger than how far from a multiple the element is.
  /// So a diagonal of a matrix misses its neighbours if rows are longer. Absent: there is none. None of
  /// `inside`, which the points bind, is mentioned.
  std::optional<Expr> miss_where(Expr read, const Ranges& ranges, const Vars& inside) const;

 private:
  std::vector<Expr> distances_to(Expr read) const;

  Arena& arena_;
  // In names that nothing else has; none: nothing is known.
  std::vector<Expr> place_;
  Ranges ranges_;
};

}  // namespace fulgurite::soac
