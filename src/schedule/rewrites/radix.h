// Sorts as partitions (soac::Partition), which keep the points of a class in their order.
//
// By digits, the least significant first: for each byte of the key, from the lowest, the elements are
// partitioned into 256 classes, so that after the last byte they are in the order of the whole key. Each pass
// moves everything.
//
// On a CPU large arrays are partitioned once, into rows that fit into a core's cache, of which each is sorted
// by itself (row_sort.h). Where rows begin is said by a sample of the keys (as in samplesort; Frazer and
// McKellar, 1970), counted by their highest bits: rows are of about one size however the keys are spread. If
// too many elements share one value of these bits, all are sorted by digits after all.
#pragma once

#include "schedule/ir.h"
#include "schedule/policy.h"

namespace fulgurite::schedule {

/// The sort as a loop of partitions, or one where the key is a byte.
soac::Stm by_digits(scalar::Arena&, const soac::Stm& sort);

/// The program with sorts by digits in the functions of its Soacs.
soac::Program sort_inside_by_digits(soac::Program);

/// Whether the key is so short that one partition sorts.
bool is_one_digit(const soac::Sort&);

/// A sort of longer keys as statements, with the bytes of elements that each reads and writes (tables, whose
/// size is bounded, left out).
struct Rows {
  struct Step {
    soac::Stm stm;
    scalar::Expr read, written;
    std::string origin;  // what its kernels are said to be for
  };
  scalar::Expr are_many;  // whether there are many elements; else they are one row as they are
  scalar::Expr count;
  bool are_segments = false;  // of the sort; some may have few elements
  /// Where they are many: statements that say whether rows of about one size can be told apart ...
  std::vector<Step> survey;
  scalar::Expr fit;  // absent: segments are told apart
  /// ... and bring the elements into them: `arrays` has them row by row, row r from offsets[r] to
  /// offsets[r + 1], at most `longest` in one.
  std::vector<Step> by_rows;
  std::vector<scalar::Expr> arrays;
  scalar::Expr offsets, longest;
  /// Else: the sort.
  std::vector<Step> by_digits;
  /// Segments of more than `most` elements, which one task would sort for too long: how many there are, where
  /// they begin and how many elements each has (arrays).
  scalar::Expr most, n_long, begins, lengths;
};
/// How a task sorts a row (walk/lanes/row_sort.h): the skeleton "sort rows".
Skeleton row_sort(const LanesPolicy&, scalar::Expr tasks);
/// The most elements of a row that a task sorts.
scalar::Expr longest_sorted(const Rows&);
/// The launch whose tasks sort a row each at a time.
Launch sort_each_row(const soac::Stm& sort, const Rows&, const LanesPolicy&);

Rows into_rows(scalar::Arena&, const soac::Stm& sort, const LanesPolicy&);
/// The segments that a sort has as rows, of which `survey` finds the longest and the ones that are too long
/// for a task. Nothing needs to be moved into them.
Rows segments_as_rows(scalar::Arena&, const soac::Stm& sort, const LanesPolicy&);
/// The sort of the segments that are too long, one after the other, each as an array of its own. `others`:
/// the arrays in which the other segments are sorted.
soac::Stm sort_long_segments(scalar::Arena&, const soac::Stm& sort, const Rows&,
                             std::span<const scalar::Expr> others);
/// The sort with a key of more than one digit.
soac::Stm with_digits(scalar::Arena&, soac::Stm sort);

}  // namespace fulgurite::schedule
