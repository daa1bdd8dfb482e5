#include "soac/extents.h"

#include <algorithm>

namespace fulgurite::soac {

bool Extents::operator()(Expr root) {
  if (root.type() != Type{}) return false;
  std::vector<Expr> stack{root};
  while (!stack.empty()) {
    const Expr e = stack.back();
    const std::size_t before = stack.size();
    if (!known_.contains(e.node()))
      for (Expr operand : e.args())
        if (!known_.contains(operand.node())) stack.push_back(operand);
    if (stack.size() > before) continue;
    stack.pop_back();
    known_.try_emplace(e.node(), is_total(e));
  }
  return known_.at(root.node());
}

bool Extents::is_total(Expr node) const {
  return node.op() != scalar::Op::index && node.site() == 0 && !scalar::is_float(node.kind()) &&
         std::ranges::all_of(node.args(), [&](Expr operand) { return known_.at(operand.node()); });
}

}  // namespace fulgurite::soac
