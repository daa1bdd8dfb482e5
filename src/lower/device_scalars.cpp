#include "lower/device_scalars.h"

#include <algorithm>

#include "base/match.h"
#include "soac/outputs.h"

namespace fulgurite::lower {

using scalar::Expr, scalar::Op, scalar::Var;

bool reads_memory(Expr root) {
  bool reads = false;
  scalar::for_each_node(std::span(&root, 1), [&](Expr e) { reads |= e.op() == Op::index; });
  return reads;
}

bool needs_plan(const soac::Stm& s) {
  if (base::as<soac::Soac>(s.op) || base::as<soac::Call>(s.op)) return true;
  const auto makes_array = [](Expr e) { return e.type().rank > 0; };
  for (const auto& nested : soac::nested_in(s))
    if (std::ranges::any_of(nested.lambda->body, needs_plan) ||
        std::ranges::any_of(nested.lambda->results, makes_array))
      return true;
  return std::ranges::any_of(soac::roots_of(s), makes_array);
}

DeviceScalars::DeviceScalars(const soac::Program& program) : any_(true) {
  add(program.body);
}

bool DeviceScalars::needs(Expr root) const {
  if (!any_) return false;
  bool found = false;
  scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
    found |= e.op() == Op::index || (e.is_name() && e.type().rank == 0 && contains(e.var()));
  });
  return found;
}

void DeviceScalars::add(const std::vector<soac::Stm>& body) {
  for (const soac::Stm& s : body) {
    if (base::as<soac::Soac>(s.op)) {
      for (const soac::OutputView::Reduced& reduction : soac::view_of(s).reductions) add(reduction.names);
      continue;
    }
    const auto* branch = base::as<soac::If>(s.op);
    const auto* loop = base::as<soac::Loop>(s.op);
    if (!branch && !loop) continue;
    if (!needs_plan(s)) {
      add(s.names);
      continue;
    }
    if (branch) {
      add(branch->then_branch.body);
      add(branch->else_branch.body);
      for (std::size_t k = 0; k < s.names.size(); ++k) {
        const Expr yes = branch->then_branch.results[k], no = branch->else_branch.results[k];
        if (yes.type().rank == 0 && (needs(yes) || needs(no))) names_.insert(s.names[k]);
      }
      continue;
    }
    // Values that an iteration leaves there are there in the next one.
    for (std::size_t before = names_.size() + 1; before != names_.size();) {
      before = names_.size();
      add(loop->condition.body);
      add(loop->body.body);
      const std::size_t first = loop->trips ? 1 : 0;
      for (std::size_t k = 0; k < s.names.size(); ++k) {
        if (loop->body.results[k].type().rank > 0 || !needs(loop->body.results[k])) continue;
        names_.insert(s.names[k]);
        names_.insert(loop->body.params[k + first]);
        if (!loop->trips) names_.insert(loop->condition.params[k]);
      }
    }
  }
}

}  // namespace fulgurite::lower
