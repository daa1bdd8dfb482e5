// In: a program. Out: one that computes the same results with less work: sizes that Checks prove equal are
// one size, equal statements are one, trivial Soacs are the arrays that they copy, branches and loops that
// are known are taken, Checks that hold or repeat are gone, and nothing unneeded is left. Establishes: no
// statement whose results are all unused, except Checks.
#pragma once

#include "soac/pass.h"

namespace fulgurite::simplify {

extern const soac::Pass simplify;
extern const soac::Pass hoist;
/// Before fusion: scatters whose points may store in any order (unordered.cpp).
extern const soac::Pass unordered;
/// Before fusion: sorts of which only the first few elements are read are reductions (selection.cpp).
extern const soac::Pass selection;
/// After fusion: reductions whose operators read packed values by bit fields reduce the fields (fields.cpp).
extern const soac::Pass fields;
/// Contraction (contract.cpp), under Precision::fast only: first of all passes, and of what reductions add,
/// last.
extern const soac::Pass contract;
extern const soac::Pass fma_sum;
/// After fusion: maps over few points that each fold many fold all of them in one pass (few_folds.cpp).
extern const soac::Pass few_folds;
/// After fusion: scatters of flattened arrays are over the axes of the arrays (flattened.cpp).
extern const soac::Pass flattened;
/// Last but one: arrays of few elements in functions of elements are scalars (small_arrays.cpp).
extern const soac::Pass small_arrays;
/// Runs after them: readers of elements do not keep an array of a point from being changed where it lies
/// (former_elements.cpp).
extern const soac::Pass former_elements;
/// Last of all: arrays that points make, whose sizes nothing bounds, have the largest size computed before
/// (largest_sizes.cpp).
extern const soac::Pass largest_sizes;

}  // namespace fulgurite::simplify
