// Rows of elements, each sorted by one task (row_sort.h).
#pragma once

#include "lower/launches.h"
#include "schedule/rewrites/radix.h"

namespace fulgurite::lower {

/// Launches the sort of the rows; the statement's arrays are where its names have their places.
void sorted_rows(Launches&, const soac::Stm& sort, const schedule::Rows&, const schedule::LanesPolicy&);

}  // namespace fulgurite::lower
