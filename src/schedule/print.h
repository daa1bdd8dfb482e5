// Schedules as text; parse.h reads them back.
//
//   launch reduce
//   # s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f
//   touched n * 4
//   memory total: f32[(n + 16383) / 16384]
//   result s = total
//   phase main
//     # s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f
//     axis fold 0 1 extent n by_number
//     cut 0 by 16384 grid mask
//     cut 0 by 2048 sequence mask
//     cut 0 by 64 lane apart 16
//     combine reduction 0 lane chain 32, lane accumulators 4, grid partials (total)
//     traffic streaming 33554432 touch
//   phase last
//     # s: f32 = redomap (t < (n + 16383) / 16384) { total[t] } reduce add comm neutral 0f
//     skeleton "join neighbours" tasks 1
//
// Lines that begin with # are comments: what a phase computes is printed there, and is no part of an edit.
// An axis may end with `of NUMBER` and `segments OFFSETS`. The other lines of a nest: split CONDITION; stage
// ARRAY at CUT SPACE SIZE [of READ] [around LOW HIGH, for each axis] [crosswise] [computed]; after the memory
// of a combine [end COMPONENT ARRAY at NUMBER]; classes OFFSETS kept KEPT scans NUMBERS; inner NUMBER { the
// lines of a nest }. The lines of a phase: guard EXPRESSION; at_least_one; why "a reason". Before the phases
// stand copy ARRAY from ARRAY fresh NAME; resident NAME threads NUMBER; given NAME = ARRAY at NUMBER;
// computed ARRAY; task NAME.
#pragma once

#include <string>

#include "scalar/print.h"
#include "schedule/ir.h"

namespace fulgurite::schedule {

std::string print(scalar::Arena&, const Launch&);
/// With these names, which others can look up.
std::string print(scalar::Arena&, const Launch&, scalar::Names&);

std::string_view name_of(Axis::Role);
std::string_view name_of(Unit);
std::string_view name_of(Tail);
std::string_view name_of(Join);
std::string_view name_of(Combine::Part);
std::string_view name_of(kernel::Space);

}  // namespace fulgurite::schedule
