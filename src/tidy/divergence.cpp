#include "tidy/divergence.h"

#include "base/match.h"
#include "tidy/in_step.h"

namespace fulgurite::tidy {

using namespace kernel;

// To a fixed point, since a loop may feed one variable to another.
Divergence::Divergence(const Block& body, Var instance)
    : varying_{instance}, in_step_(candidates_in_step(body)) {
  for (const auto& [variable, name] : in_step_) counted_.emplace(name, variable);
  for (std::size_t before = 0; before != varying_.size();) {
    before = varying_.size();
    mark(body, false);
  }
}

bool Divergence::varies(Expr e) const {
  if (!e) return false;
  bool found = false;
  scalar::for_each_node(std::span(&e, 1), [&](Expr node) { found |= node.is_name() && varies(node.var()); });
  return found;
}

std::optional<Var> Divergence::in_step_of(Var name) const {
  const auto counted = counted_.find(name);
  return counted != counted_.end() && varies(counted->second) ? std::optional(counted->second) : std::nullopt;
}

void Divergence::mark(const Block& body, bool is_divergent) {
  for (const Stm& s : body)
    base::match(
        s.op, [&](const Let& op) { mark_if(varies(op.value) && !counted_.contains(op.name), op.name); },
        [&](const Declare& op) { mark_variable(op.name, op.value, false); },
        [&](const Assign& op) { mark_variable(op.name, op.value, is_divergent); },
        [&](const Load& op) { mark_if(varies(op.from.index) || varies(op.from.mask), op.name); },
        [&](const Store&) {}, [&](const WideLoad&) {}, [&](const WideStore&) {}, [&](const Prefetch&) {},
        [&](const Permute&) {}, [&](const Transpose&) {}, [&](const Shift& op) { mark_if(true, op.name); },
        [&](const Pick&) {}, [&](const Pack&) {},
        [&](const Atomic& op) {
          if (op.name) mark_if(true, *op.name);
        },
        [&](const Shuffle& op) { mark_if(true, op.name); },
        [&](const For& op) {
          const bool differs = varies(op.begin) || varies(op.end) || varies(op.step);
          mark_if(differs, op.name);
          mark(op.body, is_divergent || differs);
        },
        [&](const While& op) {
          mark(op.head, is_divergent);
          const bool differs = is_divergent || varies(op.condition);
          mark(op.head, differs);
          mark(op.body, differs);
        },
        [&](const If& op) {
          const bool differs = is_divergent || varies(op.condition);
          mark(op.then_branch, differs);
          mark(op.else_branch, differs);
        },
        [&](const Par&) {}, [&](const InOrder&) {}, [&](const Allocate&) {}, [&](const Sync&) {},
        [&](const Fail&) {});
}

void Divergence::mark_variable(Var name, Expr value, bool is_divergent) {
  const auto counter = in_step_.find(name);
  if (counter != in_step_.end() && varies(value)) {
    mark_if(true, counter->second);
    counted_.erase(counter->second);
    in_step_.erase(counter);
  }
  mark_if(is_divergent || varies(value), name);
}

void Divergence::mark_if(bool condition, Var name) {
  if (condition) varying_.insert(name);
}

}  // namespace fulgurite::tidy
