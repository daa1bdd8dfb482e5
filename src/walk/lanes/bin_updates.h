// Updates of a task's bins by the points of a portion, whose places and values lanes have left in buffers.
#pragma once

#include "schedule/ir.h"
#include "schedule/rewrites/posts.h"
#include "walk/control.h"
#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

/// The bins of one scatter.
struct BinGroup {
  const soac::Scatter& scatter;
  const schedule::Combine& combine;
  Expr size, stride;          // bins; the distance from a task's bins to the next task's
  Expr first;                 // of the task
  std::vector<Var> copies{};  // for each component, where there may be copies

  const schedule::Combine::Level* level(schedule::Join) const;
  const soac::Reduction& by() const { return scatter.combine[0]; }
  /// Runs `few` where the task uses copies, else `many`.
  void where_few(const Emitter&, const std::function<void()>& few, const std::function<void()>& many) const;
};

/// Where the points of a portion have left places and values.
struct Portion {
  Expr from, n, length;
  const schedule::BinPosts& posts;
  const std::vector<Var>& buffers;  // of each name of the posts
  /// Where bins are many, the next portion's elements of these arrays are fetched meanwhile.
  std::vector<Var> read_ahead;
};
void update_bins(const Emitter&, const BinGroup&, const Portion&);

}  // namespace fulgurite::walk::lanes
