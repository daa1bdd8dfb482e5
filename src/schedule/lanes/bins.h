// Scatters with an operator (histograms, permutations with one): tasks have bins of their own.
//
// A task walks its points in portions. Lanes compute the places and values of a portion and leave them in
// small buffers, a place outside the array as the number of a bin that nothing reads; scalar code then puts
// them into the bins one by one. Where bins are few, neighbouring points use different copies of them, so
// that an update of a bin seldom waits for the one before to be stored; copies are joined when the task ends.
// That reorders the values of a place, so only operators that commute have copies.
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

/// Before the bins are this many elements that nothing reads; the last of them stands for all places outside.
inline constexpr std::int64_t bin_gap = 64;

/// The distance from the bins of a task to the next task's.
Expr bin_stride(scalar::Arena&, const soac::Scatter&);
/// The number of a task's first bin.
Expr first_bin(scalar::Arena&, const soac::Scatter&, Expr task);

/// The bins of one scatter.
struct Bins {
  std::size_t scatter = 0;
  std::vector<Var> memory;  // of all tasks, for each component
};
/// Makes the memory.
std::vector<Bins> bins_of(Building&);
/// How the main phase combines these scatters.
void combine_bins(const Building&, const std::vector<Bins>&, Nest&);
/// The phases that join the bins of all tasks: "places". `original`: the statement as the program has it.
void add_places(Building&, const soac::Stm& original, const std::vector<Bins>&);

}  // namespace fulgurite::schedule
