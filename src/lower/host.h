// Expressions that the host evaluates (sizes, task counts, scalars between launches) as steps of the plan
// over 64-bit slots. Scalars that are on the device (lower/device_scalars.h) are fetched where a value is
// asked for.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "plan/plan.h"
#include "scalar/formula.h"

namespace fulgurite::lower {

class Host {
 public:
  Host(scalar::Arena& arena, plan::Plan& plan) : arena_(arena), plan_(plan) {
    open_.push_back({&plan.steps, {}});
  }

  plan::Slot fresh_slot() { return plan_.n_slots++; }
  plan::Place fresh_place() { return plan_.n_places++; }
  void append(plan::Action action) { open_.back().steps->push_back({std::move(action)}); }
  /// Steps that `fill` appends, for a branch or loop body. What they compute is forgotten at their end.
  template <class F>
  plan::Steps steps(F&& fill) {
    plan::Steps inner;
    open_.push_back({&inner, {}});
    fill();
    open_.pop_back();
    return inner;
  }

  void bind(scalar::Var name, plan::Slot slot) { slots_[name] = slot; }
  void bind_place(scalar::Var array, plan::Place place) { places_[array] = place; }
  /// The scalar is element 0 of an array.
  void bind_on_device(scalar::Var name, scalar::Var array) { on_device_[name] = array; }
  plan::Place place(scalar::Var array) const;
  bool knows(scalar::Var scalar) const { return slots_.contains(scalar) || on_device_.contains(scalar); }
  bool has_place(scalar::Var array) const { return places_.contains(array); }
  /// The array that holds the scalar; none: it is in a slot.
  std::optional<scalar::Var> on_device(scalar::Var) const;

  /// The slot that holds the expression's value from here on. It must not read arrays.
  plan::Slot slot(scalar::Expr);
  std::vector<plan::Slot> slots(std::span<const scalar::Expr>);

 private:
  struct Open {
    plan::Steps* steps;
    std::unordered_map<std::uint32_t, plan::Slot> memo;  // by node id
  };
  const plan::Slot* find(scalar::Expr) const;
  plan::Slot compute(scalar::Expr);

  scalar::Arena& arena_;
  plan::Plan& plan_;
  std::vector<Open> open_;
  std::unordered_map<scalar::Var, plan::Slot> slots_;
  std::unordered_map<scalar::Var, plan::Place> places_;
  std::unordered_map<scalar::Var, scalar::Var> on_device_;
};

}  // namespace fulgurite::lower
