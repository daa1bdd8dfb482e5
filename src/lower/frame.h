// A launch in the making: the Soac that it computes, how its space is cut, its phases and their memory.
#pragma once

#include "lower/grid.h"
#include "soac/layout.h"
#include "soac/rename.h"

namespace fulgurite::lower {

class Frame {
 public:
  Frame(Launches& launches, const soac::Stm& stm);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  Launches& launches;
  scalar::Arena& arena;
  const Emitter e;
  const soac::Stm s;
  const soac::Soac& op;
  const soac::Layout layout;
  const Policy policy;
  const Grid grid;
  std::vector<Var> temporaries;  // memory of the launch alone
  std::vector<Expr> tasks;       // of each phase

  Expr i64(std::int64_t value) { return arena.i64(value); }
  Policy policy_of(const soac::Soac&);
  std::vector<Var> names(const soac::Layout::Part&) const;
  std::span<const Expr> results(const soac::Layout::Part&) const;

  Var temporary(Kind, Expr size, std::string name);
  /// body(e) makes the code of a task.
  void phase(Expr n_tasks, const std::function<void(const Emitter& e)>& body);
  /// The run of points that a task takes, where tasks depend on the order.
  Range points_of(const Emitter& task);
};

}  // namespace fulgurite::lower
