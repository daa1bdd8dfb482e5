// What walks and edits ask of a schedule.
#pragma once

#include <optional>

#include "schedule/ir.h"

namespace fulgurite::schedule {

/// The outermost and the innermost cut for a unit; absent: there is none.
const Cut* outermost(const Nest&, Unit);
const Cut* innermost(const Nest&, Unit);
/// The cut of an axis whose pieces are tasks; absent: each task has all of the axis.
const Cut* task_cut(const Nest&, std::size_t axis);
/// The constant size of the innermost cut for a unit, or `otherwise` if there is none.
std::int64_t size_by(const Nest&, Unit, std::int64_t otherwise);

/// The sizes of the cuts of an axis for a unit, outermost first.
std::vector<Expr> sizes_of_cuts(const Nest&, std::size_t axis, Unit);
/// Points of the Soac inside that the nest takes together, their operands packed in one word; 1: none.
std::int64_t terms_together(const Nest&);
/// The arrays that all outputs are combined in, in their order.
std::vector<Var> memory_of_combines(const Nest&);

/// How one output is combined; absent: the nest does not say.
const Combine* combine_of(const Nest&, Combine::Part, std::size_t which);
/// Its level for a unit.
const Combine::Level* level_of(const Nest&, Combine::Part, std::size_t which, Unit);
/// Whether some output of the kind is combined by this join.
bool has_join(const Nest&, Combine::Part, Join);

/// The number of the Soac inside whose points the nest walks together with the points of the Soac itself, and
/// whose outputs it combines; 0: there is none.
std::size_t number_of_combined(const Nest&);

/// The nest of the Soac with this number in the body.
const Nest* inner_of(const Nest&, std::size_t number);

/// The Soac with this number in the functions of a statement; null: there is none.
const soac::Stm* soac_inside(const soac::Stm& around, std::size_t number);

/// How many tasks a phase has: the pieces of its cuts for the grid, times its guard.
Expr tasks_of(scalar::Arena&, const Phase&);
/// The numbers of tasks of all phases that have tasks of their own.
std::vector<Expr> tasks_of(scalar::Arena&, const Launch&);

/// What the passes over a kernel of lanes need to know: the width of vectors, and how many elements ahead of
/// what is read memory is fetched.
struct Vectors {
  int lanes = 0;
  std::int64_t ahead = 0;
  bool operator==(const Vectors&) const = default;
};
Vectors vectors_of(const Launch&);

/// The value of a constant; absent: it is none.
std::optional<std::int64_t> constant(Expr);
/// The quotient, rounded up, of integers that are not negative.
Expr ceil_div(Expr a, Expr b);
Expr product(scalar::Arena&, std::span<const Expr> factors);

}  // namespace fulgurite::schedule
