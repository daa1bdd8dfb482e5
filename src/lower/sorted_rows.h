// Rows of elements that are sorted one by one, each by one task and in its cache.
//
// A row is sorted by digits, the least significant first, but only by so many of the highest bits in which
// its keys differ that few elements have equal ones; what is left out of order is so near to its place that
// insertion puts it there. Where that turns out to be much work, as many keys differ in lower bits only, the
// row is sorted again by all bits.
//
//   for each row of the task {
//     least, most: of the keys; bits in which key - least can differ
//     need = min(bits, log2(elements) + some)
//     while (not sorted) {
//       for each of the digits of the highest `need` bits, from the lowest: count, add up, move
//       insert one by one into the result; if that is too much work, need = bits
//     }
//   }
#pragma once

#include "lower/launches.h"
#include "lower/radix.h"

namespace fulgurite::lower {

/// Launches the sort of the rows; the statement's arrays are where its names have their places.
void sorted_rows(Launches&, const soac::Stm& sort, const Rows&, const SortPolicy&);

}  // namespace fulgurite::lower
