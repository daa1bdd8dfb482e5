// Folds along an axis that lies outside of the one along which memory is contiguous (sums of the columns of a
// matrix): the map of a reduction and the reduction are one nest, whose vectors lie along the map's last axis
// while the fold goes from row to row. Tasks share rows where these are many. It is the interchange of a map
// and a reduction (Futhark's G5), whose accumulators are an array.
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

/// The reason of a phase that a launch has only because it takes this way, or does not.
inline constexpr const char* why_outer =
    "version: rows lie apart, so that several are folded at a time, along all columns (fold_rows, "
    "fold_least_columns)";

/// A map whose function is one reduction along one axis and scalars, and which reads along its own last axis.
struct OuterFolds {
  /// Whether the launch takes this way, by sizes only; absent: it does not. `are_deep` is that as an i64.
  Expr is_deep, are_deep;
  /// Points of the map, points of its last axis, and rows that each of them folds.
  Expr points, columns, rows;
  /// Rows of a task, and how many tasks share the rows of a column.
  Expr rows_per_task, parts;
  /// Whether rows farther on are fetched by hand.
  Expr are_fetched;
  std::vector<Var> partials;
};
/// Decides it, and makes the memory.
OuterFolds outer_folds_of(Building&);
/// Its phases: "columns" gives for each task the partial results of its rows; "join columns": the results of
/// each point joined, neighbours first, then the results of the map.
void add_outer_folds(Building&, const OuterFolds&);

}  // namespace fulgurite::schedule
