// Which variables of the body of a Par(block) may differ between its instances (divergence analysis):
// variables that are assigned a varying value, or assigned under a varying condition.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "kernel/ir.h"

namespace fulgurite::tidy {

class Divergence {
 public:
  /// `instance` is the number of the instance that runs the body.
  Divergence(const kernel::Block& body, kernel::Var instance);

  bool varies(kernel::Var name) const { return varying_.contains(name); }
  /// False of an absent expression.
  bool varies(kernel::Expr) const;
  /// The varying variable is equal in all instances that are still in its loop (in_step.h).
  bool is_in_step(kernel::Var variable) const { return in_step_.contains(variable); }
  /// The varying variable in step whose value a Let of its loop's head gives this name.
  std::optional<kernel::Var> in_step_of(kernel::Var name) const;

 private:
  void mark(const kernel::Block& body, bool is_divergent);
  void mark_variable(kernel::Var name, kernel::Expr value, bool is_divergent);
  void mark_if(bool condition, kernel::Var name);

  std::unordered_set<kernel::Var> varying_;
  std::unordered_map<kernel::Var, kernel::Var> in_step_;  // and the name of its value in the loop's head
  std::unordered_map<kernel::Var, kernel::Var> counted_;  // the variables by these names
};

}  // namespace fulgurite::tidy
