// A map whose function is several combinators over a row becomes a statement for each of them, so that
// blocks of threads share rows: softmax is two reductions of each row, and a map of all elements. The field
// knows it as loop fission, and as distribution of a map (Henriksen, Serup, Elsman, Henglein, Oancea,
// "Futhark: purely functional GPU-programming with nested parallelism and in-place array updates", PLDI 2017,
// section 5).
#pragma once

#include <optional>
#include <vector>

#include "schedule/policy.h"
#include "soac/ir.h"

namespace fulgurite::schedule {

/// The map as statements that make what its function's statements make, at all points. Maps of a row become
/// maps of all elements, and Scans of a row go over all rows in one, beginning anew with each; cheap maps
/// that rows are read from are computed where they are read.
struct FissionParts {
  std::vector<soac::Stm> statements;
  scalar::Expr room;  // elements of the rows that are in memory for it, results apart
};
/// Null: the function can fail, has other statements, or an array in it has a size that differs from point to
/// point or is more than read.
std::optional<FissionParts> fission(scalar::Arena&, const soac::Stm& map, const BlocksPolicy&);

/// The program with such maps outside of Soacs divided, where rows have `short_row` elements and do not take
/// more than `fission_room`: an If asks what is not known before.
soac::Program fission(soac::Program, const BlocksPolicy&);

}  // namespace fulgurite::schedule
