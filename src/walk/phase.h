// What phases of lanes and of blocks have in common: numbers of skeletons, and what tasks leave for later
// phases.
#pragma once

#include "schedule/ir.h"
#include "walk/points.h"

namespace fulgurite::walk {

/// A phase's skeleton, and its number of this name, which it has.
const schedule::Skeleton& skeleton_of(const schedule::Phase&);
std::int64_t number_of(const schedule::Skeleton&, std::string_view name);

/// Says where the phase reads arrays that the launch updates in place: in the memory of their new versions,
/// unless the phase fills these.
void read_in_place(const Emitter&, const schedule::Launch&, const schedule::Phase&);

/// A number's indices of these axes, row-major; the number may be too large for the first axis.
std::vector<Expr> indices_of(const Emitter&, Expr number, std::span<const Expr> dims);

/// The part of a row that a task takes where `tiles` tasks share each: the reduction of the row, whose points
/// [begin, end) are the task's, in the code of `e`.
struct PartOfRow {
  Emitter e;
  soac::Stm reduction;
  Expr begin, end;
};
PartOfRow part_of_row(const Emitter& task, const soac::Soac& map, Expr tiles, Expr tile, Expr columns);

/// Stores a task's partial results of the reductions, in the order of their components, where the nest says.
void store_partials(const Emitter& task, const schedule::Nest&, std::span<const Expr> totals);
/// Stores the last values of Scans where the nest says that; has_ends: it does.
bool has_ends(const schedule::Nest&);
void store_ends(const Emitter& task, const schedule::Nest&, const Running::Groups& ends);

}  // namespace fulgurite::walk
