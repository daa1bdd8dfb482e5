// Sorts as partitions (soac::Partition), which keep the points of a class in their order.
//
// By digits, the least significant first: for each byte of the key, from the lowest, the elements are
// partitioned into 256 classes, so that after the last byte they are in the order of the whole key. Each pass
// moves everything.
//
// On a CPU large arrays are partitioned once, into rows that fit into a core's cache, of which each is sorted
// by itself (sorted_rows.h). Where rows begin is said by a sample of the keys (as in samplesort; Frazer and
// McKellar, 1970), counted by their highest bits: rows are of about one size however the keys are spread. If
// one value of these bits is that of too many elements, they are sorted by digits after all.
#pragma once

#include "lower/policy.h"
#include "soac/ir.h"

namespace fulgurite::lower {

/// The key of the elements that are there.
scalar::Expr key_of(scalar::Arena&, const soac::Sort&, std::span<const scalar::Expr> elements);

/// The sort as a loop of partitions, or one where the key is a byte.
soac::Stm by_digits(scalar::Arena&, const soac::Stm& sort);

/// The program with sorts by digits in the functions of its Soacs.
soac::Program sort_inside_by_digits(soac::Program);

/// Statements that bring a sort's elements into rows.
struct Rows {
  std::vector<soac::Stm> body;
  std::vector<scalar::Expr> arrays;   // the elements, row by row
  scalar::Expr offsets;               // where rows begin: i64[count + 1]
  scalar::Expr count, longest;        // rows; elements of the longest
  scalar::Expr are_sorted;            // already: by digits
};
Rows into_rows(scalar::Arena&, const soac::Stm& sort, const SortPolicy&);

}  // namespace fulgurite::lower
