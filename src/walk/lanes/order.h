// What the points of a task go on from, and what tasks hand on (schedule/lanes/order.h): values of Scans, and
// where the points of each class go.
#pragma once

#include <optional>

#include "schedule/ir.h"
#include "walk/lanes/range.h"
#include "walk/lanes/scan_runs.h"

namespace fulgurite::walk::lanes {

/// In the code of a task of a phase that walks neighbouring points.
class Order {
 public:
  Order(const Emitter& task, const schedule::Phase&);

  /// The values with which the points of the task start.
  Entry entry();
  /// What is to be done when they have been walked: counts are stored, what was packed goes to its place, the
  /// task of the last points stores the last values of the Scans.
  void finish(const Ends&, const schedule::Lanes&) const;

 private:
  Expr i64(std::int64_t value) const { return arena_.i64(value); }
  Running::Groups carried() const;
  Running::Groups take_turn();
  Running::Groups fold_points() const;
  const Running::Groups& scan_ahead(std::int64_t n);
  Running::Cursor cursor(std::size_t partition) const;
  Destination table(std::size_t partition) const;
  std::vector<Expr> first_places(std::size_t partition, std::span<const Expr> counts) const;
  void hand_on_places(const std::vector<std::vector<Expr>>& counts,
                      const std::vector<std::vector<Expr>>& first) const;
  void store_counts(std::size_t partition, std::span<const Expr> counts) const;
  const schedule::Combine* combine(schedule::Combine::Part, std::size_t which) const;
  const schedule::Combine::Level* level(schedule::Combine::Part, std::size_t which, schedule::Join) const;
  bool takes_turns(std::size_t partition) const;

  const Emitter& e_;
  scalar::Arena& arena_;
  const soac::Stm& s_;
  const soac::Soac& op_;
  const schedule::Nest& nest_;
  const std::vector<const soac::Stm*> scans_;
  const Expr n_tasks_;
  std::optional<ScanRuns> scanned_;  // by the task before its turn
};

}  // namespace fulgurite::walk::lanes
